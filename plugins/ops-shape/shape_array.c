/* shape_array and size_array: the input's shape as data. */
#include "operator.h"
#include "operators.h"

static tn_status shape_array_infer(tn_infer_call *call) {
    const int32_t rank = call->inputs[0].shape.rank;
    tn_shape fact = tn_shape_of_rank(1);
    fact.extents[0] = rank;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, TN_I64));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

static tn_status size_array_infer(tn_infer_call *call) {
    const tn_shape fact = tn_shape_of(1, (const int64_t[]){1});
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, TN_I64));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

tn_status shape_array_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    int64_t *extents = tn_data(call->outputs[0]);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        extents[axis] = data->shape[axis];
    }
    return TN_OK;
}

tn_status size_array_run(const tn_run_call *call) {
    int64_t *count = tn_data(call->outputs[0]);
    *count = tn_element_count(call->inputs[0]);
    return TN_OK;
}

const tn_op shape_array_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input's extents, as a vector of int64.",
    OP_INPUTS(data_name),
    .infer = shape_array_infer,
    .gradient = gradient_none,
};

const tn_op size_array_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "How many elements the input has, as a vector of one int64.",
    OP_INPUTS(data_name),
    .infer = size_array_infer,
    .gradient = gradient_none,
};
