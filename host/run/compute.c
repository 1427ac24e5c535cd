/* Running one node of a graph by itself: how a pass computes constants ahead of time. */
#include "base/error.h"
#include "graph/graph.h"
#include "run/invoke.h"

tn_status tni_compute_node(const tn_host *host, const tn_graph *graph, uint32_t number,
                           tn_tensor *const *inputs, uint32_t input_count, tn_tensor **outputs,
                           uint32_t output_count) {
    (void)host;
    TNI_TRY(tni_graph_check_node(graph, number));
    const tni_node *node = graph->nodes[number];
    if (node->op == NULL || node->subgraph_count > 0) {
        return tni_fail(TN_UNSUPPORTED, "node '%s' cannot be run by itself: %s", node->name,
                        node->op == NULL ? "it is a variable" : "it holds subgraphs");
    }
    return tni_in(tn_invoke(graph->runtime, node->entry->entry->name, node->attributes,
                            node->attribute_count, inputs, input_count, outputs, output_count),
                  "node '%s'", node->name);
}
