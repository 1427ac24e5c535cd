/*
 * Tenon's own JSON, read. The text is hostile: every member is checked, and each complaint names
 * the node and the member.
 */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include <tenon/plugin/sparse.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/json.h"

enum { MAX_OPTIONS = 4096 };

bool tni_json_recognise(const char *text, size_t size) {
    size_t at = 0;
    while (at < size && isspace((unsigned char)text[at])) {
        at++;
    }
    if (at == size || text[at++] != '{') {
        return false;
    }
    while (at < size && isspace((unsigned char)text[at])) {
        at++;
    }
    return size - at >= 7 && memcmp(text + at, "\"tenon\"", 7) == 0;
}

static tn_status malformed(const char *member, const char *expected) {
    return tni_fail(TN_CORRUPT, "%s: expected %s", member, expected);
}

static tn_status check_members(const json_t *object, const char *const *known, size_t count) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            found = strcmp(known[i], key) == 0;
        }
        if (!found) {
            return tni_fail(TN_CORRUPT, "member \"%.80s\" is not known", key);
        }
    }
    return TN_OK;
}

static tn_status read_number(const json_t *json, const char *member, uint32_t *out) {
    const json_int_t value = json_integer_value(json);
    if (!json_is_integer(json) || value < 0 || value > UINT32_MAX - 1) {
        return malformed(member, "a number of a node or output");
    }
    *out = (uint32_t)value;
    return TN_OK;
}

static tn_status read_values(tn_graph *graph, const json_t *json, const char *member,
                             bool allow_null, tn_value **out_values, uint32_t *out_count) {
    if (!json_is_array(json)) {
        return malformed(member, "a list of [node, output]");
    }
    const size_t count = json_array_size(json);
    tn_value *values = tni_arena_allocate(&graph->arena, count, sizeof *values);
    if (values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(json, i);
        if (allow_null && json_is_null(pair)) {
            values[i] = (tn_value){TN_NO_NODE, 0};
            continue;
        }
        if (json_array_size(pair) != 2) {
            return malformed(member, "a list of [node, output]");
        }
        TNI_TRY(read_number(json_array_get(pair, 0), member, &values[i].node));
        TNI_TRY(read_number(json_array_get(pair, 1), member, &values[i].output));
    }
    *out_values = values;
    *out_count = (uint32_t)count;
    return TN_OK;
}

/* An object of texts; borrowed from the JSON. Absent: none. */
static tn_status read_options(tn_graph *graph, const json_t *json, const char *member,
                              tn_option **out_options, uint32_t *out_count) {
    *out_count = 0;
    if (json == NULL) {
        return TN_OK;
    }
    if (!json_is_object(json) || json_object_size(json) > MAX_OPTIONS) {
        return malformed(member, "an object of texts");
    }
    tn_option *options = tni_arena_allocate(&graph->arena, json_object_size(json), sizeof *options);
    if (options == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const char *key;
    json_t *value;
    uint32_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)json, key, value) {
        if (!json_is_string(value)) {
            return malformed(member, "an object of texts");
        }
        options[count++] = (tn_option){key, json_string_value(value)};
    }
    *out_options = options;
    *out_count = count;
    return TN_OK;
}

/* `text` may be NULL. */
static uint32_t storage_from_text(const char *text) {
    static const uint32_t storages[] = {TN_STORAGE_ROW_SPARSE, TN_STORAGE_CSR};
    for (size_t i = 0; text != NULL && i < sizeof storages / sizeof storages[0]; i++) {
        if (strcmp(text, tn_storage_name(storages[i])) == 0) {
            return storages[i];
        }
    }
    return TN_STORAGE_UNKNOWN;
}

static tn_status read_type(const json_t *json, tn_tensor_type *out_type) {
    const json_t *dtype = json_object_get(json, "dtype");
    const json_t *storage = json_object_get(json, "storage");
    const json_t *shape = json_object_get(json, "shape");
    tn_tensor_type type = tni_type_unknown();
    if (dtype != NULL) {
        type.dtype = json_is_string(dtype) ? tn_dtype_from_text(json_string_value(dtype)) : 0;
        if (type.dtype == 0) {
            return malformed("dtype", "a name such as \"float32\"");
        }
    }
    if (storage != NULL) {
        type.storage = storage_from_text(json_string_value(storage));
        if (type.storage == TN_STORAGE_UNKNOWN) {
            return malformed("storage", "\"row_sparse\" or \"csr\"");
        }
    }
    if (shape != NULL) {
        if (!json_is_array(shape) || json_array_size(shape) > TN_MAX_RANK) {
            return malformed("shape", "a list of at most 32 extents");
        }
        type.shape.rank = (int32_t)json_array_size(shape);
        for (int32_t axis = 0; axis < type.shape.rank; axis++) {
            const json_t *extent = json_array_get(shape, (size_t)axis);
            if (!json_is_null(extent) &&
                (!json_is_integer(extent) || json_integer_value(extent) < 0)) {
                return malformed("shape", "extents of at least 0, or null");
            }
            type.shape.extents[axis] =
                json_is_null(extent) ? TN_UNKNOWN : json_integer_value(extent);
        }
    }
    *out_type = type;
    return TN_OK;
}

static tn_status read_graph(tn_graph *graph, const json_t *json);

static tn_status read_subgraphs(tn_graph *graph, uint32_t number, const json_t *json) {
    if (json != NULL && !json_is_array(json)) {
        return malformed("subgraphs", "a list of graphs");
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        tn_graph *subgraph;
        static const char *const known[] = {"nodes", "outputs", "output_names"};
        TNI_TRY(tn_graph_add_subgraph(graph, number, &subgraph));
        TNI_TRY(check_members(json_array_get(json, i), known, 3));
        TNI_TRY(tni_in(read_graph(subgraph, json_array_get(json, i)), "subgraph %zu", i));
    }
    return TN_OK;
}

static tn_status read_variable(tn_graph *graph, const json_t *json, const char *name,
                               uint32_t *out_number) {
    static const char *const known[] = {"name",  "dtype",    "storage",
                                        "shape", "controls", "annotations"};
    tn_tensor_type type;
    TNI_TRY(check_members(json, known, 6));
    TNI_TRY(read_type(json, &type));
    return tn_graph_add_variable(graph, name, &type, out_number);
}

/* Adds the node with room for its inputs, which may refer to nodes that are not there yet. */
static tn_status read_operator(tn_graph *graph, const json_t *json, const char *name,
                               uint32_t *out_number) {
    static const char *const known[] = {"name",     "op",          "attributes", "inputs",
                                        "controls", "annotations", "subgraphs"};
    tn_option *attributes = NULL;
    uint32_t attribute_count, absent_count;
    tn_value *absent;
    TNI_TRY(check_members(json, known, 7));
    if (!json_is_string(json_object_get(json, "op"))) {
        return malformed("op", "a text");
    }
    TNI_TRY(read_options(graph, json_object_get(json, "attributes"), "attributes", &attributes,
                         &attribute_count));
    TNI_TRY(read_values(graph, json_object_get(json, "inputs"), "inputs", true, &absent,
                        &absent_count));
    for (uint32_t i = 0; i < absent_count; i++) {
        absent[i] = (tn_value){TN_NO_NODE, 0};
    }
    return tn_graph_add_node(graph, json_string_value(json_object_get(json, "op")), name,
                             attributes, attribute_count, absent, absent_count, out_number);
}

static tn_status read_node(tn_graph *graph, const json_t *json) {
    const char *name = json_string_value(json_object_get(json, "name"));
    if (name == NULL) {
        return malformed("name", "a text");
    }
    uint32_t number, annotation_count;
    tn_option *annotations = NULL;
    const bool is_variable = json_object_get(json, "op") == NULL;
    TNI_TRY(is_variable ? read_variable(graph, json, name, &number)
                        : read_operator(graph, json, name, &number));
    TNI_TRY(read_options(graph, json_object_get(json, "annotations"), "annotations", &annotations,
                         &annotation_count));
    for (uint32_t i = 0; i < annotation_count; i++) {
        TNI_TRY(tn_graph_annotate(graph, number, annotations[i].name, annotations[i].value));
    }
    return is_variable ? TN_OK : read_subgraphs(graph, number, json_object_get(json, "subgraphs"));
}

static tn_status link_node(tn_graph *graph, uint32_t number, const json_t *json) {
    const tni_node *node = graph->nodes[number];
    if (node->op != NULL) {
        tn_value *inputs;
        uint32_t count;
        TNI_TRY(
            read_values(graph, json_object_get(json, "inputs"), "inputs", true, &inputs, &count));
        for (uint32_t i = 0; i < count; i++) {
            if (inputs[i].node != TN_NO_NODE) {
                TNI_TRY(tni_in(tni_graph_check_value(graph, inputs[i]), "input %u", i));
            }
            TNI_TRY(tni_graph_connect(graph, number, i, inputs[i]));
        }
    }
    const json_t *controls = json_object_get(json, "controls");
    if (controls != NULL && !json_is_array(controls)) {
        return malformed("controls", "a list of nodes");
    }
    for (size_t i = 0; i < json_array_size(controls); i++) {
        uint32_t before;
        TNI_TRY(read_number(json_array_get(controls, i), "controls", &before));
        TNI_TRY(tn_graph_add_control(graph, number, before));
    }
    return TN_OK;
}

static tn_status read_output_names(tn_graph *graph, const json_t *json) {
    if (json != NULL && (!json_is_array(json) || json_array_size(json) != graph->output_count)) {
        return malformed("output_names", "a list with a text or null for each output");
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *name = json_array_get(json, i);
        if (!json_is_string(name) && !json_is_null(name)) {
            return malformed("output_names", "texts, or null");
        }
        TNI_TRY(tn_graph_name_output(graph, (uint32_t)i, json_string_value(name)));
    }
    return TN_OK;
}

static tn_status read_graph(tn_graph *graph, const json_t *json) {
    const json_t *nodes = json_object_get(json, "nodes");
    if (!json_is_array(nodes)) {
        return malformed("nodes", "a list");
    }
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        TNI_TRY(tni_in(read_node(graph, json_array_get(nodes, i)), "node %zu", i));
    }
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        TNI_TRY(tni_in(link_node(graph, (uint32_t)i, json_array_get(nodes, i)), "node '%s'",
                       graph->nodes[i]->name));
    }
    tni_graph_changed(graph);
    tn_value *outputs;
    uint32_t count;
    TNI_TRY(
        read_values(graph, json_object_get(json, "outputs"), "outputs", false, &outputs, &count));
    TNI_TRY(tn_graph_set_outputs(graph, outputs, count));
    return read_output_names(graph, json_object_get(json, "output_names"));
}

static tn_status read_root(tn_runtime *runtime, const json_t *root, tn_graph **out_graph,
                           char **out_parameters) {
    static const char *const known[] = {"tenon", "parameters", "nodes", "outputs", "output_names"};
    const json_t *version = json_object_get(root, "tenon");
    const json_t *parameters = json_object_get(root, "parameters");
    if (!json_is_integer(version) || json_integer_value(version) != TNI_JSON_VERSION) {
        return malformed("tenon", "the format's version, 1");
    }
    if (parameters != NULL && !json_is_string(parameters)) {
        return malformed("parameters", "a file name");
    }
    TNI_TRY(check_members(root, known, 5));
    char *name = NULL;
    if (parameters != NULL && out_parameters != NULL) {
        name = tni_copy_text(json_string_value(parameters));
        if (name == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    tn_graph *graph = NULL;
    tn_status status = tn_graph_create(runtime, &graph);
    if (status == TN_OK) {
        status = read_graph(graph, root);
    }
    if (status != TN_OK) {
        tn_graph_destroy(graph);
        tni_free(name);
        return status;
    }
    *out_graph = graph;
    if (out_parameters != NULL) {
        *out_parameters = name;
    }
    return TN_OK;
}

tn_status tni_graph_read_json(tn_runtime *runtime, const char *text, size_t size,
                              tn_graph **out_graph, char **out_parameters) {
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        const bool no_memory = json_error_code(&error) == json_error_out_of_memory;
        return tni_fail(no_memory ? TN_OUT_OF_MEMORY : TN_CORRUPT,
                        "graph JSON: line %d, column %d: %s", error.line, error.column, error.text);
    }
    const tn_status status = read_root(runtime, root, out_graph, out_parameters);
    json_decref(root);
    return tni_in(status, "graph JSON");
}

tn_status tn_graph_from_json(tn_runtime *runtime, const char *text, size_t size,
                             tn_graph **out_graph) {
    return tni_graph_read_json(runtime, text, size, out_graph, NULL);
}
