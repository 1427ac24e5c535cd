/*
 * What plugins ask of the kernels while they change a graph: to run one node by itself (a pass
 * computes constants ahead of time), and which nodes a device could run (a partitioner).
 */
#include "base/error.h"
#include "graph/graph.h"
#include "run/invoke.h"
#include "run/kernel_choice.h"

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

/* UNSUPPORTED where no kernel fits, or a type is not known. */
static tn_status choose(const tn_graph *graph, const tn_device *device, const tni_node *node,
                        const tn_tensor_type *outputs, tni_arena *arena) {
    tni_kernel_choice choice;
    tni_kernel_inputs inputs;
    bool known = true;
    TNI_TRY(tni_kernel_inputs_of(graph, node, arena, &inputs));
    for (uint32_t i = 0; i < node->input_count; i++) {
        known =
            known && (node->inputs[i].node == TN_NO_NODE || tni_type_is_known(&inputs.types[i]));
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        known = known && tni_type_is_known(&outputs[i]);
    }
    return known ? tni_kernel_choose(device, node, &inputs, outputs, NULL, arena, &choice)
                 : TN_UNSUPPORTED;
}

tn_status tni_find_computable(const tn_host *host, const tn_graph *graph, const char *name,
                              int32_t *out_computable) {
    tn_device *device;
    tn_status status = TN_OK;
    (void)host;
    if (graph->types == NULL) {
        return tni_fail(TN_FAILED_PRECONDITION, "types are not inferred");
    }
    TNI_TRY(tn_device_open(graph->runtime, name, &device));
    for (uint32_t i = 0; status == TN_OK && i < graph->node_count; i++) {
        const tni_node *node = graph->nodes[i];
        out_computable[i] = 0;
        if (node->op != NULL && i < graph->typed_count) {
            tni_arena arena = {0};
            status = choose(graph, device, node, graph->types[i], &arena);
            out_computable[i] = status == TN_OK;
            status = status == TN_UNSUPPORTED ? TN_OK : status;
            tni_arena_finish(&arena);
        }
    }
    tni_error_clear();
    tn_device_close(device);
    return status;
}
