#include "fully_connected.h"

#include "gradient_graph.h"

/* The value as a matrix with a row for each sample. */
static tn_value as_matrix(gradient_graph *graph, tn_value value, const char *shape,
                          const char *reverse) {
    const tn_option attributes[2] = {{"shape", shape}, {"reverse", reverse}};
    return gradient_node(graph, "Reshape", attributes, 2, &value, 1);
}

/* With Y = X W^T + b: dX = dY W, dW = dY^T X, db = the sum of dY's rows. */
tn_status fully_connected_gradient(tn_gradient_call *call) {
    const fully_connected_attributes *attributes = call->attributes;
    gradient_graph graph = gradient_graph_begin(call);
    const tn_value data = call->inputs[0];
    const tn_value output_gradient = call->output_gradients[0];

    const tn_value product[2] = {output_gradient, call->inputs[1]};
    tn_value data_gradient = gradient_node(&graph, "dot", NULL, 0, product, 2);
    tn_value features;
    if (attributes->flatten) {
        const tn_value like[2] = {data_gradient, data};
        data_gradient = gradient_node(&graph, "reshape_like", NULL, 0, like, 2);
        features = gradient_node(&graph, "Flatten", NULL, 0, &data, 1);
    } else {
        features = as_matrix(&graph, data, "(-1, 0)", "True");
    }
    call->input_gradients[0] = data_gradient;

    char shape[32];
    snprintf(shape, sizeof shape, "(-1, %lld)", (long long)attributes->num_hidden);
    const tn_value rows = as_matrix(&graph, output_gradient, shape, "False");
    const tn_option transposed = {"transpose_a", "True"};
    const tn_value factors[2] = {rows, features};
    call->input_gradients[1] = gradient_node(&graph, "dot", &transposed, 1, factors, 2);
    if (call->input_count > 2) {
        const tn_option first_axis = {"axis", "0"};
        call->input_gradients[2] = gradient_node(&graph, "sum", &first_axis, 1, &rows, 1);
    }
    return graph.status;
}
