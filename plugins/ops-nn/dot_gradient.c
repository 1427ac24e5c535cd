#include "dot.h"

#include "gradient_graph.h"

static tn_value product(gradient_graph *graph, const char *op, tn_value left, int transpose_a,
                        tn_value right, int transpose_b) {
    const tn_option options[] = {{"transpose_a", transpose_a ? "True" : "False"},
                                 {"transpose_b", transpose_b ? "True" : "False"}};
    const tn_value factors[] = {left, right};
    return gradient_node(graph, op, options, 2, factors, 2);
}

/* With C = A B: dA = dC B^T, dB = A^T dC. A factor that C takes transposed gets its gradient
 * transposed, by the other order of the factors. */
static tn_status add_products(tn_gradient_call *call, const char *op) {
    const dot_attributes *given = call->attributes;
    const int ta = given->transpose_a, tb = given->transpose_b;
    const tn_value a = call->inputs[0], b = call->inputs[1], c = call->output_gradients[0];
    gradient_graph graph = gradient_graph_begin(call);
    call->input_gradients[0] =
        ta ? product(&graph, op, b, tb, c, 1) : product(&graph, op, c, 0, b, !tb);
    call->input_gradients[1] =
        tb ? product(&graph, op, c, 1, a, ta) : product(&graph, op, a, !ta, c, 0);
    return graph.status;
}

/* Of matrices alone; where types are not known yet, inference of the gradient finds others. */
tn_status dot_gradient(tn_gradient_call *call) {
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    for (uint32_t i = 0; graphs != NULL && i < call->input_count; i++) {
        tn_tensor_type type;
        if (graphs->value_type(call->host, call->graph, call->inputs[i], &type) == TN_OK &&
            type.shape.rank >= 0 && type.shape.rank != 2) {
            return tn_fail(call->host, TN_UNSUPPORTED,
                           "input %u has %d axes: a gradient there is of matrices alone",
                           (unsigned)i, (int)type.shape.rank);
        }
    }
    return add_products(call, "dot");
}

tn_status batch_dot_gradient(tn_gradient_call *call) {
    return add_products(call, "batch_dot");
}
