/* Building the subgraph of a cluster, having it reviewed, and putting a node in its place. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/partition.h"

/* One input of the subgraph that is being built. */
typedef struct cut_input {
    tn_value value; /* in the graph */
    tn_tensor_type type;
    uint32_t next; /* another input from the same node; TN_NO_NODE: none */
} cut_input;

typedef struct cut_work {
    tni_partition *partition;
    tn_graph *graph;
    uint32_t cluster;
    uint32_t accepted; /* so far in the strategy */
    uint32_t *numbers; /* by node of the cluster: its number in the subgraph */
    /* By node that the cluster reads: the last input from it, and of which cluster that is. */
    uint32_t *last_input, *last_cluster;

    /* Of one cluster; kept to be used again. */
    cut_input *inputs;
    uint32_t input_count, input_capacity;
    tn_value *outputs;
    uint32_t output_count, output_capacity;
    tn_value *values; /* of one node */
    uint32_t value_capacity;

    tn_option *attributes; /* those that review set, in `texts` */
    uint32_t attribute_count, attribute_capacity;
    tni_arena texts;
} cut_work;

static bool is_inside(const cut_work *work, uint32_t node) {
    return node < work->partition->node_count && work->partition->cluster_of[node] == work->cluster;
}

static tn_tensor_type type_of(const tn_graph *graph, tn_value value) {
    return graph->types != NULL && value.node < graph->typed_count
               ? graph->types[value.node][value.output]
               : tni_type_unknown();
}

/* The input that a value of the graph is; a new one unless there is one already. */
static tn_status input_of(cut_work *work, tn_value value, uint32_t *out_input) {
    const bool is_known = work->last_cluster[value.node] == work->cluster + 1;
    uint32_t input = is_known ? work->last_input[value.node] : TN_NO_NODE;
    while (work->partition->dedup && input != TN_NO_NODE &&
           work->inputs[input].value.output != value.output) {
        input = work->inputs[input].next;
    }
    if (!work->partition->dedup || input == TN_NO_NODE) {
        void *inputs = work->inputs;
        TNI_TRY(tni_grow(&inputs, &work->input_capacity, work->input_count + 1, sizeof(cut_input)));
        work->inputs = inputs;
        input = work->input_count++;
        work->inputs[input] = (cut_input){value, type_of(work->graph, value),
                                          is_known ? work->last_input[value.node] : TN_NO_NODE};
        work->last_input[value.node] = input;
        work->last_cluster[value.node] = work->cluster + 1;
    }
    *out_input = input;
    return TN_OK;
}

static tn_status find_inputs(cut_work *work, const tni_cluster *cluster) {
    work->input_count = 0;
    for (uint32_t i = 0; i < cluster->count; i++) {
        const tni_node *node = work->graph->nodes[work->partition->members[cluster->first + i]];
        for (uint32_t j = 0; j < node->input_count; j++) {
            uint32_t input;
            if (node->inputs[j].node != TN_NO_NODE && !is_inside(work, node->inputs[j].node)) {
                TNI_TRY(input_of(work, node->inputs[j], &input));
            }
        }
    }
    return TN_OK;
}

static bool is_read_outside(const cut_work *work, const tni_node *node, uint32_t output) {
    for (uint32_t i = 0; i < node->use_count; i++) {
        if (node->uses[i].output == output && !is_inside(work, node->uses[i].node)) {
            return true;
        }
    }
    return false;
}

static tn_status find_outputs(cut_work *work, const tni_cluster *cluster) {
    work->output_count = 0;
    for (uint32_t i = 0; i < cluster->count; i++) {
        const uint32_t number = work->partition->members[cluster->first + i];
        const tni_node *node = work->graph->nodes[number];
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (!is_read_outside(work, node, j)) {
                continue;
            }
            void *outputs = work->outputs;
            TNI_TRY(tni_grow(&outputs, &work->output_capacity, work->output_count + 1,
                             sizeof(tn_value)));
            work->outputs = outputs;
            work->outputs[work->output_count++] = (tn_value){number, j};
        }
    }
    return TN_OK;
}

/* A variable with the name of what it stands for; a number behind it where that is taken, here or
 * by a node that may come in. */
static tn_status add_input_variable(const cut_work *work, tn_graph *subgraph, tn_value value) {
    char name[600];
    uint32_t number;
    const char *base = tn_graph_value_name(work->graph, value);
    const int length = snprintf(name, sizeof name, "%.500s", base);
    for (unsigned i = 0;; i++) {
        const uint32_t taken = tn_graph_find_node(work->graph, name);
        if ((taken == TN_NO_NODE || taken == value.node) &&
            tn_graph_find_node(subgraph, name) == TN_NO_NODE) {
            return tn_graph_add_variable(subgraph, name, NULL, &number);
        }
        snprintf(name + length, sizeof name - (size_t)length, "%u", i);
    }
}

/* The node's inputs inside. With an input for each use, `next_use` counts them. */
static tn_status connect_node(cut_work *work, tn_graph *subgraph, uint32_t number,
                              uint32_t *next_use) {
    const tni_node *node = work->graph->nodes[number];
    for (uint32_t j = 0; j < node->input_count; j++) {
        const tn_value value = node->inputs[j];
        tn_value inner = {TN_NO_NODE, 0};
        if (value.node != TN_NO_NODE && is_inside(work, value.node)) {
            inner = (tn_value){work->numbers[value.node], value.output};
        } else if (value.node != TN_NO_NODE && work->partition->dedup) {
            TNI_TRY(input_of(work, value, &inner.node));
        } else if (value.node != TN_NO_NODE) {
            inner.node = (*next_use)++;
        }
        TNI_TRY(tni_graph_connect(subgraph, work->numbers[number], j, inner));
    }
    return TN_OK;
}

static tn_status fill_subgraph(cut_work *work, const tni_cluster *cluster, tn_graph *subgraph) {
    uint32_t next_use = 0;
    for (uint32_t i = 0; i < work->input_count; i++) {
        TNI_TRY(add_input_variable(work, subgraph, work->inputs[i].value));
    }
    for (uint32_t i = 0; i < cluster->count; i++) {
        const uint32_t number = work->partition->members[cluster->first + i];
        work->numbers[number] = subgraph->node_count;
        TNI_TRY(tni_graph_clone_node(work->graph->nodes[number], subgraph));
        TNI_TRY(connect_node(work, subgraph, number, &next_use));
    }
    void *values = work->values;
    TNI_TRY(tni_grow(&values, &work->value_capacity, work->output_count, sizeof(tn_value)));
    work->values = values;
    for (uint32_t i = 0; i < work->output_count; i++) {
        work->values[i] = (tn_value){work->numbers[work->outputs[i].node], work->outputs[i].output};
    }
    return tn_graph_set_outputs(subgraph, work->values, work->output_count);
}

static tn_status infer_subgraph(const cut_work *work, tn_graph *subgraph) {
    tn_tensor_type *types = tni_allocate(work->input_count, sizeof *types);
    if (types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < work->input_count; i++) {
        types[i] = work->inputs[i].type;
    }
    const tn_status status = tni_graph_infer_variables(subgraph, types, NULL);
    tni_free(types);
    return status;
}

static tn_status set_attribute(tn_review_call *call, const char *name, const char *value) {
    cut_work *work = call->context;
    void *attributes = work->attributes;
    if (name == NULL || value == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "an attribute has a name and a value");
    }
    TNI_TRY(tni_grow(&attributes, &work->attribute_capacity, work->attribute_count + 1,
                     sizeof(tn_option)));
    work->attributes = attributes;
    const tn_option option = {tni_arena_text(&work->texts, name),
                              tni_arena_text(&work->texts, value)};
    if (option.name == NULL || option.value == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    work->attributes[work->attribute_count++] = option;
    return TN_OK;
}

static tn_status list_input_values(cut_work *work) {
    void *values = work->values;
    TNI_TRY(tni_grow(&values, &work->value_capacity, work->input_count, sizeof(tn_value)));
    work->values = values;
    for (uint32_t i = 0; i < work->input_count; i++) {
        work->values[i] = work->inputs[i].value;
    }
    return TN_OK;
}

static tn_status review(cut_work *work, tn_graph *subgraph, bool *out_accepted) {
    const tni_partition *partition = work->partition;
    *out_accepted = true;
    if (partition->strategy->review == NULL) {
        return TN_OK;
    }
    tn_review_call call = {.struct_size = TN_STRUCT_END(tn_review_call, context),
                           .given_count = partition->given_count,
                           .host = &partition->entry->plugin->host,
                           .strategy = partition->strategy,
                           .options = partition->options,
                           .given = partition->given,
                           .graph = work->graph,
                           .subgraph = subgraph,
                           .inputs = work->values,
                           .outputs = work->outputs,
                           .input_count = work->input_count,
                           .output_count = work->output_count,
                           .index = work->cluster,
                           .accept = 1,
                           .set_attribute = set_attribute,
                           .context = work};
    tni_error_clear();
    TNI_TRY(tni_in(tni_error_complete(partition->strategy->review(&call)), "review"));
    *out_accepted = call.accept != 0;
    return TN_OK;
}

static tn_status check_op(const cut_work *work, const char *op) {
    const tni_entry *entry = tni_registry_find(work->graph->runtime, TN_KIND_OP, op);
    if (entry == NULL) {
        return tni_fail(TN_NOT_FOUND,
                        "no plugin offers the operator %s, which is to compute its "
                        "subgraphs; load one that does",
                        op);
    }
    const tn_op *impl = entry->entry->impl;
    return (impl->flags & TN_OP_SUBGRAPH) != 0
               ? TN_OK
               : tni_fail(TN_INVALID_ARGUMENT,
                          "the operator %s does not stand for a subgraph (TN_OP_SUBGRAPH)", op);
}

static void make_name(const cut_work *work, char *name, size_t size) {
    const char *stem = work->partition->strategy->name;
    snprintf(name, size, "%.200s%u", stem, work->accepted);
    for (unsigned i = 0; tn_graph_find_node(work->graph, name) != TN_NO_NODE; i++) {
        snprintf(name, size, "%.200s%u_%u", stem, work->accepted, i);
    }
}

/* What is known of the values that the node replaces is known of its own. */
static tn_status note_types(const cut_work *work, uint32_t number) {
    tn_graph *graph = work->graph;
    if (graph->types == NULL) {
        return TN_OK;
    }
    const uint32_t count = graph->nodes[number]->output_count;
    tn_tensor_type *types = tni_arena_allocate(&graph->types_arena, count, sizeof *types);
    if (types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = i < work->output_count ? type_of(graph, work->outputs[i]) : tni_type_unknown();
    }
    graph->types[number] = types;
    graph->typed_count = number + 1;
    return TN_OK;
}

/* The nodes go, the last first. */
static tn_status remove_members(const cut_work *work, const tni_cluster *cluster) {
    for (uint32_t i = cluster->count; i-- > 0;) {
        TNI_TRY(tn_graph_remove_node(work->graph, work->partition->members[cluster->first + i]));
    }
    return TN_OK;
}

/* Takes `subgraph` over where it succeeds. */
static tn_status add_subgraph_node(const cut_work *work, const char *op, tn_graph *subgraph) {
    char name[256];
    uint32_t number;
    make_name(work, name, sizeof name);
    TNI_TRY(tn_graph_add_node(work->graph, op, name, work->attributes, work->attribute_count,
                              work->values, work->input_count, &number));
    TNI_TRY(tni_graph_give_subgraph(work->graph, number, subgraph));
    return note_types(work, number);
}

static tn_status replace_uses(const cut_work *work, uint32_t number) {
    for (uint32_t i = 0; i < work->output_count; i++) {
        TNI_TRY(tn_graph_replace_uses(work->graph, work->outputs[i], (tn_value){number, i}));
    }
    return TN_OK;
}

static tn_status cut_cluster(cut_work *work, const tni_cluster *cluster, const char *op) {
    tn_graph *subgraph;
    bool accepted = false;
    tni_arena_finish(&work->texts);
    work->attribute_count = 0;
    TNI_TRY(find_inputs(work, cluster));
    TNI_TRY(find_outputs(work, cluster));
    TNI_TRY(tni_graph_create_subgraph(work->graph, &subgraph));
    tn_status status = fill_subgraph(work, cluster, subgraph);
    if (status == TN_OK) {
        status = infer_subgraph(work, subgraph);
    }
    if (status == TN_OK) {
        status = list_input_values(work);
    }
    if (status == TN_OK) {
        status = review(work, subgraph, &accepted);
    }
    if (status == TN_OK && accepted) {
        status = add_subgraph_node(work, op, subgraph);
    }
    if (subgraph->parent == NULL) {
        tn_graph_destroy(subgraph);
    }
    if (status != TN_OK || !accepted) {
        return status;
    }
    work->accepted++;
    TNI_TRY(replace_uses(work, work->graph->node_count - 1));
    return remove_members(work, cluster);
}

/* Room in graph->types for the nodes that come. */
static tn_status make_type_room(tn_graph *graph, uint32_t more) {
    tn_tensor_type **types = tni_arena_allocate(
        &graph->types_arena, (size_t)graph->node_count + more, sizeof(tn_tensor_type *));
    if (types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(types, graph->types, graph->typed_count * sizeof *types);
    graph->types = types;
    return TN_OK;
}

static tn_status cut_all(cut_work *work) {
    tni_partition *partition = work->partition;
    const char *op = partition->strategy->subgraph_op;
    op = op == NULL ? "subgraph" : op;
    TNI_TRY(check_op(work, op));
    TNI_TRY(make_type_room(work->graph, partition->cluster_count));
    for (uint32_t i = 0; i < partition->cluster_count; i++) {
        const tni_cluster *cluster = &partition->clusters[i];
        if (cluster->count >= partition->min_nodes) {
            work->cluster = i;
            TNI_TRY(tni_in(cut_cluster(work, cluster, op), "subgraph at node '%s'",
                           work->graph->nodes[partition->members[cluster->first]]->name));
        }
    }
    return TN_OK;
}

tn_status tni_partition_cut(tni_partition *partition) {
    cut_work work = {.partition = partition, .graph = partition->graph};
    const uint32_t count = partition->node_count + partition->cluster_count;
    if (partition->cluster_count == 0) {
        return TN_OK;
    }
    work.numbers = tni_arena_allocate(&partition->arena, count, sizeof *work.numbers);
    work.last_input = tni_arena_allocate(&partition->arena, count, sizeof *work.last_input);
    work.last_cluster = tni_arena_allocate(&partition->arena, count, sizeof *work.last_cluster);
    const tn_status status =
        work.numbers == NULL || work.last_input == NULL || work.last_cluster == NULL
            ? TN_OUT_OF_MEMORY
            : cut_all(&work);
    tni_free(work.inputs);
    tni_free(work.outputs);
    tni_free(work.values);
    tni_free(work.attributes);
    tni_arena_finish(&work.texts);
    return status;
}
