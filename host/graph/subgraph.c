/* Nodes that stand for the graph they hold: what that takes, makes and changes is theirs. */
#include "base/error.h"
#include "graph/graph.h"

uint32_t tni_subgraph_input_count(const tn_graph *subgraph) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        count += tni_node_is_subgraph_input(subgraph->nodes[i]);
    }
    return count;
}

uint32_t tni_subgraph_input(const tn_graph *subgraph, uint32_t index) {
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        if (tni_node_is_subgraph_input(subgraph->nodes[i]) && index-- == 0) {
            return i;
        }
    }
    return TN_NO_NODE;
}

/* The inputs that the subgraph changes, into the arena of the graph around it. */
static tn_status list_mutated(const tn_graph *subgraph, tni_arena *arena, tni_node *node) {
    uint32_t *inputs = tni_arena_allocate(arena, node->arity, sizeof *inputs);
    uint32_t input = 0, count = 0;
    if (inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        if (tni_node_is_subgraph_input(subgraph->nodes[i])) {
            if (subgraph->nodes[i]->mutating_use_count > 0) {
                inputs[count++] = input;
            }
            input++;
        }
    }
    node->mutated_inputs = inputs;
    node->mutated_input_count = count;
    return TN_OK;
}

/* No output that something uses may go, or move. */
static tn_status check_outputs(const tni_node *node, uint32_t output_count) {
    const uint32_t staying =
        output_count < node->visible_output_count ? output_count : node->visible_output_count;
    for (uint32_t i = 0; output_count != node->visible_output_count && i < node->use_count; i++) {
        if (node->uses[i].input != TN_USE_CONTROL && node->uses[i].output >= staying) {
            return tni_fail(TN_FAILED_PRECONDITION, "node '%s': its output %u is used", node->name,
                            node->uses[i].output);
        }
    }
    return TN_OK;
}

tn_status tni_graph_tell_parent(tn_graph *subgraph) {
    tn_graph *graph = subgraph->parent;
    tni_node *node = graph == NULL ? NULL : graph->nodes[subgraph->parent_node];
    if (node == NULL || !tni_node_is_subgraph(node)) {
        return TN_OK;
    }
    TNI_TRY(check_outputs(node, subgraph->output_count));
    tni_node changed = *node;
    changed.arity = tni_subgraph_input_count(subgraph) + node->further_input_count;
    changed.visible_output_count = subgraph->output_count;
    changed.output_count = subgraph->output_count + node->further_output_count;
    if (changed.input_count > changed.arity) {
        return tni_fail(TN_INVALID_ARGUMENT, "node '%s': %u inputs are given, it takes %u",
                        node->name, changed.input_count, changed.arity);
    }
    TNI_TRY(list_mutated(subgraph, &graph->arena, &changed));
    TNI_TRY(tni_node_widen(graph, &changed, node->arity));
    tni_graph_disconnect_inputs(graph, subgraph->parent_node);
    node->arity = changed.arity;
    node->output_count = changed.output_count;
    node->visible_output_count = changed.visible_output_count;
    node->mutated_inputs = changed.mutated_inputs;
    node->mutated_input_count = changed.mutated_input_count;
    node->inputs = changed.inputs;
    node->places = changed.places;
    tni_graph_reconnect_inputs(graph, subgraph->parent_node);
    tni_graph_changed(graph);
    return TN_OK;
}

tn_status tni_graph_give_subgraph(tn_graph *graph, uint32_t number, tn_graph *subgraph) {
    tni_node *node = graph->nodes[number];
    subgraph->parent = graph;
    subgraph->parent_node = number;
    node->subgraphs[node->subgraph_count++] = subgraph;
    const tn_status status = tni_graph_tell_parent(subgraph);
    if (status != TN_OK) {
        node->subgraph_count--;
        subgraph->parent = NULL;
    }
    return status;
}

static void adopt(tn_graph *graph) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->subgraph_count; j++) {
            graph->nodes[i]->subgraphs[j]->parent = graph;
        }
    }
}

void tni_graph_exchange(tn_graph *left, tn_graph *right) {
    const tn_graph kept = *left;
    *left = *right;
    *right = kept;
    right->parent = left->parent;
    right->parent_node = left->parent_node;
    left->parent = kept.parent;
    left->parent_node = kept.parent_node;
    adopt(left);
    adopt(right);
}
