#include "apply_node.h"

static tn_status read_entry(const struct application *work, const json_t *entry, uint32_t *out_node,
                            uint32_t *out_output) {
    const json_t *node = json_array_get(entry, 0), *output = json_array_get(entry, 1);
    if (!json_is_integer(node) || !json_is_integer(output) || json_integer_value(node) < 0 ||
        json_integer_value(node) >= (json_int_t)work->count || json_integer_value(output) < 0 ||
        json_integer_value(output) > UINT16_MAX) {
        return tn_fail(work->host, TN_CORRUPT,
                       "an input or head is not [node, output] of one of the %u nodes",
                       (unsigned)work->count);
    }
    *out_node = (uint32_t)json_integer_value(node);
    *out_output = (uint32_t)json_integer_value(output);
    return TN_OK;
}

static tn_status check_nodes(const struct application *work) {
    for (uint32_t i = 0; i < work->count; i++) {
        const json_t *node = json_array_get(work->nodes, i);
        if (text_of(node, "op") == NULL || text_of(node, "name") == NULL ||
            text_of(node, "name")[0] == '\0' || !json_is_array(inputs_of(node))) {
            return tn_fail(work->host, TN_CORRUPT, "node %u has no op, no name or no inputs",
                           (unsigned)i);
        }
    }
    return TN_OK;
}

static tn_tensor *find_parameter(const struct application *work, const char *name) {
    for (uint32_t i = work->parameter_count; i-- > 0;) { /* the last counts */
        if (strcmp(work->parameters[i].name, name) == 0) {
            return work->parameters[i].tensor;
        }
    }
    return NULL;
}

/* A name that is free, for a node whose own another takes. */
static tn_status move_aside(const struct application *work, uint32_t node, const char *name) {
    char other[512];
    for (unsigned number = 0;; number++) {
        snprintf(other, sizeof other, "%.480s_before%u", name, number);
        if (work->graphs->find_node(work->host, work->graph, other) == TN_NO_NODE) {
            return work->graphs->rename(work->host, work->graph, node, other);
        }
    }
}

static tn_status build_variable(const struct application *work, const char *name, uint32_t found,
                                uint32_t *out_node) {
    tn_tensor *tensor = find_parameter(work, name);
    if (found == TN_NO_NODE) {
        return tensor != NULL
                   ? work->graphs->add_parameter(work->host, work->graph, name, tensor, out_node)
                   : work->graphs->add_variable(work->host, work->graph, name, NULL, out_node);
    }
    *out_node = found;
    return tensor != NULL ? work->graphs->set_variable(work->host, work->graph, found, NULL, tensor)
                          : TN_OK;
}

static tn_status apply_text(const struct application *shared, tn_graph *graph, const json_t *root);

/* The graphs that the node holds made what the text says of them, if anything. */
static tn_status apply_subgraphs(const struct application *work, const json_t *node,
                                 uint32_t built) {
    const json_t *texts = json_object_get(node, "subgraphs");
    for (uint32_t i = 0; i < json_array_size(texts); i++) {
        tn_node_info info;
        tn_graph *subgraph;
        TN_TRY(node_info(work, built, &info));
        if (i < info.subgraph_count) {
            subgraph = info.subgraphs[i];
        } else {
            TN_TRY(work->graphs->add_subgraph(work->host, work->graph, built, &subgraph));
        }
        TN_TRY(apply_text(work, subgraph, json_array_get(texts, i)));
    }
    return TN_OK;
}

static tn_status build_node(struct application *work, uint32_t index) {
    const json_t *node = json_array_get(work->nodes, index);
    const char *name = text_of(node, "name");
    const uint32_t old = work->graphs->find_node(work->host, work->graph, name);
    uint32_t found = old;
    int stays;
    if (found != TN_NO_NODE && (found >= work->old_count || work->is_kept[found])) {
        return tn_fail(work->host, TN_CORRUPT, "the name '%.80s' is there twice", name);
    }
    TN_TRY(apply_to_node(work, node, found, &stays));
    if (stays) {
        work->is_kept[found] = 1;
    } else if (found != TN_NO_NODE) {
        TN_TRY(move_aside(work, found, name));
        found = TN_NO_NODE;
    }
    if (is_variable(node)) {
        TN_TRY(build_variable(work, name, found, &work->built[index]));
    } else if (found != TN_NO_NODE) {
        work->built[index] = found;
    } else {
        TN_TRY(add_node_of(work, node, old, &work->built[index]));
    }
    TN_TRY(apply_subgraphs(work, node, work->built[index]));
    return annotate(work, node, old, work->built[index]);
}

static tn_status connect_node(const struct application *work, uint32_t index) {
    const json_t *inputs = inputs_of(json_array_get(work->nodes, index));
    const uint32_t count = (uint32_t)json_array_size(inputs);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node, output;
        tn_node_info info;
        TN_TRY(read_entry(work, json_array_get(inputs, i), &node, &output));
        TN_TRY(node_info(work, work->built[index], &info));
        const tn_value value = {work->built[node], output};
        if (i >= info.input_count || info.inputs[i].node != value.node ||
            info.inputs[i].output != value.output) {
            TN_TRY(work->graphs->set_input(work->host, work->graph, work->built[index], i, value));
        }
    }
    return TN_OK;
}

/* Outputs are known outside by the names of their nodes: whoever makes one now takes its name. */
static tn_status keep_output_name(const struct application *work, const char *name, uint32_t node) {
    tn_node_info info;
    const uint32_t holder = work->graphs->find_node(work->host, work->graph, name);
    TN_TRY(node_info(work, node, &info));
    if (holder == node || info.op == NULL) {
        return TN_OK; /* what the host thinks of a variable as an output, it says itself */
    }
    if (holder != TN_NO_NODE) {
        TN_TRY(move_aside(work, holder, name));
    }
    return work->graphs->rename(work->host, work->graph, node, name);
}

static tn_status set_outputs(const struct application *work, tn_value *outputs) {
    const json_t *heads = json_object_get(work->root, "heads");
    const uint32_t count = (uint32_t)json_array_size(heads);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node;
        TN_TRY(read_entry(work, json_array_get(heads, i), &node, &outputs[i].output));
        outputs[i].node = work->built[node];
    }
    TN_TRY(work->graphs->set_outputs(work->host, work->graph, outputs, count));
    for (uint32_t i = 0; i < work->output_count && i < count; i++) {
        if (work->output_names[i] != NULL) {
            TN_TRY(keep_output_name(work, work->output_names[i], outputs[i].node));
        }
    }
    return TN_OK;
}

/* What the text does not name, and nothing uses any more. */
static void remove_others(const struct application *work) {
    int has_removed = 1;
    while (has_removed) {
        has_removed = 0;
        for (uint32_t i = work->old_count; i-- > 0;) {
            const tn_use *uses;
            uint32_t count;
            if (!work->is_kept[i] &&
                work->graphs->uses(work->host, work->graph, i, &uses, &count) == TN_OK &&
                count == 0 && work->graphs->remove_node(work->host, work->graph, i) == TN_OK) {
                work->is_kept[i] = 1;
                has_removed = 1;
            }
        }
    }
}

static tn_status apply(struct application *work, tn_value *outputs) {
    TN_TRY(check_nodes(work));
    for (uint32_t i = 0; i < work->count; i++) {
        TN_TRY(build_node(work, i));
    }
    for (uint32_t i = 0; i < work->count; i++) {
        TN_TRY(connect_node(work, i));
    }
    TN_TRY(set_outputs(work, outputs));
    remove_others(work);
    return TN_OK;
}

/* The names of the nodes that make the outputs; NULL for a variable. They live in the graph. */
static tn_status note_output_names(const struct application *work) {
    uint32_t count;
    const tn_value *outputs = work->graphs->outputs(work->host, work->graph, &count);
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info;
        TN_TRY(node_info(work, outputs[i].node, &info));
        work->output_names[i] = info.op != NULL ? info.name : NULL;
    }
    return TN_OK;
}

/* Checks the lists of the text and makes room for what belongs to each of their items. */
static tn_status apply_root(struct application *work) {
    const tn_host *host = work->host;
    const json_t *heads = json_object_get(work->root, "heads");
    work->nodes = json_object_get(work->root, "nodes");
    if (!json_is_array(work->nodes) || !json_is_array(heads) || json_array_size(heads) == 0) {
        return tn_fail(host, TN_CORRUPT, "it has no lists of nodes and heads");
    }
    work->graphs->outputs(host, work->graph, &work->output_count);
    work->count = (uint32_t)json_array_size(work->nodes);
    work->old_count = work->graphs->node_count(host, work->graph);
    const size_t head_count = json_array_size(heads);
    const size_t room = (work->output_count + 1) * sizeof *work->output_names +
                        (head_count + 1) * sizeof(tn_value) +
                        (size_t)work->count * sizeof(uint32_t) + work->old_count;
    work->output_names = TN_SERVICE(host, memory)->allocate(host, room);
    if (work->output_names == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the text of a graph");
    }
    tn_value *outputs = (tn_value *)(work->output_names + work->output_count + 1);
    work->built = (uint32_t *)(outputs + head_count + 1);
    work->is_kept = (char *)(work->built + work->count);
    memset(work->is_kept, 0, work->old_count);
    for (uint32_t i = 0; i < work->count; i++) {
        work->built[i] = TN_NO_NODE;
    }
    tn_status status = note_output_names(work);
    if (status == TN_OK) {
        status = apply(work, outputs);
    }
    TN_SERVICE(host, memory)->free(host, work->output_names);
    return status;
}

static tn_status apply_text(const struct application *shared, tn_graph *graph, const json_t *root) {
    struct application work = {.host = shared->host,
                               .graphs = shared->graphs,
                               .graph = graph,
                               .root = root,
                               .parameters = shared->parameters,
                               .parameter_count = shared->parameter_count};
    return apply_root(&work);
}

tn_status graph_apply(const tn_host *host, tn_graph *graph, const char *text, size_t size,
                      const struct new_parameter *parameters, uint32_t parameter_count) {
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_DISABLE_EOF_CHECK, &error);
    if (root == NULL) {
        return tn_fail(host, TN_CORRUPT, "its JSON has a fault at line %d, column %d: %s",
                       error.line, error.column, error.text);
    }
    const struct application shared = {.host = host,
                                       .graphs = TN_SERVICE(host, graph),
                                       .parameters = parameters,
                                       .parameter_count = parameter_count};
    const tn_status status = apply_text(&shared, graph, root);
    json_decref(root);
    return status;
}
