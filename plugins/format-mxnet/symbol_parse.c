/*
 * Checks a symbol file: what must be there, what may be there, types, and that every number that
 * names a node names one of the file. As strict as MXNet's own reader, which takes no unknown key.
 */
#include "symbol.h"

#define QUOTED_NAME "'%.80s'"

/* Where the check is: in which graph, and at which node of it. */
struct place {
    const tn_host *host;
    const json_t *graph;
    uint32_t depth;      /* 0: the file's own graph */
    uint32_t node;       /* TN_NO_NODE: not at a node */
    const char *name;    /* the node's, or NULL */
    uint32_t node_count; /* of the graph */
};

static tn_status corrupt(const struct place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static tn_status corrupt(const struct place *place, const char *format, ...) {
    char what[512], where[160] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (place->node != TN_NO_NODE) {
        snprintf(where, sizeof where, "node %u " QUOTED_NAME ": ", (unsigned)place->node,
                 place->name != NULL ? place->name : "");
    }
    return tn_fail(place->host, TN_CORRUPT, "%s%s%s", place->depth > 0 ? "in a subgraph, " : "",
                   where, what);
}

static tn_status check_keys(const struct place *place, json_t *object, const char *const *known) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        const char *const *name = known;
        while (*name != NULL && strcmp(*name, key) != 0) {
            name++;
        }
        if (*name == NULL) {
            return corrupt(place, "the key " QUOTED_NAME " is not known", key);
        }
    }
    return TN_OK;
}

/* A whole number that names a node of the graph. */
static tn_status check_node_id(const struct place *place, const char *list, size_t index,
                               const json_t *id) {
    if (!json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) >= place->node_count) {
        return corrupt(place, "%s[%zu] must be the number of a node, from 0 to %lld", list, index,
                       (long long)place->node_count - 1);
    }
    return TN_OK;
}

static tn_status check_node_ids(const struct place *place, const char *list, const json_t *ids) {
    if (ids != NULL && !json_is_array(ids)) {
        return corrupt(place, "%s must be a list", list);
    }
    for (size_t i = 0; i < json_array_size(ids); i++) {
        TN_TRY(check_node_id(place, list, i, json_array_get(ids, i)));
    }
    return TN_OK;
}

static tn_status check_entries(const struct place *place, const char *list, const json_t *entries) {
    if (!json_is_array(entries)) {
        return corrupt(place, "%s must be a list", list);
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const size_t length = json_array_size(entry);
        const json_t *output = json_array_get(entry, 1);
        if (length < 2 || length > 3 || !json_is_integer(output) ||
            json_integer_value(output) < 0 || json_integer_value(output) > INT32_MAX) {
            return corrupt(place, "%s[%zu] must be [node, output] or [node, output, version]", list,
                           i);
        }
        TN_TRY(check_node_id(place, list, i, json_array_get(entry, 0)));
    }
    return TN_OK;
}

static tn_status check_attributes(const struct place *place, json_t *node, const char *key) {
    json_t *attributes = json_object_get(node, key);
    if (attributes != NULL && !json_is_object(attributes)) {
        return corrupt(place, "%s must be an object", key);
    }
    const char *name;
    json_t *value;
    json_object_foreach(attributes, name, value) {
        if (!json_is_string(value)) {
            return corrupt(place, "%s: the value of " QUOTED_NAME " must be a text", key, name);
        }
    }
    return TN_OK;
}

static tn_status check_graph(const tn_host *host, json_t *graph, uint32_t depth);

static tn_status check_subgraphs(const struct place *place, const json_t *subgraphs) {
    if (subgraphs == NULL) {
        return TN_OK;
    }
    if (!json_is_array(subgraphs)) {
        return corrupt(place, "subgraphs must be a list");
    }
    if (place->depth == SYMBOL_MAX_NESTING) {
        return corrupt(place, "graphs lie more than %d deep in one another", SYMBOL_MAX_NESTING);
    }
    for (size_t i = 0; i < json_array_size(subgraphs); i++) {
        TN_TRY(check_graph(place->host, json_array_get(subgraphs, i), place->depth + 1));
    }
    return TN_OK;
}

static tn_status check_node(struct place *place, json_t *node) {
    static const char *const known[] = {"op",
                                        "name",
                                        "inputs",
                                        "attrs",
                                        "attr",
                                        "param",
                                        "control_deps",
                                        "subgraphs",
                                        "backward_source_id",
                                        NULL};
    place->name = json_string_value(json_object_get(node, "name"));
    const char *op = json_string_value(json_object_get(node, "op"));
    if (op == NULL || op[0] == '\0' || place->name == NULL) {
        return corrupt(place, "a node must be an object with the texts op and name");
    }
    TN_TRY(check_keys(place, node, known));
    TN_TRY(check_entries(place, "inputs", json_object_get(node, "inputs")));
    TN_TRY(check_attributes(place, node, "attrs"));
    TN_TRY(check_attributes(place, node, "attr"));
    TN_TRY(check_attributes(place, node, "param"));
    TN_TRY(check_node_ids(place, "control_deps", json_object_get(node, "control_deps")));
    if (symbol_is_variable(node)) {
        if (place->name[0] == '\0' || json_array_size(json_object_get(node, "inputs")) > 0 ||
            json_array_size(json_object_get(node, "control_deps")) > 0 ||
            json_array_size(json_object_get(node, "subgraphs")) > 0) {
            return corrupt(place, "a variable has a name, and nothing that it needs");
        }
        return TN_OK;
    }
    return check_subgraphs(place, json_object_get(node, "subgraphs"));
}

static tn_status check_arguments(const struct place *place, const json_t *arguments) {
    if (arguments == NULL) {
        return corrupt(place, "arg_nodes is missing");
    }
    TN_TRY(check_node_ids(place, "arg_nodes", arguments));
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const uint32_t id = (uint32_t)json_integer_value(json_array_get(arguments, i));
        if (!symbol_is_variable(symbol_node(place->graph, id))) {
            return corrupt(place, "arg_nodes[%zu] names node %u, which is no variable", i,
                           (unsigned)id);
        }
    }
    return TN_OK;
}

static tn_status check_graph(const tn_host *host, json_t *graph, uint32_t depth) {
    static const char *const known[] = {"nodes", "arg_nodes", "node_row_ptr",
                                        "heads", "attrs",     NULL};
    struct place place = {host, graph, depth, TN_NO_NODE, NULL, 0};
    const json_t *nodes = symbol_nodes(graph);
    if (!json_is_array(nodes)) {
        return corrupt(&place, "a symbol is an object with the list nodes");
    }
    if (json_array_size(nodes) > INT32_MAX) {
        return corrupt(&place, "%zu nodes are too many", json_array_size(nodes));
    }
    TN_TRY(check_keys(&place, graph, known));
    place.node_count = symbol_node_count(graph);
    for (place.node = 0; place.node < place.node_count; place.node++) {
        TN_TRY(check_node(&place, symbol_node(graph, place.node)));
    }
    place.node = TN_NO_NODE;
    TN_TRY(check_arguments(&place, json_object_get(graph, "arg_nodes")));
    TN_TRY(check_entries(&place, "heads", json_object_get(graph, "heads")));
    if (json_array_size(json_object_get(graph, "heads")) == 0) {
        return corrupt(&place, "heads is empty: the graph has no output");
    }
    return TN_OK;
}

/* A graph attribute is [type, value]. */
static tn_status read_file_attribute(const tn_host *host, const json_t *root, const char *name,
                                     int64_t *value) {
    const json_t *attributes = json_object_get(root, "attrs");
    const json_t *pair = json_object_get(attributes, name);
    const json_t *number = json_array_get(pair, 1);
    if (attributes != NULL && !json_is_object(attributes)) {
        return tn_fail(host, TN_CORRUPT, "attrs must be an object");
    }
    if (pair == NULL) {
        return TN_OK;
    }
    if (!json_is_integer(number) || json_integer_value(number) < 0) {
        return tn_fail(host, TN_CORRUPT, "attrs: %s must be [\"int\", number]", name);
    }
    *value = json_integer_value(number);
    return TN_OK;
}

static tn_status check_file(const tn_host *host, struct symbol_file *file) {
    int64_t numpy_shapes = 0;
    TN_TRY(check_graph(host, file->root, 0));
    TN_TRY(read_file_attribute(host, file->root, "mxnet_version", &file->version));
    TN_TRY(read_file_attribute(host, file->root, "is_np_shape", &numpy_shapes));
    file->numpy_shapes = numpy_shapes != 0;
    if (file->version > SYMBOL_VERSION_NEWEST) {
        tn_log(host, TN_LOG_WARNING,
               "the symbol is of MXNet version %lld, newer than any whose rules are known (%d)",
               (long long)file->version, SYMBOL_VERSION_NEWEST);
    }
    return TN_OK;
}

tn_status symbol_parse(const tn_host *host, const void *data, uint64_t size,
                       struct symbol_file *out_file) {
    json_error_t error;
    struct symbol_file file = {NULL, SYMBOL_VERSION_UNMARKED, 0};
    file.root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
    if (file.root == NULL) {
        return tn_fail(host, TN_CORRUPT, "line %d, column %d: %s", error.line, error.column,
                       error.text);
    }
    const tn_status status = check_file(host, &file);
    if (status != TN_OK) {
        symbol_release(&file);
        return status;
    }
    *out_file = file;
    return TN_OK;
}

void symbol_release(struct symbol_file *file) {
    json_decref(file->root);
    file->root = NULL;
}
