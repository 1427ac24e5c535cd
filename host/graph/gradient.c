/*
 * Reverse-mode differentiation: walks the graph backwards, lets each operator add the nodes of its
 * gradient, and sums what flows into one value from several users.
 */
#include <string.h>

#include "base/error.h"
#include "graph/gradient.h"

static const tn_value no_value = {TN_NO_NODE, 0};

static tn_status accumulate(tni_backward *work, tn_value target, tn_value flow) {
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

/* Has the operator add its gradient. */
static tn_status ask_operator(const tni_backward *work, uint32_t number, const tn_value *inputs,
                              tn_value *results) {
    const tni_node *node = work->graph->nodes[number];
    const uint32_t input_count = node->input_count;
    tn_value *outputs = tni_allocate(node->output_count, sizeof *outputs);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = (tn_value){number, i};
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
    const tn_status status = tni_error_complete(node->op->gradient(&call));
    tni_free(outputs);
    return status;
}

static tn_status differentiate(tni_backward *work, uint32_t number) {
    const tni_node *node = work->graph->nodes[number];
    const uint32_t input_count = node->input_count;
    tn_value *results = tni_arena_allocate(&work->arena, input_count, sizeof *results);
    tn_value *inputs = tni_arena_allocate(&work->arena, input_count, sizeof *inputs);
    if (results == NULL || inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        results[i] = no_value;
        inputs[i] = node->inputs[i];
    }
    if (node->op->gradient != NULL) {
        TNI_TRY(ask_operator(work, number, inputs, results));
    } else if (tni_node_is_subgraph(node)) {
        TNI_TRY(tni_backward_through(work, number, results));
    } else {
        return tni_fail(TN_UNSUPPORTED, "it has no gradient");
    }
    for (uint32_t i = 0; i < input_count; i++) {
        if (results[i].node == TN_NO_NODE || inputs[i].node == TN_NO_NODE) {
            continue;
        }
        TNI_TRY(tni_in(tni_graph_check_value(work->graph, results[i]), "gradient of input %u", i));
        TNI_TRY(accumulate(work, inputs[i], results[i]));
    }
    return TN_OK;
}

static bool has_flow(const tni_backward *work, uint32_t number) {
    for (uint32_t i = 0; i < work->graph->nodes[number]->output_count; i++) {
        if (work->gradients[number][i].node != TN_NO_NODE) {
            return true;
        }
    }
    return false;
}

static tn_status walk_back(tni_backward *work) {
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

/* What each output starts with: a gradient that is given, or ones, for the sum of the outputs. */
static tn_status seed(tni_backward *work, const tn_value *output_gradients) {
    const uint32_t count = work->graph->output_count;
    for (uint32_t i = 0; i < count; i++) {
        const tn_value output = work->graph->outputs[i];
        uint32_t ones;
        if (output_gradients != NULL) {
            if (output_gradients[i].node != TN_NO_NODE) {
                TNI_TRY(accumulate(work, output, output_gradients[i]));
            }
            continue;
        }
        TNI_TRY(tn_graph_add_node(work->graph, "ones_like", NULL, NULL, 0, &output, 1, &ones));
        TNI_TRY(accumulate(work, output, (tn_value){ones, 0}));
    }
    return TN_OK;
}

static void mark_reached(tni_backward *work, const uint32_t *variables, uint32_t count) {
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

static tn_status prepare(tni_backward *work) {
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

/* The subgraphs that were replaced are what they were, or have been replaced for good. */
static void settle_subgraphs(tni_backward *work, tn_status status) {
    for (uint32_t i = work->replaced_count; i-- > 0;) {
        const tni_replaced_subgraph *replaced = &work->replaced[i];
        if (status != TN_OK) {
            tni_graph_exchange(replaced->subgraph, replaced->before);
            (void)tni_graph_tell_parent(replaced->subgraph); /* it was so before */
        }
        tn_graph_destroy(replaced->before);
    }
    tni_free(work->replaced);
}

tn_status tni_backward_run(tn_graph *graph, const tn_value *output_gradients,
                           const uint32_t *variables, uint32_t count, tn_value *out_gradients) {
    tni_backward work = {.graph = graph};
    tn_status status = prepare(&work);
    if (status == TN_OK) {
        mark_reached(&work, variables, count);
        status = seed(&work, output_gradients);
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
    settle_subgraphs(&work, status);
    tni_arena_finish(&work.arena);
    return status;
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
    return tni_in(tni_backward_run(graph, NULL, variables, count, out_gradients), "gradient");
}
