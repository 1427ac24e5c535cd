/* onnx.If: one of two graphs. */
#include "families.h"
#include "operator.h"
#include "subgraph.h"

typedef struct if_attributes {
    int64_t outputs;
} if_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(if_attributes, outputs, INT, "1", "[1,65536]", "How many outputs each graph has."),
};

static tn_status if_arity(tn_arity_call *call) {
    const if_attributes *given = call->attributes;
    call->output_count = (uint32_t)given->outputs;
    return TN_OK;
}

/* Of the branch that is known to be taken, or what both have in common. */
static tn_tensor_type output_type(const tn_infer_call *call, uint32_t output) {
    const tn_view *condition = call->input_values[0];
    if (condition != NULL && condition->dtype == TN_BOOL && tn_element_count(condition) == 1) {
        const uint32_t taken = *(const uint8_t *)tn_data(condition) != 0 ? 0 : 1;
        return call->subgraph_outputs[taken][output];
    }
    return common_type(&call->subgraph_outputs[0][output], &call->subgraph_outputs[1][output]);
}

static tn_status if_infer(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "cond", &call->inputs[0].dtype, TN_BOOL));
    for (uint32_t branch = 0; branch < 2; branch++) {
        if (call->subgraph_output_counts[branch] != call->output_count) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "graph %u has %u outputs, but the node has %u", (unsigned)branch,
                           (unsigned)call->subgraph_output_counts[branch],
                           (unsigned)call->output_count);
        }
        for (uint32_t i = 1; i < call->input_count; i++) {
            TN_TRY(tell_subgraph(call, branch, i - 1, &call->inputs[i]));
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        const tn_tensor_type type = output_type(call, i);
        TN_TRY(infer_type(call->host, "output", &call->outputs[i], &type));
    }
    return TN_OK;
}

static tn_status if_run(const tn_run_call *call) {
    int condition;
    TN_TRY(read_condition(call->host, call->inputs[0], &condition));
    tn_tensor **outputs = tensors_create(call->host, call->output_count);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status =
        TN_SERVICE(call->host, graph)
            ->call_subgraph(call->host, call->subgraphs, condition ? 0 : 1, call->inputs + 1,
                            call->input_count - 1, outputs, call->output_count);
    for (uint32_t i = 0; status == TN_OK && i < call->output_count; i++) {
        status = deliver_output(call, i, outputs[i]);
    }
    tensors_destroy(call->host, outputs, call->output_count);
    return status;
}

static const char *const input_names[] = {"cond"};
static const uint32_t value_inputs[] = {0};

const tn_op if_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC | TN_OP_DATA_DEPENDENT,
    .doc = "Runs its first graph where cond is true and its second where it is not. The inputs "
           "behind cond are those of both graphs.",
    OP_ATTRIBUTES(attribute_table, if_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    .subgraph_count = 2,
    .arity = if_arity,
    .infer = if_infer,
    OP_VALUE_INPUTS(value_inputs),
};

const tn_kernel if_kernel = {CPU_KERNEL("onnx.If"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                             .run = if_run};
