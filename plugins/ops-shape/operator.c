#include "operator.h"

const char *const data_name[1] = {"data"};
const char *const left_right_names[2] = {"lhs", "rhs"};
const char *const output_name[1] = {"output"};

tn_status gradient_add_node(tn_gradient_call *call, const char *op, const tn_option *attributes,
                            uint32_t attribute_count, const tn_value *inputs,
                            uint32_t input_count) {
    const tn_graph_service *graph = TN_SERVICE(call->host, graph);
    uint32_t node;
    TN_TRY(graph->add_node(call->host, call->graph, op, NULL, attributes, attribute_count, inputs,
                           input_count, &node));
    call->input_gradients[0] = (tn_value){node, 0};
    return TN_OK;
}

tn_status gradient_like_input(tn_gradient_call *call) {
    const tn_value inputs[] = {call->output_gradients[0], call->inputs[0]};
    if (inputs[0].node == TN_NO_NODE) {
        return TN_OK;
    }
    return gradient_add_node(call, "reshape_like", NULL, 0, inputs, COUNT_OF(inputs));
}

tn_status gradient_of_identity(tn_gradient_call *call) {
    call->input_gradients[0] = call->output_gradients[0];
    return TN_OK;
}

tn_status gradient_none(tn_gradient_call *call) {
    (void)call;
    return TN_OK;
}
