/* The names that graphs inside a node take from outside. */
#include "reader.h"

/* Names found so far, and those that the graphs on the way define themselves. */
struct search {
    const tn_host *host;
    const struct onnx_scope *scope;
    const char *path;
    struct name_map found;
    struct onnx_captures *captures;
    uint32_t capacity;
};

/* Names that one graph defines, and the graph around it. */
struct level {
    struct name_map defined;
    const struct level *outer;
};

static int is_defined(const struct level *level, const char *name) {
    for (; level != NULL; level = level->outer) {
        if (name_map_find(&level->defined, name) != NULL) {
            return 1;
        }
    }
    return 0;
}

static tn_status grow(struct search *search) {
    const uint32_t capacity = search->capacity > 0 ? search->capacity * 2 : 16;
    struct onnx_captures *captures = search->captures;
    void *names, *values = NULL;
    TN_TRY(tn_allocate(search->host, capacity, sizeof *captures->names, &names));
    const tn_status status = tn_allocate(search->host, capacity, sizeof *captures->values, &values);
    if (status != TN_OK) {
        tn_free(search->host, names);
        return status;
    }
    if (captures->count > 0) {
        memcpy(names, captures->names, captures->count * sizeof *captures->names);
        memcpy(values, captures->values, captures->count * sizeof *captures->values);
    }
    onnx_captures_finish(search->host,
                         &(struct onnx_captures){0, captures->names, captures->values});
    captures->names = names;
    captures->values = values;
    search->capacity = capacity;
    return TN_OK;
}

/* A name that is read: one of the graphs' own, or one from outside. */
static tn_status use(struct search *search, const struct level *level, const char *name) {
    if (name[0] == '\0' || is_defined(level, name) || name_map_find(&search->found, name) != NULL) {
        return TN_OK;
    }
    struct onnx_captures *captures = search->captures;
    tn_value value;
    TN_TRY(onnx_scope_find(search->scope, search->path, name, &value));
    if (captures->count == search->capacity) {
        TN_TRY(grow(search));
    }
    captures->names[captures->count] = name;
    captures->values[captures->count++] = value;
    return name_map_set(search->host, &search->found, name, value);
}

static tn_status search_graphs(struct search *search, const struct level *level,
                               const Onnx__NodeProto *node);

static tn_status define(struct search *search, struct level *level, const char *name) {
    return name == NULL ? TN_OK
                        : name_map_set(search->host, &level->defined, name, (tn_value){0, 0});
}

static tn_status search_nodes(struct search *search, struct level *level,
                              const Onnx__GraphProto *graph) {
    for (size_t i = 0; i < graph->n_input; i++) {
        TN_TRY(define(search, level, graph->input[i]->name));
    }
    for (size_t i = 0; i < graph->n_initializer; i++) {
        TN_TRY(define(search, level, graph->initializer[i]->name));
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t j = 0; j < node->n_input; j++) {
            TN_TRY(use(search, level, node->input[j]));
        }
        TN_TRY(search_graphs(search, level, node));
        for (size_t j = 0; j < node->n_output; j++) {
            TN_TRY(define(search, level, node->output[j]));
        }
    }
    for (size_t i = 0; i < graph->n_output; i++) {
        TN_TRY(use(search, level, graph->output[i]->name == NULL ? "" : graph->output[i]->name));
    }
    return TN_OK;
}

static tn_status search_graph(struct search *search, const struct level *outer,
                              const Onnx__GraphProto *graph) {
    struct level level = {.outer = outer};
    const tn_status status = search_nodes(search, &level, graph);
    name_map_finish(search->host, &level.defined);
    return status;
}

static tn_status search_graphs(struct search *search, const struct level *level,
                               const Onnx__NodeProto *node) {
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        if (attribute->g != NULL) {
            TN_TRY(search_graph(search, level, attribute->g));
        }
        for (size_t j = 0; j < attribute->n_graphs; j++) {
            TN_TRY(search_graph(search, level, attribute->graphs[j]));
        }
    }
    return TN_OK;
}

tn_status onnx_find_captures(const struct onnx_scope *scope, const char *path,
                             const Onnx__NodeProto *node, struct onnx_captures *captures) {
    struct search search = {
        .host = scope->reader->host, .scope = scope, .path = path, .captures = captures};
    *captures = (struct onnx_captures){0};
    const tn_status status = search_graphs(&search, NULL, node);
    name_map_finish(search.host, &search.found);
    if (status != TN_OK) {
        onnx_captures_finish(search.host, captures);
    }
    return status;
}

void onnx_captures_finish(const tn_host *host, struct onnx_captures *captures) {
    tn_free(host, captures->names);
    tn_free(host, captures->values);
    *captures = (struct onnx_captures){0};
}
