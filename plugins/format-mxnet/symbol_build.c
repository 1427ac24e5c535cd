/* Builds a graph from a checked symbol file. */
#include "order.h"
#include "symbol.h"
#include "upgrade.h"
#include "variable_type.h"

/* The work on one graph object; a subgraph has a builder of its own. */
struct builder {
    const tn_host *host;
    const struct symbol_file *file;
    const json_t *source;
    tn_graph *graph;
    struct upgrade upgrade;
    uint32_t *order;
    uint32_t *built;    /* the host's number of each node of the file */
    tn_value *values;   /* room for the inputs of any node, and for the heads */
    tn_option *options; /* room for the attributes of any node */
};

static tn_status build_graph(const tn_host *host, const struct symbol_file *file,
                             const json_t *source, tn_graph *graph);

/* Inputs, then control dependencies; for TN_NO_NODE the heads. */
static uint32_t needs(const void *context, uint32_t node, uint32_t index) {
    const json_t *source = (const json_t *)context;
    if (node == TN_NO_NODE) {
        const json_t *heads = json_object_get(source, "heads");
        return index < json_array_size(heads) ? symbol_entry(heads, index).node : TN_NO_NODE;
    }
    const json_t *inputs = json_object_get(symbol_node(source, node), "inputs");
    const size_t input_count = json_array_size(inputs);
    if (index < input_count) {
        return symbol_entry(inputs, index).node;
    }
    const json_t *controls = json_object_get(symbol_node(source, node), "control_deps");
    const json_t *control = json_array_get(controls, index - input_count);
    return control != NULL ? (uint32_t)json_integer_value(control) : TN_NO_NODE;
}

/* The host's values for a list of entries, in builder->values. */
static uint32_t translate_entries(const struct builder *builder, const json_t *entries) {
    const uint32_t count = (uint32_t)json_array_size(entries);
    for (uint32_t i = 0; i < count; i++) {
        const tn_value entry = symbol_entry(entries, i);
        builder->values[i] = (tn_value){builder->built[entry.node], entry.output};
    }
    return count;
}

static tn_status declared_type(const struct builder *builder, const char *variable,
                               const json_t *attributes, tn_tensor_type *out_type) {
    const tn_host *host = builder->host;
    const char *shape = json_string_value(json_object_get(attributes, SHAPE_ATTRIBUTE));
    const char *dtype = json_string_value(json_object_get(attributes, DTYPE_ATTRIBUTE));
    const char *storage = json_string_value(json_object_get(attributes, STORAGE_ATTRIBUTE));
    *out_type = (tn_tensor_type){0, TN_STORAGE_UNKNOWN, tn_shape_unknown()};
    if (shape != NULL) {
        TN_TRY(
            shape_from_text(host, variable, shape, builder->file->numpy_shapes, &out_type->shape));
    }
    if (storage != NULL) {
        TN_TRY(storage_from_text(host, variable, storage, &out_type->storage));
    }
    return dtype != NULL ? dtype_from_text(host, variable, dtype, &out_type->dtype) : TN_OK;
}

static int is_taken(const struct builder *builder, const char *name) {
    return TN_SERVICE(builder->host, graph)->find_node(builder->host, builder->graph, name) !=
           TN_NO_NODE;
}

static tn_status build_variable(const struct builder *builder, uint32_t index, const json_t *node,
                                uint32_t *out_node) {
    const tn_host *host = builder->host;
    const char *variable = json_string_value(json_object_get(node, "name"));
    json_t *attributes = symbol_attributes(node);
    tn_tensor_type type;
    if (is_taken(builder, variable)) {
        return tn_fail(host, TN_CORRUPT, "node %u: the name '%.80s' of a variable is there twice",
                       (unsigned)index, variable);
    }
    TN_TRY(declared_type(builder, variable, attributes, &type));
    TN_TRY(TN_SERVICE(host, graph)->add_variable(host, builder->graph, variable, &type, out_node));
    const char *name;
    json_t *value;
    json_object_foreach(attributes, name, value) {
        if (strcmp(name, SHAPE_ATTRIBUTE) != 0 && strcmp(name, DTYPE_ATTRIBUTE) != 0 &&
            strcmp(name, STORAGE_ATTRIBUTE) != 0) {
            TN_TRY(upgrade_annotate_variable(&builder->upgrade, *out_node, name,
                                             json_string_value(value)));
        }
    }
    return TN_OK;
}

/* Files before 0.9 keep the operator's attributes in `param` and the user's in `attr`; later ones
 * have both in one dictionary. */
static int is_operator_attribute(const json_t *parameters, const char *name) {
    return !upgrade_is_annotation(name) &&
           (parameters == NULL || json_object_get(parameters, name) != NULL);
}

/* The operator's own attributes, in builder->options. */
static uint32_t collect_options(const struct builder *builder, const json_t *node) {
    const char *op = json_string_value(json_object_get(node, "op"));
    json_t *attributes = symbol_attributes(node), *parameters = json_object_get(node, "param");
    uint32_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach(attributes, name, value) {
        if (is_operator_attribute(parameters, name)) {
            builder->options[count++] = (tn_option){name, json_string_value(value)};
        }
    }
    json_object_foreach(parameters, name, value) {
        if (json_object_get(attributes, name) == NULL) {
            builder->options[count++] = (tn_option){name, json_string_value(value)};
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tn_option option = builder->options[i];
        if (!upgrade_drops(builder->file->version, op, option.name, option.value)) {
            builder->options[kept++] = option;
        }
    }
    return kept;
}

static tn_status annotate(const struct builder *builder, const json_t *node, uint32_t built) {
    json_t *attributes = symbol_attributes(node), *parameters = json_object_get(node, "param");
    const char *name;
    json_t *value;
    json_object_foreach(attributes, name, value) {
        if (!is_operator_attribute(parameters, name)) {
            TN_TRY(upgrade_annotate_operator(&builder->upgrade, built, name,
                                             json_string_value(value)));
        }
    }
    return TN_OK;
}

static tn_status build_attachments(const struct builder *builder, const json_t *node,
                                   uint32_t built) {
    const tn_host *host = builder->host;
    const json_t *controls = json_object_get(node, "control_deps");
    for (size_t i = 0; i < json_array_size(controls); i++) {
        const uint32_t before = builder->built[json_integer_value(json_array_get(controls, i))];
        TN_TRY(TN_SERVICE(host, graph)->add_control(host, builder->graph, built, before));
    }
    const json_t *subgraphs = json_object_get(node, "subgraphs");
    for (size_t i = 0; i < json_array_size(subgraphs); i++) {
        tn_graph *subgraph;
        TN_TRY(TN_SERVICE(host, graph)->add_subgraph(host, builder->graph, built, &subgraph));
        TN_TRY(build_graph(host, builder->file, json_array_get(subgraphs, i), subgraph));
    }
    return TN_OK;
}

/* MXNet lets operator nodes share a name, but here names are unique: a later one gets its number
 * in the file appended. NULL when there is no name. */
static const char *unique_name(const struct builder *builder, uint32_t index, const char *name,
                               char *buffer, size_t size) {
    if (name[0] == '\0') {
        return NULL;
    }
    if (!is_taken(builder, name)) {
        return name;
    }
    snprintf(buffer, size, "%.200s_%u", name, (unsigned)index);
    tn_log(builder->host, TN_LOG_DEBUG, "a second node is named '%.200s': it is '%s' here", name,
           buffer);
    return buffer;
}

static tn_status build_operator(const struct builder *builder, uint32_t index, const json_t *node,
                                uint32_t *out_node) {
    const tn_host *host = builder->host;
    char buffer[256];
    const char *name = unique_name(builder, index, json_string_value(json_object_get(node, "name")),
                                   buffer, sizeof buffer);
    const uint32_t option_count = collect_options(builder, node);
    const uint32_t input_count = translate_entries(builder, json_object_get(node, "inputs"));
    uint32_t built;
    TN_TRY(TN_SERVICE(host, graph)
               ->add_node(host, builder->graph, json_string_value(json_object_get(node, "op")),
                          name, builder->options, option_count, builder->values, input_count,
                          &built));
    TN_TRY(annotate(builder, node, built));
    TN_TRY(build_attachments(builder, node, built));
    *out_node = built;
    return upgrade_inputs(&builder->upgrade, built);
}

static tn_status build_nodes(const struct builder *builder) {
    const uint32_t node_count = symbol_node_count(builder->source);
    uint32_t needed;
    TN_TRY(order_nodes(builder->host, node_count, needs, builder->source, builder->order, &needed));
    if (needed < node_count) {
        tn_log(builder->host, TN_LOG_DEBUG, "%u nodes that no output needs are left out",
               (unsigned)(node_count - needed));
    }
    for (uint32_t i = 0; i < needed; i++) {
        const uint32_t index = builder->order[i];
        const json_t *node = symbol_node(builder->source, index);
        TN_TRY(symbol_is_variable(node)
                   ? build_variable(builder, index, node, &builder->built[index])
                   : build_operator(builder, index, node, &builder->built[index]));
    }
    const uint32_t head_count =
        translate_entries(builder, json_object_get(builder->source, "heads"));
    return TN_SERVICE(builder->host, graph)
        ->set_outputs(builder->host, builder->graph, builder->values, head_count);
}

/* Room for the largest node, so that the loop over nodes allocates nothing. */
static tn_status allocate_scratch(struct builder *builder, void **out_scratch) {
    const uint32_t node_count = symbol_node_count(builder->source);
    size_t values = json_array_size(json_object_get(builder->source, "heads")), options = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        const json_t *node = symbol_node(builder->source, i);
        const size_t inputs = json_array_size(json_object_get(node, "inputs"));
        const size_t attributes = json_object_size(symbol_attributes(node)) +
                                  json_object_size(json_object_get(node, "param"));
        values = inputs > values ? inputs : values;
        options = attributes > options ? attributes : options;
    }
    const uint64_t bytes = options * sizeof(tn_option) + values * sizeof(tn_value) +
                           (uint64_t)node_count * 2 * sizeof(uint32_t);
    TN_TRY(tn_allocate(builder->host, bytes, 1, out_scratch));
    builder->options = *out_scratch;
    builder->values = (tn_value *)(builder->options + options);
    builder->order = (uint32_t *)(builder->values + values);
    builder->built = builder->order + node_count;
    return TN_OK;
}

static tn_status build_graph(const tn_host *host, const struct symbol_file *file,
                             const json_t *source, tn_graph *graph) {
    struct builder builder = {.host = host,
                              .file = file,
                              .source = source,
                              .graph = graph,
                              .upgrade = {host, graph, file->version}};
    void *scratch;
    TN_TRY(allocate_scratch(&builder, &scratch));
    const tn_status status = build_nodes(&builder);
    tn_free(host, scratch);
    return status;
}

tn_status symbol_build(const tn_host *host, const struct symbol_file *file, tn_graph *graph) {
    return build_graph(host, file, file->root, graph);
}
