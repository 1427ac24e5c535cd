/*
 * The gradient of Activation, in terms of its output y where that is enough:
 *
 *   relu      dy * (y > 0)             sigmoid   dy * y * (1 - y)
 *   tanh      dy * (1 - y^2)           softrelu  dy * sigmoid(x)
 *   softsign  dy / (1 + |x|)^2
 */
#include "activation.h"

#include "gradient_graph.h"

static tn_value of_one(gradient_graph *graph, const char *op, tn_value x) {
    return gradient_node(graph, op, NULL, 0, &x, 1);
}

static tn_value with_scalar(gradient_graph *graph, const char *op, tn_value x, const char *scalar) {
    const tn_option attribute = {"scalar", scalar};
    return gradient_node(graph, op, &attribute, 1, &x, 1);
}

static tn_value of_two(gradient_graph *graph, const char *op, tn_value left, tn_value right) {
    const tn_value inputs[] = {left, right};
    return gradient_node(graph, op, NULL, 0, inputs, 2);
}

static tn_value data_gradient(gradient_graph *graph, int32_t act_type) {
    const tn_value x = graph->call->inputs[0];
    const tn_value y = graph->call->outputs[0];
    const tn_value dy = graph->call->output_gradients[0];
    tn_value slope = {TN_NO_NODE, 0};
    switch (act_type) {
    case ACTIVATION_RELU: slope = with_scalar(graph, "_greater_scalar", y, "0"); break;
    case ACTIVATION_SIGMOID:
        slope = of_two(graph, "elemwise_mul", y, with_scalar(graph, "_rminus_scalar", y, "1"));
        break;
    case ACTIVATION_TANH:
        slope = with_scalar(graph, "_rminus_scalar", of_one(graph, "square", y), "1");
        break;
    case ACTIVATION_SOFTRELU: slope = of_one(graph, "sigmoid", x); break;
    default: {
        const tn_value root = with_scalar(graph, "_plus_scalar", of_one(graph, "abs", x), "1");
        return of_two(graph, "elemwise_div", dy, of_one(graph, "square", root));
    }
    }
    return of_two(graph, "elemwise_mul", dy, slope);
}

tn_status activation_gradient(tn_gradient_call *call) {
    const activation_attributes *given = call->attributes;
    gradient_graph graph = gradient_graph_begin(call);
    call->input_gradients[0] = data_gradient(&graph, given->act_type);
    return graph.status;
}
