/*
 * Topological order of what the outputs need. Depth first from the outputs, inputs from left to
 * right: the order in which the other systems list a graph, and one that keeps few tensors alive.
 */
#include "base/error.h"
#include "graph/graph.h"

enum { UNSEEN, OPEN, DONE };

typedef struct order_walk {
    const tn_graph *graph;
    unsigned char *states; /* by node */
    uint32_t *stack;       /* nodes that are open */
    uint32_t *next;        /* by node: the dependency to look at next */
    uint32_t *order;
    uint32_t count;
} order_walk;

/* Dependency number `index` of a node: its inputs, then its controls. TN_NO_NODE: an absent input.
 */
static uint32_t dependency(const tni_node *node, uint32_t index) {
    return index < node->input_count ? node->inputs[index].node
                                     : node->controls[index - node->input_count];
}

static tn_status visit(order_walk *walk, uint32_t root) {
    uint32_t depth = 0;
    if (walk->states[root] == DONE) {
        return TN_OK;
    }
    walk->stack[depth++] = root;
    walk->states[root] = OPEN;
    while (depth > 0) {
        const uint32_t number = walk->stack[depth - 1];
        const tni_node *node = walk->graph->nodes[number];
        if (walk->next[number] == node->input_count + node->control_count) {
            walk->states[number] = DONE;
            walk->order[walk->count++] = number;
            depth--;
            continue;
        }
        const uint32_t before = dependency(node, walk->next[number]++);
        if (before == TN_NO_NODE || walk->states[before] == DONE) {
            continue;
        }
        if (walk->states[before] == OPEN) {
            return tni_fail(TN_INVALID_ARGUMENT, "node '%s' depends on itself, through '%s'",
                            walk->graph->nodes[before]->name, node->name);
        }
        walk->states[before] = OPEN;
        walk->stack[depth++] = before;
    }
    return TN_OK;
}

static tn_status compute_order(tn_graph *graph) {
    const uint32_t count = graph->node_count;
    order_walk walk = {graph,
                       tni_allocate(count, 1),
                       tni_allocate(count, sizeof(uint32_t)),
                       tni_allocate(count, sizeof(uint32_t)),
                       tni_allocate(count, sizeof(uint32_t)),
                       0};
    tn_status status = TN_OK;
    if (walk.states == NULL || walk.stack == NULL || walk.next == NULL || walk.order == NULL) {
        status = TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; status == TN_OK && i < graph->output_count; i++) {
        status = visit(&walk, graph->outputs[i].node);
    }
    tni_free(walk.states);
    tni_free(walk.stack);
    tni_free(walk.next);
    if (status != TN_OK) {
        tni_free(walk.order);
        return status;
    }
    graph->order = walk.order;
    graph->order_count = walk.count;
    return TN_OK;
}

tn_status tni_graph_order(const tn_graph *graph, const uint32_t **out_order, uint32_t *out_count) {
    if (graph->order == NULL) {
        /* What is computed here follows from the rest of the graph: it is kept, not changed. */
        TNI_TRY(compute_order((tn_graph *)(uintptr_t)graph));
    }
    *out_order = graph->order;
    *out_count = graph->order_count;
    return TN_OK;
}

const uint32_t *tn_graph_order(const tn_graph *graph, uint32_t *out_count) {
    const uint32_t *order;
    return tni_graph_order(graph, &order, out_count) == TN_OK ? order : NULL;
}

static bool is_optional(const tn_op *op, uint32_t input) {
    for (uint32_t i = 0; i < op->optional_input_count; i++) {
        if (op->optional_inputs[i] == input) {
            return true;
        }
    }
    return false;
}

static tn_status verify_node(const tn_graph *graph, uint32_t number) {
    const tni_node *node = graph->nodes[number];
    if (node->op == NULL) {
        return TN_OK;
    }
    if (node->input_count < node->arity) {
        return tni_fail(TN_INVALID_ARGUMENT, "input %u (%s) is missing: %u of %u are connected",
                        node->input_count, tn_graph_input_name(graph, number, node->input_count),
                        node->input_count, node->arity);
    }
    if (node->input_count > node->arity) {
        return tni_fail(TN_INVALID_ARGUMENT, "%u inputs are given, but it takes %u",
                        node->input_count, node->arity);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].node == TN_NO_NODE && !is_optional(node->op, i)) {
            return tni_fail(TN_INVALID_ARGUMENT, "input %u (%s) is absent, but must be there", i,
                            tn_graph_input_name(graph, number, i));
        }
    }
    if (node->subgraph_count < node->op->subgraph_count) {
        return tni_fail(TN_INVALID_ARGUMENT, "it holds %u subgraphs, expected %u",
                        node->subgraph_count, node->op->subgraph_count);
    }
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        TNI_TRY(tni_in(tn_graph_verify(node->subgraphs[i]), "subgraph %u", i));
    }
    return TN_OK;
}

tn_status tn_graph_verify(const tn_graph *graph) {
    const uint32_t *order;
    uint32_t count;
    if (graph->output_count == 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "the graph has no outputs");
    }
    TNI_TRY(tni_graph_order(graph, &order, &count));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tni_node *node = graph->nodes[i];
        TNI_TRY(tni_in(verify_node(graph, i), "node '%s' (%s)", node->name,
                       node->entry == NULL ? "variable" : node->entry->entry->name));
    }
    return TN_OK;
}
