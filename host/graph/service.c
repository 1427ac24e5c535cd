/* The `graph` service: the building and looking functions, as plugins call them. */
#include "graph/graph.h"

static tn_status add_variable(const tn_host *host, tn_graph *graph, const char *name,
                              const tn_tensor_type *type, uint32_t *out_node) {
    (void)host;
    return tn_graph_add_variable(graph, name, type, out_node);
}

static tn_status add_node(const tn_host *host, tn_graph *graph, const char *op, const char *name,
                          const tn_option *attributes, uint32_t attribute_count,
                          const tn_value *inputs, uint32_t input_count, uint32_t *out_node) {
    (void)host;
    return tn_graph_add_node(graph, op, name, attributes, attribute_count, inputs, input_count,
                             out_node);
}

static tn_status complete_inputs(const tn_host *host, tn_graph *graph, uint32_t node) {
    (void)host;
    return tn_graph_complete_inputs(graph, node);
}

static tn_status add_control(const tn_host *host, tn_graph *graph, uint32_t node, uint32_t before) {
    (void)host;
    return tn_graph_add_control(graph, node, before);
}

static tn_status annotate(const tn_host *host, tn_graph *graph, uint32_t node, const char *name,
                          const char *value) {
    (void)host;
    return tn_graph_annotate(graph, node, name, value);
}

static tn_status add_subgraph(const tn_host *host, tn_graph *graph, uint32_t node,
                              tn_graph **out_subgraph) {
    (void)host;
    return tn_graph_add_subgraph(graph, node, out_subgraph);
}

static tn_status set_outputs(const tn_host *host, tn_graph *graph, const tn_value *outputs,
                             uint32_t count) {
    (void)host;
    return tn_graph_set_outputs(graph, outputs, count);
}

static tn_status name_output(const tn_host *host, tn_graph *graph, uint32_t index,
                             const char *name) {
    (void)host;
    return tn_graph_name_output(graph, index, name);
}

static const char *output_name(const tn_host *host, const tn_graph *graph, uint32_t index) {
    (void)host;
    return tn_graph_output_name(graph, index);
}

static tn_status set_parameter(const tn_host *host, tn_graph *graph, const char *name,
                               tn_tensor *tensor) {
    (void)host;
    return tn_graph_set_parameter(graph, name, tensor);
}

static uint32_t find_node(const tn_host *host, const tn_graph *graph, const char *name) {
    (void)host;
    return tn_graph_find_node(graph, name);
}

static uint32_t node_count(const tn_host *host, const tn_graph *graph) {
    (void)host;
    return tn_graph_node_count(graph);
}

static tn_status node_info(const tn_host *host, const tn_graph *graph, uint32_t node,
                           tn_node_info *out_info) {
    (void)host;
    return tn_graph_node(graph, node, out_info);
}

static const char *input_name(const tn_host *host, const tn_graph *graph, uint32_t node,
                              uint32_t input) {
    (void)host;
    return tn_graph_input_name(graph, node, input);
}

static int32_t input_is_mutated(const tn_host *host, const tn_graph *graph, uint32_t node,
                                uint32_t input) {
    (void)host;
    return tn_graph_input_is_mutated(graph, node, input);
}

static const tn_value *outputs(const tn_host *host, const tn_graph *graph, uint32_t *out_count) {
    (void)host;
    return tn_graph_outputs(graph, out_count);
}

static tn_tensor *parameter(const tn_host *host, const tn_graph *graph, uint32_t node) {
    (void)host;
    return tn_graph_parameter(graph, node);
}

static tn_status variable_type(const tn_host *host, const tn_graph *graph, uint32_t node,
                               tn_tensor_type *out_type) {
    (void)host;
    const tn_status status = tni_graph_check_value(graph, (tn_value){node, 0});
    if (status == TN_OK) {
        *out_type = graph->nodes[node]->declared;
    }
    return status;
}

void tni_graph_service_fill(tn_graph_service *service) {
    *service = (tn_graph_service){
        .struct_size = TN_STRUCT_END(tn_graph_service, output_name),
        .add_variable = add_variable,
        .add_node = add_node,
        .complete_inputs = complete_inputs,
        .add_control = add_control,
        .annotate = annotate,
        .add_subgraph = add_subgraph,
        .set_outputs = set_outputs,
        .set_parameter = set_parameter,
        .find_node = find_node,
        .node_count = node_count,
        .node_info = node_info,
        .input_name = input_name,
        .input_is_mutated = input_is_mutated,
        .outputs = outputs,
        .parameter = parameter,
        .variable_type = variable_type,
        .name_output = name_output,
        .output_name = output_name,
    };
    tni_graph_service_fill_edit(service);
}
