/* Flatten: all axes but the first become one. */
#include "extents.h"
#include "operator.h"
#include "operators.h"

static tn_status flatten_infer(tn_infer_call *call) {
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape fact = tn_shape_of_rank(2);
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "a scalar has no axis to keep");
    }
    if (data->rank > 0) {
        fact.extents[0] = data->extents[0];
        TN_TRY(extents_multiply(call->host, data, 1, data->rank, &fact.extents[1]));
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    if (data->rank > 0) {
        data->extents[0] = output->extents[0];
    }
    return infer_same_count(call->host, data, output);
}

const tn_op flatten_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A matrix with the input's first axis as rows and all other axes joined as columns.",
    OP_INPUTS(data_name),
    .infer = flatten_infer,
    .gradient = gradient_like_input,
};
