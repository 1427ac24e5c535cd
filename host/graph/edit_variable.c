/* Changing variables: parameters added, replaced, dropped. */
#include "base/error.h"
#include "graph/graph.h"

tn_status tn_graph_add_parameter(tn_graph *graph, const char *name, tn_tensor *tensor,
                                 uint32_t *out_node) {
    if (tensor == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "a parameter must have a tensor");
    }
    const tn_tensor_type type = tni_tensor_type(tensor);
    uint32_t number;
    TNI_TRY(tn_graph_add_variable(graph, name, &type, &number));
    tn_tensor_retain(tensor);
    graph->nodes[number]->parameter = tensor;
    *out_node = number;
    return TN_OK;
}

tn_status tn_graph_set_variable(tn_graph *graph, uint32_t number, const tn_tensor_type *type,
                                tn_tensor *tensor) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    if (node->op != NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "node '%s' (%s) is no variable", node->name,
                        node->entry->entry->name);
    }
    tn_tensor_type declared = type != NULL ? *type : node->declared;
    if (tensor != NULL) {
        const tn_tensor_type own = tni_tensor_type(tensor);
        bool changed = false;
        if (type == NULL) {
            declared = own;
        } else if (!tni_type_merge(&declared, &own, &changed)) {
            char have[600], given[600];
            return tni_fail(TN_INVALID_ARGUMENT, "variable '%s' is given a tensor of %s as %s",
                            node->name, tni_type_text(&own, have, sizeof have),
                            tni_type_text(type, given, sizeof given));
        }
    }
    if (tensor != NULL) {
        tn_tensor_retain(tensor);
    }
    tn_tensor_release(node->parameter);
    node->parameter = tensor;
    node->declared = declared;
    tni_graph_changed(graph);
    return TN_OK;
}
