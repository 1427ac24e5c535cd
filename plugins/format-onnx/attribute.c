/* The attributes of ONNX nodes: looked up, typed, and, in functions, taken from the caller. */
#include "dtype.h"
#include "sparse.h"
#include "tensor.h"
#include "translate.h"

typedef Onnx__AttributeProto attribute_proto;

/* Where an attribute was found. */
struct found {
    const attribute_proto *attribute; /* NULL: absent */
    const struct onnx_node *owner;
    size_t index;
};

/* Inside a function an attribute may stand for one of the caller's. */
static struct found find(const struct onnx_node *node, const char *name) {
    for (size_t i = 0; i < node->proto->n_attribute; i++) {
        const attribute_proto *attribute = node->proto->attribute[i];
        if (attribute->name == NULL || strcmp(attribute->name, name) != 0) {
            continue;
        }
        node->is_read[i] = 1;
        const char *reference = attribute->ref_attr_name;
        if (reference == NULL || reference[0] == '\0') {
            return (struct found){attribute, node, i};
        }
        return node->scope->caller != NULL ? find(node->scope->caller, reference)
                                           : (struct found){0};
    }
    return (struct found){0};
}

static const char *const type_names[] = {
    "UNDEFINED",      "FLOAT",      "INT",         "STRING",  "TENSOR", "GRAPH",
    "FLOATS",         "INTS",       "STRINGS",     "TENSORS", "GRAPHS", "SPARSE_TENSOR",
    "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS",
};

static const char *type_name(int type) {
    return type >= 0 && type < (int)(sizeof type_names / sizeof type_names[0]) ? type_names[type]
                                                                               : "?";
}

#define TYPE(NAME) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##NAME

/* Older files have no type: then the field that is there tells. */
static int type_of(const attribute_proto *attribute) {
    if (attribute->has_type && attribute->type != TYPE(UNDEFINED)) {
        return (int)attribute->type;
    }
    return attribute->has_f           ? TYPE(FLOAT)
           : attribute->has_i         ? TYPE(INT)
           : attribute->has_s         ? TYPE(STRING)
           : attribute->t != NULL     ? TYPE(TENSOR)
           : attribute->g != NULL     ? TYPE(GRAPH)
           : attribute->n_floats > 0  ? TYPE(FLOATS)
           : attribute->n_ints > 0    ? TYPE(INTS)
           : attribute->n_strings > 0 ? TYPE(STRINGS)
                                      : TYPE(UNDEFINED);
}

/* An attribute of this type, or NULL when there is none. */
static tn_status find_typed(struct onnx_node *node, const char *name, int type,
                            struct found *out_found) {
    *out_found = find(node, name);
    const attribute_proto *attribute = out_found->attribute;
    if (attribute == NULL || type_of(attribute) == type) {
        return TN_OK;
    }
    return tn_fail(node->host, TN_INVALID_ARGUMENT,
                   "%s.attribute[%zu]: '%s' of %s '%s' is %s, expected %s", out_found->owner->path,
                   out_found->index, name, node->proto->op_type, node->name,
                   type_name(type_of(attribute)), type_name(type));
}

int onnx_has_attribute(const struct onnx_node *node, const char *name) {
    return find(node, name).attribute != NULL;
}

void onnx_ignore(struct onnx_node *node, const char *name) {
    (void)find(node, name);
}

tn_status onnx_int(struct onnx_node *node, const char *name, int64_t absent, int64_t *out) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(INT), &found));
    *out = found.attribute != NULL ? found.attribute->i : absent;
    return TN_OK;
}

tn_status onnx_float(struct onnx_node *node, const char *name, double absent, double *out) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(FLOAT), &found));
    *out = found.attribute != NULL ? (double)found.attribute->f : absent;
    return TN_OK;
}

tn_status onnx_text(struct onnx_node *node, const char *name, const char *absent, char *buffer,
                    size_t size) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(STRING), &found));
    const char *text = absent;
    size_t length = strlen(absent);
    if (found.attribute != NULL) { /* the bytes end without a zero */
        text = (const char *)found.attribute->s.data;
        length = found.attribute->s.len;
    }
    if (length >= size || (length > 0 && memchr(text, '\0', length) != NULL)) {
        return tn_fail(node->host, TN_INVALID_ARGUMENT,
                       "%s.attribute[%zu]: '%s' of %s: expected a text of at most %zu bytes",
                       node->path, found.index, name, node->proto->op_type, size - 1);
    }
    if (length > 0) {
        memcpy(buffer, text, length);
    }
    buffer[length] = '\0';
    return TN_OK;
}

static tn_status intern_all(const tn_host *host, const ProtobufCBinaryData *bytes, uint32_t count,
                            const char **strings) {
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(TN_SERVICE(host, string)->intern(host, bytes[i].data, bytes[i].len, &strings[i]));
    }
    return TN_OK;
}

tn_status onnx_strings(struct onnx_node *node, const char *name, const char ***out_strings,
                       uint32_t *out_count) {
    const struct found found = find(node, name);
    const attribute_proto *attribute = found.attribute;
    const int is_one = attribute != NULL && type_of(attribute) == TYPE(STRING);
    if (attribute != NULL && !is_one) {
        struct found list;
        TN_TRY(find_typed(node, name, TYPE(STRINGS), &list));
    }
    const uint32_t count = is_one ? 1 : attribute != NULL ? (uint32_t)attribute->n_strings : 0;
    void *memory;
    TN_TRY(tn_allocate(node->host, count, sizeof(char *), &memory));
    const char **strings = (const char **)memory;
    const tn_status status = intern_all(node->host,
                                        is_one      ? &attribute->s
                                        : count > 0 ? attribute->strings
                                                    : NULL,
                                        count, strings);
    if (status != TN_OK) {
        tn_free(node->host, memory);
        return tn_fail(node->host, TN_INVALID_ARGUMENT,
                       "%s.attribute[%zu]: a text has a byte 0, or memory ran out", node->path,
                       found.index);
    }
    *out_strings = strings;
    *out_count = count;
    return TN_OK;
}

tn_status onnx_ints(struct onnx_node *node, const char *name, const int64_t **out_values,
                    uint32_t *out_count) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(INTS), &found));
    *out_values = found.attribute != NULL ? found.attribute->ints : NULL;
    *out_count = found.attribute != NULL ? (uint32_t)found.attribute->n_ints : 0;
    return TN_OK;
}

tn_status onnx_floats(struct onnx_node *node, const char *name, const float **out_values,
                      uint32_t *out_count) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(FLOATS), &found));
    *out_values = found.attribute != NULL ? found.attribute->floats : NULL;
    *out_count = found.attribute != NULL ? (uint32_t)found.attribute->n_floats : 0;
    return TN_OK;
}

tn_status onnx_attribute_tensor(struct onnx_node *node, const char *name, tn_tensor **out_tensor) {
    struct found found;
    *out_tensor = NULL;
    TN_TRY(find_typed(node, name, TYPE(TENSOR), &found));
    if (found.attribute == NULL) {
        return TN_OK;
    }
    char path[256];
    snprintf(path, sizeof path, "%s.attribute[%zu].t", found.owner->path, found.index);
    return onnx_read_tensor(node->host, found.attribute->t, path, node->scope->reader->path,
                            out_tensor);
}

tn_status onnx_attribute_sparse_tensor(struct onnx_node *node, const char *name,
                                       tn_tensor **out_tensor) {
    struct found found;
    *out_tensor = NULL;
    TN_TRY(find_typed(node, name, TYPE(SPARSE_TENSOR), &found));
    if (found.attribute == NULL) {
        return TN_OK;
    }
    char path[256];
    snprintf(path, sizeof path, "%s.attribute[%zu].sparse_tensor", found.owner->path, found.index);
    return onnx_read_sparse_tensor(node->host, found.attribute->sparse_tensor, path,
                                   node->scope->reader->path, out_tensor);
}

tn_status onnx_attribute_graph(struct onnx_node *node, const char *name,
                               const Onnx__GraphProto **out_graph, char *path, size_t path_size) {
    struct found found;
    TN_TRY(find_typed(node, name, TYPE(GRAPH), &found));
    if (found.attribute == NULL || found.attribute->g == NULL) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "it has no graph '%s'", name);
    }
    *out_graph = found.attribute->g;
    snprintf(path, path_size, "%s.attribute[%zu].g", found.owner->path, found.index);
    return TN_OK;
}

tn_status onnx_dtype(struct onnx_node *node, const char *name, tn_dtype *out) {
    int64_t number;
    TN_TRY(onnx_int(node, name, 0, &number));
    *out = 0;
    if (number == 0) {
        return TN_OK;
    }
    char what[256];
    snprintf(what, sizeof what, "%s: attribute '%s'", node->path, name);
    return require_dtype(node->host, what, number, out);
}

static int is_dtype_attribute(const char *name) {
    return strcmp(name, "to") == 0 || strcmp(name, "dtype") == 0 ||
           strcmp(name, "output_dtype") == 0 || strcmp(name, "output_datatype") == 0 ||
           strcmp(name, "precision") == 0 || strcmp(name, "stash_type") == 0 ||
           strcmp(name, "softmax_precision") == 0;
}

static tn_status copy_text(struct onnx_node *node, const char *name, struct onnx_options *options) {
    char text[1024];
    TN_TRY(onnx_text(node, name, "", text, sizeof text));
    onnx_option_text(options, name, text);
    return TN_OK;
}

/* A list of texts becomes one, with bars between them. */
static tn_status copy_texts(struct onnx_node *node, const attribute_proto *attribute,
                            const char *name, struct onnx_options *options) {
    char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < attribute->n_strings; i++) {
        const ProtobufCBinaryData *item = &attribute->strings[i];
        if (item->len + 2 > sizeof text - used || memchr(item->data, '\0', item->len) != NULL) {
            return onnx_fail(node, TN_INVALID_ARGUMENT, "attribute '%s' is too long", name);
        }
        text[used] = '|';
        used += i > 0;
        memcpy(text + used, item->data, item->len);
        used += item->len;
        text[used] = '\0';
    }
    onnx_option_text(options, name, text);
    return TN_OK;
}

/* One attribute as a text of the same name. */
static tn_status copy_attribute(struct onnx_node *node, const char *name,
                                struct onnx_options *options) {
    const struct found found = find(node, name);
    const attribute_proto *attribute = found.attribute;
    if (attribute == NULL) {
        return TN_OK; /* a function's, which the caller does not give */
    }
    const int type = type_of(attribute);
    if (type == TYPE(INT) && is_dtype_attribute(name)) {
        tn_dtype dtype;
        TN_TRY(onnx_dtype(node, name, &dtype));
        onnx_option_text(options, name, dtype == 0 ? "None" : tn_dtype_name(dtype));
        return TN_OK;
    }
    switch (type) {
    case TYPE(INT): onnx_option_int(options, name, attribute->i); return TN_OK;
    case TYPE(FLOAT): onnx_option_float(options, name, (double)attribute->f); return TN_OK;
    case TYPE(STRING): return copy_text(node, name, options);
    case TYPE(STRINGS): return copy_texts(node, attribute, name, options);
    case TYPE(INTS):
        onnx_option_ints(options, name, attribute->ints, (uint32_t)attribute->n_ints);
        return TN_OK;
    case TYPE(FLOATS):
        onnx_option_floats(options, name, attribute->floats, (uint32_t)attribute->n_floats);
        return TN_OK;
    default:
        return tn_fail(node->host, TN_UNSUPPORTED,
                       "%s.attribute[%zu]: '%s' of %s is %s, which it does not take",
                       found.owner->path, found.index, name, node->proto->op_type, type_name(type));
    }
}

tn_status onnx_copy_attributes(struct onnx_node *node, struct onnx_options *options) {
    for (size_t i = 0; i < node->proto->n_attribute; i++) {
        if (!node->is_read[i] && node->proto->attribute[i]->name != NULL) {
            TN_TRY(copy_attribute(node, node->proto->attribute[i]->name, options));
        }
    }
    return options->status;
}
