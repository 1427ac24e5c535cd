/*
 * Reverse-mode differentiation: walks the graph backwards, lets each operator add the nodes of its
 * gradient, and sums what flows into one value from several users.
 */
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

typedef struct backward {
    tn_graph *graph;
    const uint32_t *order; /* the forward nodes only */
    uint32_t count;
    uint32_t forward_nodes;
    tn_value **gradients;      /* by forward node, by output; TN_NO_NODE: nothing flowed yet */
    unsigned char *is_reached; /* by forward node: depends on a variable asked for */
    tni_arena arena;
} backward;

static const tn_value no_value = {TN_NO_NODE, 0};

static tn_status accumulate(backward *work, tn_value target, tn_value flow) {
    tn_value *sum = &work->gradients[target.node][target.output];
    if (sum->node == TN_NO_NODE) {
        *sum = flow;
        return TN_OK;
    }
    const tn_value inputs[] = {*sum, flow};
    uint32_t node;
    TNI_TRY(tn_graph_add_node(work->graph, "elemwise_add", NULL, NULL, 0, inputs, 2, &node));
    *sum = (tn_value){node, 0};
    return TN_OK;
}

static tn_status differentiate(backward *work, uint32_t number) {
    const tni_node *node = work->graph->nodes[number];
    const uint32_t input_count = node->input_count;
    if (node->op->gradient == NULL) {
        return tni_fail(TN_UNSUPPORTED, "it has no gradient");
    }
    tn_value *outputs = tni_arena_allocate(&work->arena, node->output_count, sizeof *outputs);
    tn_value *results = tni_arena_allocate(&work->arena, input_count, sizeof *results);
    tn_value *inputs = tni_arena_allocate(&work->arena, input_count, sizeof *inputs);
    if (outputs == NULL || results == NULL || inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = (tn_value){number, i};
    }
    for (uint32_t i = 0; i < input_count; i++) {
        results[i] = no_value;
        inputs[i] = node->inputs[i];
    }
    tn_gradient_call call = {.struct_size = sizeof call,
                             .input_count = input_count,
                             .output_count = node->output_count,
                             .node = number,
                             .host = &node->entry->plugin->host,
                             .attributes = node->parsed,
                             .graph = work->graph,
                             .inputs = inputs,
                             .outputs = outputs,
                             .output_gradients = work->gradients[number],
                             .input_gradients = results,
                             .op = node->op};
    tni_error_clear();
    TNI_TRY(tni_error_complete(node->op->gradient(&call)));
    for (uint32_t i = 0; i < input_count; i++) {
        if (results[i].node == TN_NO_NODE || inputs[i].node == TN_NO_NODE) {
            continue;
        }
        TNI_TRY(tni_in(tni_graph_check_value(work->graph, results[i]), "gradient of input %u", i));
        TNI_TRY(accumulate(work, inputs[i], results[i]));
    }
    return TN_OK;
}

static bool has_flow(const backward *work, uint32_t number) {
    for (uint32_t i = 0; i < work->graph->nodes[number]->output_count; i++) {
        if (work->gradients[number][i].node != TN_NO_NODE) {
            return true;
        }
    }
    return false;
}

static tn_status walk_back(backward *work) {
    for (uint32_t i = work->count; i-- > 0;) {
        const uint32_t number = work->order[i];
        const tni_node *node = work->graph->nodes[number];
        if (node->op == NULL || !work->is_reached[number] || !has_flow(work, number)) {
            continue;
        }
        TNI_TRY(tni_in(differentiate(work, number), "node '%s' (%s)", node->name,
                       node->entry->entry->name));
    }
    return TN_OK;
}

/* The sum of the outputs: each starts with a gradient of ones. */
static tn_status seed(backward *work) {
    for (uint32_t i = 0; i < work->graph->output_count; i++) {
        const tn_value output = work->graph->outputs[i];
        uint32_t ones;
        TNI_TRY(tn_graph_add_node(work->graph, "ones_like", NULL, NULL, 0, &output, 1, &ones));
        TNI_TRY(accumulate(work, output, (tn_value){ones, 0}));
    }
    return TN_OK;
}

static void mark_reached(backward *work, const uint32_t *variables, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        work->is_reached[variables[i]] = 1;
    }
    for (uint32_t i = 0; i < work->count; i++) {
        const tni_node *node = work->graph->nodes[work->order[i]];
        for (uint32_t j = 0; j < node->input_count; j++) {
            const uint32_t input = node->inputs[j].node;
            if (input != TN_NO_NODE && work->is_reached[input]) {
                work->is_reached[work->order[i]] = 1;
            }
        }
    }
}

static tn_status prepare(backward *work) {
    const uint32_t *order;
    TNI_TRY(tni_graph_order(work->graph, &order, &work->count));
    /* The graph's own order is forgotten when nodes are added. */
    uint32_t *copy = tni_arena_allocate(&work->arena, work->count, sizeof *copy);
    work->forward_nodes = work->graph->node_count;
    work->gradients =
        tni_arena_allocate(&work->arena, work->forward_nodes, sizeof *work->gradients);
    work->is_reached = tni_arena_allocate(&work->arena, work->forward_nodes, 1);
    if (copy == NULL || work->gradients == NULL || work->is_reached == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(copy, order, work->count * sizeof *copy);
    work->order = copy;
    for (uint32_t i = 0; i < work->forward_nodes; i++) {
        const uint32_t outputs = work->graph->nodes[i]->output_count;
        work->gradients[i] = tni_arena_allocate(&work->arena, outputs, sizeof(tn_value));
        if (work->gradients[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < outputs; j++) {
            work->gradients[i][j] = no_value;
        }
    }
    return TN_OK;
}

tn_status tn_graph_add_gradient(tn_graph *graph, const uint32_t *variables, uint32_t count,
                                tn_value *out_gradients) {
    for (uint32_t i = 0; i < count; i++) {
        if (variables[i] >= graph->node_count || graph->nodes[variables[i]]->op != NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "gradient: node %u is no variable of the graph",
                            variables[i]);
        }
    }
    TNI_TRY(tni_in(tn_graph_verify(graph), "gradient"));
    backward work = {.graph = graph};
    tn_status status = prepare(&work);
    if (status == TN_OK) {
        mark_reached(&work, variables, count);
        status = seed(&work);
    }
    if (status == TN_OK) {
        status = walk_back(&work);
    }
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        out_gradients[i] = work.gradients[variables[i]][0];
    }
    if (status != TN_OK && work.forward_nodes > 0) {
        tni_graph_truncate(graph, work.forward_nodes);
    }
    tni_arena_finish(&work.arena);
    return tni_in(status, "gradient");
}
