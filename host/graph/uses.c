/* Who uses what a node makes: an index over the whole graph, made when it is asked for. */
#include "base/error.h"
#include "graph/graph.h"

typedef struct use_walk {
    tni_use_index *index;
    uint32_t *filled; /* NULL: the uses are only counted, in first[node + 1] */
} use_walk;

static void meet(const use_walk *walk, uint32_t used, tn_use use) {
    tni_use_index *index = walk->index;
    if (walk->filled == NULL) {
        index->first[used + 1]++;
    } else {
        index->uses[index->first[used] + walk->filled[used]++] = use;
    }
}

static void meet_all(const tn_graph *graph, const use_walk *walk) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tni_node *node = graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            const tn_value value = node->inputs[j];
            if (value.node != TN_NO_NODE) {
                meet(walk, value.node, (tn_use){i, j, value.output});
            }
        }
        for (uint32_t j = 0; j < node->control_count; j++) {
            meet(walk, node->controls[j], (tn_use){i, TN_USE_CONTROL, 0});
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        meet(walk, graph->outputs[i].node, (tn_use){TN_NO_NODE, i, graph->outputs[i].output});
    }
}

static tn_status fill(const tn_graph *graph, tni_use_index *index) {
    use_walk walk = {index, NULL};
    index->first =
        tni_arena_allocate(&index->arena, (size_t)graph->node_count + 1, sizeof(uint32_t));
    if (index->first == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    meet_all(graph, &walk);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        index->first[i + 1] += index->first[i];
    }
    index->uses =
        tni_arena_allocate(&index->arena, index->first[graph->node_count], sizeof(tn_use));
    walk.filled = tni_arena_allocate(&index->arena, graph->node_count, sizeof(uint32_t));
    if (index->uses == NULL || walk.filled == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    meet_all(graph, &walk);
    return TN_OK;
}

void tni_use_index_drop(tn_graph *graph) {
    tni_arena_finish(&graph->use_index.arena);
    graph->use_index = (tni_use_index){0};
}

tn_status tn_graph_uses(const tn_graph *graph, uint32_t number, const tn_use **out_uses,
                        uint32_t *out_count) {
    TNI_TRY(tni_graph_check_node(graph, number));
    /* What follows from the rest of the graph is kept, not changed. */
    tn_graph *owner = (tn_graph *)(uintptr_t)graph;
    if (owner->use_index.uses == NULL) {
        const tn_status status = fill(graph, &owner->use_index);
        if (status != TN_OK) {
            tni_use_index_drop(owner);
            return status;
        }
    }
    const tni_use_index *index = &graph->use_index;
    *out_uses = index->uses + index->first[number];
    *out_count = index->first[number + 1] - index->first[number];
    return TN_OK;
}
