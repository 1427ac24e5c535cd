/* Graphs: inputs, initializers, nodes, outputs. */
#include "dtype.h"
#include "families.h"
#include "sparse.h"
#include "tensor.h"

enum { MAX_PATH = 400, MAX_NESTING = 48, NEWEST_VERSION = 27 };

/* Refused by name: what they need is not here. */
static const char *const refused_domains[] = {"ai.onnx.ml", "ai.onnx.training",
                                              "ai.onnx.preview.training"};

static const char *text_or_empty(const char *text) {
    return text != NULL ? text : "";
}

static tn_status check_attributes_read(const struct onnx_node *node) {
    for (size_t i = 0; i < node->proto->n_attribute; i++) {
        if (!node->is_read[i]) {
            return tn_fail(node->host, TN_INVALID_ARGUMENT,
                           "%s.attribute[%zu]: %s of operator set %lld has no attribute '%.100s'",
                           node->path, i, node->proto->op_type, (long long)node->version,
                           text_or_empty(node->proto->attribute[i]->name));
        }
    }
    return TN_OK;
}

static tn_status translate_official(struct onnx_node *node) {
    int64_t first;
    if (node->version > NEWEST_VERSION) {
        return onnx_fail(node, TN_UNSUPPORTED, "operator sets up to %d are known", NEWEST_VERSION);
    }
    node->mapping = onnx_find_mapping(node->proto->op_type, node->version, &first);
    if (node->mapping == NULL && first == 0) {
        return onnx_fail(node, TN_UNSUPPORTED, "there is nothing that this operator is mapped to");
    }
    if (node->mapping == NULL) {
        return onnx_fail(node, TN_UNSUPPORTED, "it is known from operator set %lld on",
                         (long long)first);
    }
    return node->mapping->translate(node);
}

/* An operator of a custom domain is one that a plugin offers as "DOMAIN.NAME". */
static tn_status translate_custom(struct onnx_node *node, const char *domain) {
    char target[256];
    for (size_t i = 0; i < sizeof refused_domains / sizeof refused_domains[0]; i++) {
        if (strcmp(domain, refused_domains[i]) == 0) {
            return onnx_fail(node, TN_UNSUPPORTED, "operators of the domain %s are not offered",
                             domain);
        }
    }
    snprintf(target, sizeof target, "%.120s.%.120s", domain, node->proto->op_type);
    const struct onnx_mapping mapping = {.op = node->proto->op_type, .target = target};
    node->mapping = &mapping;
    const tn_status status = onnx_same(node);
    node->mapping = NULL;
    return status;
}

static tn_status translate(struct onnx_node *node) {
    const char *domain = text_or_empty(node->proto->domain);
    if (strcmp(domain, "ai.onnx") == 0) {
        domain = "";
    }
    uint32_t index;
    const Onnx__FunctionProto *function =
        onnx_find_function(node->scope->reader, domain, node->proto->op_type, &index);
    node->version = onnx_scope_version(node->scope, domain);
    if (function != NULL) {
        return onnx_inline_function(node, function, index);
    }
    if (node->version == 0) {
        return onnx_fail(node, TN_CORRUPT, "opset_import does not name its domain '%s'", domain);
    }
    TN_TRY(domain[0] == '\0' ? translate_official(node) : translate_custom(node, domain));
    return check_attributes_read(node);
}

static const char *name_of(const Onnx__NodeProto *proto) {
    if (text_or_empty(proto->name)[0] != '\0') {
        return proto->name;
    }
    for (size_t i = 0; i < proto->n_output; i++) {
        if (proto->output[i][0] != '\0') {
            return proto->output[i];
        }
    }
    return proto->op_type;
}

static tn_status read_node(struct onnx_scope *scope, const Onnx__NodeProto *proto, size_t index) {
    const tn_host *host = scope->reader->host;
    char path[MAX_PATH], name[500];
    void *is_read;
    snprintf(path, sizeof path, "%s.node[%zu]", scope->path, index);
    if (text_or_empty(proto->op_type)[0] == '\0') {
        return tn_fail(host, TN_CORRUPT, "%s.op_type: is empty", path);
    }
    snprintf(name, sizeof name, "%s%.300s", scope->name_prefix, name_of(proto));
    TN_TRY(tn_allocate(host, proto->n_attribute, 1, &is_read));
    struct onnx_node node = {.host = host,
                             .scope = scope,
                             .proto = proto,
                             .path = path,
                             .name = name,
                             .is_read = is_read};
    const tn_status status = translate(&node);
    tn_free(host, is_read);
    return status;
}

tn_status onnx_read_nodes(struct onnx_scope *scope, Onnx__NodeProto *const *nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        TN_TRY(read_node(scope, nodes[i], i));
    }
    return TN_OK;
}

static tn_status define(struct onnx_scope *scope, const char *where, const char *name,
                        tn_value value) {
    if (name_map_find(&scope->values, name) != NULL) {
        return tn_fail(scope->reader->host, TN_CORRUPT, "%s: the value '%.200s' is there already",
                       where, name);
    }
    return name_map_set(scope->reader->host, &scope->values, name, value);
}

/* Takes the tensor over, as the value `name`. */
static tn_status define_constant(struct onnx_scope *scope, const char *where, const char *name,
                                 tn_tensor *tensor) {
    tn_value value;
    const tn_status status = onnx_add_parameter(scope, name, tensor, &value);
    TN_SERVICE(scope->reader->host, tensor)->release(scope->reader->host, tensor);
    return status == TN_OK ? define(scope, where, name, value) : status;
}

static tn_status check_name(const tn_host *host, const char *where, const char *name) {
    return name[0] != '\0' ? TN_OK : tn_fail(host, TN_CORRUPT, "%s.name: is empty", where);
}

static tn_status read_initializer(struct onnx_scope *scope, const Onnx__TensorProto *proto,
                                  size_t index) {
    const tn_host *host = scope->reader->host;
    const char *name = text_or_empty(proto->name);
    char where[MAX_PATH];
    tn_tensor *tensor;
    snprintf(where, sizeof where, "%s.initializer[%zu]", scope->path, index);
    TN_TRY(check_name(host, where, name));
    TN_TRY(onnx_read_tensor(host, proto, where, scope->reader->path, &tensor));
    return define_constant(scope, where, name, tensor);
}

/* Its name is that of its values. */
static tn_status read_sparse_initializer(struct onnx_scope *scope,
                                         const Onnx__SparseTensorProto *proto, size_t index) {
    const tn_host *host = scope->reader->host;
    const char *name = text_or_empty(proto->values != NULL ? proto->values->name : NULL);
    char where[MAX_PATH];
    tn_tensor *tensor;
    snprintf(where, sizeof where, "%s.sparse_initializer[%zu]", scope->path, index);
    TN_TRY(check_name(host, where, name));
    TN_TRY(onnx_read_sparse_tensor(host, proto, where, scope->reader->path, &tensor));
    return define_constant(scope, where, name, tensor);
}

/* What a ValueInfoProto says; extents that have a name or nothing are unknown. */
static tn_status read_type(const tn_host *host, const Onnx__TypeProto *proto, const char *where,
                           tn_tensor_type *out_type) {
    tn_tensor_type type = {.shape = tn_shape_unknown()};
    *out_type = type;
    if (proto == NULL || proto->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET) {
        return TN_OK;
    }
    if (proto->value_case == ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE) {
        return TN_OK; /* a value as it is, or nothing */
    }
    if (proto->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE) {
        out_type->dtype = TN_SEQUENCE;
        out_type->shape = tn_shape_of_rank(1);
        return TN_OK;
    }
    if (proto->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
        return tn_fail(host, TN_UNSUPPORTED, "%s.type: is a map, or a sparse tensor", where);
    }
    const Onnx__TypeProto__Tensor *tensor = proto->tensor_type;
    if (tensor->elem_type != 0) {
        char what[MAX_PATH + 64];
        snprintf(what, sizeof what, "%s.type.tensor_type.elem_type", where);
        TN_TRY(require_dtype(host, what, tensor->elem_type, &type.dtype));
    }
    if (tensor->shape != NULL) {
        if (tensor->shape->n_dim > TN_MAX_RANK) {
            return tn_fail(host, TN_UNSUPPORTED, "%s.type.tensor_type.shape: rank %zu", where,
                           tensor->shape->n_dim);
        }
        type.shape = tn_shape_of_rank((int32_t)tensor->shape->n_dim);
    }
    for (int32_t i = 0; i < type.shape.rank; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = tensor->shape->dim[i];
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            dim->dim_value >= 0) {
            type.shape.extents[i] = dim->dim_value;
        }
    }
    *out_type = type;
    return TN_OK;
}

static int has_initializer(const Onnx__GraphProto *proto, const char *name) {
    for (size_t i = 0; i < proto->n_initializer; i++) {
        if (strcmp(text_or_empty(proto->initializer[i]->name), name) == 0) {
            return 1;
        }
    }
    return 0;
}

static tn_status add_variable(struct onnx_scope *scope, const char *where, const char *name,
                              const tn_tensor_type *type) {
    const tn_host *host = scope->reader->host;
    char buffer[600];
    tn_value value = {0, 0};
    TN_TRY(TN_SERVICE(host, graph)
               ->add_variable(host, scope->graph,
                              onnx_free_name(scope, name, buffer, sizeof buffer), type,
                              &value.node));
    return define(scope, where, name, value);
}

static tn_status read_inputs(struct onnx_scope *scope, const Onnx__GraphProto *proto) {
    for (size_t i = 0; i < proto->n_input; i++) {
        const char *name = text_or_empty(proto->input[i]->name);
        char where[MAX_PATH];
        tn_tensor_type type;
        snprintf(where, sizeof where, "%s.input[%zu]", scope->path, i);
        if (name[0] == '\0') {
            return tn_fail(scope->reader->host, TN_CORRUPT, "%s.name: is empty", where);
        }
        if (has_initializer(proto, name)) {
            continue; /* a default that nobody overrides: a constant */
        }
        TN_TRY(read_type(scope->reader->host, proto->input[i]->type, where, &type));
        TN_TRY(add_variable(scope, where, name, &type));
    }
    return TN_OK;
}

/* What is constant outside is constant inside; everything else is a variable. */
static tn_status read_captures(struct onnx_scope *scope, const struct onnx_scope *outer,
                               const struct onnx_captures *captures) {
    const tn_host *host = scope->reader->host;
    for (uint32_t i = 0; captures != NULL && i < captures->count; i++) {
        if (captures->values[i].node == TN_NO_NODE) { /* an input that a function's caller omits */
            TN_TRY(define(scope, scope->path, captures->names[i], captures->values[i]));
            continue;
        }
        tn_tensor *tensor =
            TN_SERVICE(host, graph)->parameter(host, outer->graph, captures->values[i].node);
        if (tensor == NULL) {
            TN_TRY(add_variable(scope, scope->path, captures->names[i], NULL));
            continue;
        }
        tn_value value;
        TN_TRY(onnx_add_parameter(scope, captures->names[i], tensor, &value));
        TN_TRY(define(scope, scope->path, captures->names[i], value));
    }
    return TN_OK;
}

static tn_status read_outputs(struct onnx_scope *scope, const Onnx__GraphProto *proto) {
    const tn_host *host = scope->reader->host;
    void *memory;
    TN_TRY(tn_allocate(host, proto->n_output, sizeof(tn_value), &memory));
    tn_value *values = memory;
    tn_status status = TN_OK;
    for (size_t i = 0; status == TN_OK && i < proto->n_output; i++) {
        char where[MAX_PATH];
        snprintf(where, sizeof where, "%s.output[%zu]", scope->path, i);
        status = onnx_scope_find(scope, where, text_or_empty(proto->output[i]->name), &values[i]);
    }
    if (status == TN_OK) {
        status = TN_SERVICE(host, graph)
                     ->set_outputs(host, scope->graph, values, (uint32_t)proto->n_output);
    }
    for (size_t i = 0; status == TN_OK && i < proto->n_output; i++) {
        status = TN_SERVICE(host, graph)
                     ->name_output(host, scope->graph, (uint32_t)i, proto->output[i]->name);
    }
    tn_free(host, memory);
    return status;
}

static tn_status read_parts(struct onnx_scope *scope, const Onnx__GraphProto *proto,
                            const struct onnx_scope *outer, const struct onnx_captures *captures) {
    TN_TRY(read_inputs(scope, proto));
    TN_TRY(read_captures(scope, outer, captures));
    for (size_t i = 0; i < proto->n_initializer; i++) {
        TN_TRY(read_initializer(scope, proto->initializer[i], i));
    }
    for (size_t i = 0; i < proto->n_sparse_initializer; i++) {
        TN_TRY(read_sparse_initializer(scope, proto->sparse_initializer[i], i));
    }
    TN_TRY(onnx_read_nodes(scope, proto->node, proto->n_node));
    return read_outputs(scope, proto);
}

tn_status onnx_read_graph(struct onnx_reader *reader, const Onnx__GraphProto *proto,
                          const char *path, const struct onnx_scope *outer,
                          const struct onnx_captures *captures, tn_graph *graph) {
    if (reader->depth == MAX_NESTING) {
        return tn_fail(reader->host, TN_UNSUPPORTED, "%s: graphs are nested more than %d deep",
                       path, MAX_NESTING);
    }
    struct onnx_scope scope = {.reader = reader,
                               .graph = graph,
                               .path = path,
                               .opset_import = reader->model->opset_import,
                               .opset_import_count = reader->model->n_opset_import,
                               .name_prefix = ""};
    if (outer != NULL) { /* inside a function its operator sets and attributes hold */
        scope.opset_import = outer->opset_import;
        scope.opset_import_count = outer->opset_import_count;
        scope.caller = outer->caller;
    }
    reader->depth++;
    const tn_status status = read_parts(&scope, proto, outer, captures);
    reader->depth--;
    onnx_scope_finish(&scope);
    return status;
}
