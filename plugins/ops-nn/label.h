/*
 * Operators with an input `label`, which only training reads. To inference they are functions of
 * data; a label's type is filled in where it is not known, and is otherwise left as it is.
 */
#ifndef OPS_NN_LABEL_H
#define OPS_NN_LABEL_H

#include "description.h"

/* Fields of a tn_op. */
#define OP_LABELLED                                                                                \
    .flags = TN_OP_LOSS, .training_inputs = (const uint32_t[]){1}, .training_input_count = 1,      \
    OP_NAMES(((const char *const[]){"data", "label"}), ((const char *const[]){"output"}))

/* The output has the type of data. */
static inline tn_status infer_output_like_data(tn_infer_call *call) {
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_same_shape(call->host, "data", &data->shape, &output->shape));
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    return tn_infer_dtype(call->host, "data", &data->dtype, output->dtype);
}

static inline void suggest_label(tn_infer_call *call, const tn_shape *shape, tn_dtype dtype) {
    tn_tensor_type *label = &call->inputs[1];
    if (label->shape.rank < 0) {
        label->shape = *shape;
    }
    for (int32_t axis = 0; axis < shape->rank && label->shape.rank == shape->rank; axis++) {
        if (label->shape.extents[axis] < 0) {
            label->shape.extents[axis] = shape->extents[axis];
        }
    }
    if (label->dtype == 0) {
        label->dtype = dtype;
    }
}

#endif
