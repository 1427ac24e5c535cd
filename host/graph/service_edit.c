/* The `graph` service's functions for changing graphs, as passes call them. */
#include "graph/graph.h"

static tn_status replace_uses(const tn_host *host, tn_graph *graph, tn_value from, tn_value to) {
    (void)host;
    return tn_graph_replace_uses(graph, from, to);
}

static tn_status set_input(const tn_host *host, tn_graph *graph, uint32_t node, uint32_t input,
                           tn_value value) {
    (void)host;
    return tn_graph_set_input(graph, node, input, value);
}

static tn_status remove_node(const tn_host *host, tn_graph *graph, uint32_t node) {
    (void)host;
    return tn_graph_remove_node(graph, node);
}

static tn_status set_attribute(const tn_host *host, tn_graph *graph, uint32_t node,
                               const char *name, const char *value) {
    (void)host;
    return tn_graph_set_attribute(graph, node, name, value);
}

static tn_status rename_node(const tn_host *host, tn_graph *graph, uint32_t node,
                             const char *name) {
    (void)host;
    return tn_graph_rename(graph, node, name);
}

static tn_status add_parameter(const tn_host *host, tn_graph *graph, const char *name,
                               tn_tensor *tensor, uint32_t *out_node) {
    (void)host;
    return tn_graph_add_parameter(graph, name, tensor, out_node);
}

static tn_status set_variable(const tn_host *host, tn_graph *graph, uint32_t node,
                              const tn_tensor_type *type, tn_tensor *tensor) {
    (void)host;
    return tn_graph_set_variable(graph, node, type, tensor);
}

static const uint32_t *order(const tn_host *host, const tn_graph *graph, uint32_t *out_count) {
    (void)host;
    return tn_graph_order(graph, out_count);
}

static tn_status uses(const tn_host *host, const tn_graph *graph, uint32_t node,
                      const tn_use **out_uses, uint32_t *out_count) {
    (void)host;
    return tn_graph_uses(graph, node, out_uses, out_count);
}

static uint32_t variable_kind(const tn_host *host, const tn_graph *graph, uint32_t node) {
    (void)host;
    return tn_graph_variable_kind(graph, node);
}

static uint32_t op_flags(const tn_host *host, const tn_graph *graph, uint32_t node) {
    (void)host;
    return node < graph->node_count && graph->nodes[node]->op != NULL
               ? graph->nodes[node]->op->flags
               : 0;
}

static tn_status value_type(const tn_host *host, const tn_graph *graph, tn_value value,
                            tn_tensor_type *out_type) {
    (void)host;
    return tn_graph_type(graph, value, out_type);
}

static tn_status infer(const tn_host *host, tn_graph *graph) {
    (void)host;
    return tni_graph_infer_known(graph);
}

void tni_graph_service_fill_edit(tn_graph_service *service) {
    service->replace_uses = replace_uses;
    service->set_input = set_input;
    service->remove_node = remove_node;
    service->set_attribute = set_attribute;
    service->rename = rename_node;
    service->add_parameter = add_parameter;
    service->set_variable = set_variable;
    service->order = order;
    service->uses = uses;
    service->variable_kind = variable_kind;
    service->op_flags = op_flags;
    service->value_type = value_type;
    service->infer = infer;
}
