/* Closing the holes that removed nodes leave. */
#include "base/error.h"
#include "graph/graph.h"

bool tni_graph_has_holes(const tn_graph *graph) {
    bool found = graph->hole_count > 0;
    for (uint32_t i = 0; !found && i < graph->node_count; i++) {
        for (uint32_t j = 0; !found && j < graph->nodes[i]->subgraph_count; j++) {
            found = tni_graph_has_holes(graph->nodes[i]->subgraphs[j]);
        }
    }
    return found;
}

static tn_status compact_subgraphs(const tn_graph *graph) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tni_node *node = graph->nodes[i];
        for (uint32_t j = 0; j < node->subgraph_count; j++) {
            TNI_TRY(tn_graph_compact(node->subgraphs[j]));
        }
    }
    return TN_OK;
}

static void renumber_node(tni_node *node, uint32_t number, const uint32_t *numbers) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].node != TN_NO_NODE) {
            node->inputs[i].node = numbers[node->inputs[i].node];
        }
    }
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        node->subgraphs[i]->parent_node = number;
    }
    for (uint32_t i = 0; i < node->control_count; i++) {
        node->controls[i] = numbers[node->controls[i]];
    }
    for (uint32_t i = 0; i < node->use_count; i++) {
        if (node->uses[i].node != TN_NO_NODE) {
            node->uses[i].node = numbers[node->uses[i].node];
        }
    }
}

static tn_status renumber_names(tn_graph *graph, const uint32_t *numbers, tni_map *out_names) {
    tni_map names = {0};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->removed) {
            continue;
        }
        const tn_status status =
            tni_map_set(&names, graph->nodes[i]->name, (void *)((uintptr_t)numbers[i] + 1));
        if (status != TN_OK) {
            tni_map_finish(&names, NULL);
            return status;
        }
    }
    *out_names = names;
    return TN_OK;
}

tn_status tn_graph_compact(tn_graph *graph) {
    TNI_TRY(compact_subgraphs(graph));
    if (graph->hole_count == 0) {
        return TN_OK;
    }
    uint32_t *numbers = tni_allocate(graph->node_count, sizeof *numbers);
    if (numbers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        numbers[i] = graph->nodes[i]->removed ? TN_NO_NODE : count++;
    }
    tni_map names;
    const tn_status status = renumber_names(graph, numbers, &names);
    if (status == TN_OK) {
        tni_map_finish(&graph->names, NULL);
        graph->names = names;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (!graph->nodes[i]->removed) {
                renumber_node(graph->nodes[i], numbers[i], numbers);
                graph->nodes[numbers[i]] = graph->nodes[i];
            }
        }
        for (uint32_t i = 0; i < graph->output_count; i++) {
            graph->outputs[i].node = numbers[graph->outputs[i].node];
        }
        graph->node_count = count;
        graph->hole_count = 0;
        graph->keeps_facts = false;
        tni_graph_changed(graph);
    }
    tni_free(numbers);
    return status;
}
