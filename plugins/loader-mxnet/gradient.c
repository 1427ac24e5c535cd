/* The gradient of an operator is one node of its backward operator. */
#include "operators.h"

/* Zeros for the gradient of an output that takes no part. */
static tn_status zeros_like(tn_gradient_call *call, tn_value output, tn_value *out_value) {
    uint32_t node;
    TN_TRY(TN_SERVICE(call->host, graph)
               ->add_node(call->host, call->graph, "zeros_like", NULL, NULL, 0, &output, 1, &node));
    *out_value = (tn_value){node, 0};
    return TN_OK;
}

/* The attributes of the node, and for a subgraph how many inputs that has: the gradient holds none
 * to tell. */
static tn_status add_node(tn_gradient_call *call, const struct op_counts *counts,
                          const tn_value *inputs, uint32_t input_count, uint32_t *out_node) {
    const struct extension_op *op = call->op->context;
    const struct op_attributes *attributes = call->attributes;
    const size_t given = (size_t)attributes->given.count;
    char text[16];
    tn_option *options =
        TN_SERVICE(call->host, memory)->allocate(call->host, (given + 1) * sizeof *options);
    if (options == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a gradient");
    }
    for (size_t i = 0; i < given; i++) {
        options[i] = attributes->given.items[i];
    }
    snprintf(text, sizeof text, "%u", (unsigned)counts->inputs);
    options[given] = (tn_option){OP_SUBGRAPH_INPUTS, text};
    const tn_status status =
        TN_SERVICE(call->host, graph)
            ->add_node(call->host, call->graph, op->backward_name, NULL, options,
                       (uint32_t)given + (op->is_subgraph != 0), inputs, input_count, out_node);
    TN_SERVICE(call->host, memory)->free(call->host, options);
    return status;
}

static tn_status add_backward(tn_gradient_call *call, const struct op_counts *counts,
                              tn_value *inputs) {
    uint32_t count = 0, node;
    for (uint32_t i = 0; i < counts->outputs; i++, count++) {
        inputs[count] = call->output_gradients[i];
        if (inputs[count].node == TN_NO_NODE) {
            TN_TRY(zeros_like(call, call->outputs[i], &inputs[count]));
        }
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        inputs[count++] = call->inputs[i];
    }
    for (uint32_t i = 0; i < call->output_count; i++) { /* the state's number is the last */
        inputs[count++] = call->outputs[i];
    }
    TN_TRY(add_node(call, counts, inputs, count, &node));
    for (uint32_t i = 0; i < counts->inputs; i++) {
        call->input_gradients[i] = (tn_value){node, i};
    }
    return TN_OK;
}

tn_status op_gradient(tn_gradient_call *call) {
    const struct extension_op *op = call->op->context;
    const struct op_attributes *attributes = call->attributes;
    const tn_host *host = call->host;
    struct call_options options;
    struct op_counts counts;
    TN_TRY(op_options_create(host, &attributes->given, &options));
    tn_status status = op->is_subgraph ? op_count_extra(op, host, &options, &counts.extra_inputs)
                                       : op_count(op, host, &options, &counts);
    op_options_destroy(host, &options);
    TN_TRY(status);
    if (op->is_subgraph) {
        counts.inputs = call->input_count - counts.extra_inputs;
        counts.outputs = call->output_count - op_state_count(op);
    }
    const size_t room = (size_t)call->input_count + 2 * (size_t)call->output_count;
    tn_value *inputs = TN_SERVICE(host, memory)->allocate(host, room * sizeof *inputs);
    if (inputs == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a gradient");
    }
    status = add_backward(call, &counts, inputs);
    TN_SERVICE(host, memory)->free(host, inputs);
    return status;
}
