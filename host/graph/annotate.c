/* Annotations: texts at nodes that no operator reads. */
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

static void remove_annotation(tni_node *node, const char *name) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->annotation_count; i++) {
        if (strcmp(node->annotations[i].name, name) != 0) {
            node->annotations[kept++] = node->annotations[i];
        }
    }
    node->annotation_count = kept;
}

tn_status tn_graph_annotate(tn_graph *graph, uint32_t number, const char *name, const char *value) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    if (value == NULL) {
        remove_annotation(node, name);
        return TN_OK;
    }
    TNI_TRY(tni_graph_check_text("the name of an annotation", name));
    TNI_TRY(tni_graph_check_text(name, value));
    const tn_option option = {tni_arena_text(&graph->arena, name),
                              tni_arena_text(&graph->arena, value)};
    if (option.name == NULL || option.value == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->annotation_count; i++) {
        if (strcmp(node->annotations[i].name, name) == 0) {
            node->annotations[i].value = option.value;
            return TN_OK;
        }
    }
    void *annotations = node->annotations;
    TNI_TRY(tni_grow(&annotations, &node->annotation_capacity, node->annotation_count + 1,
                     sizeof(tn_option)));
    node->annotations = annotations;
    node->annotations[node->annotation_count++] = option;
    return TN_OK;
}
