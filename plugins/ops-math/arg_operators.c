#include "arg_operators.h"

#include "arg_kernel.h"
#include "reduced_axes.h"

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

typedef struct arg_attributes {
    int64_t axis;
    int32_t keepdims;
} arg_attributes;

static const tn_attribute arg_table[] = {
    TN_FIELD_OR_NONE(arg_attributes, axis, INT, "None", "[-32,31]",
                     "The axis to search along, negative ones counted from the last; None: all "
                     "axes, as if they were one."),
    TN_FIELD(arg_attributes, keepdims, BOOL, "False", NULL,
             "Whether the axis stays, with extent 1."),
};

static tn_status infer_along(tn_infer_call *call, int64_t axis, int keepdims) {
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    const tn_ints axis_list = {axis == TN_NONE ? -1 : 1, &axis};
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &axis_list, 0, data->shape.rank, &axes));
    TN_TRY(infer_reduced_shape(call, &axes, keepdims));
    return check_not_empty(call, &axes);
}

static tn_status infer_arg(tn_infer_call *call) {
    const arg_attributes *own = call->attributes;
    return infer_along(call, own->axis, own->keepdims);
}

#define CHANNEL_AXIS 1

static tn_status infer_argmax_channel(tn_infer_call *call) {
    return infer_along(call, CHANNEL_AXIS, 0);
}

tn_status prepare_argmax(tn_prepare_call *call) {
    const arg_attributes *own = call->attributes;
    return prepare_arg(call, ARG_MAXIMUM, own->axis);
}

tn_status prepare_argmin(tn_prepare_call *call) {
    const arg_attributes *own = call->attributes;
    return prepare_arg(call, ARG_MINIMUM, own->axis);
}

tn_status prepare_argmax_channel(tn_prepare_call *call) {
    return prepare_arg(call, ARG_MAXIMUM, CHANNEL_AXIS);
}

#define ARG_OPERATOR(DOC)                                                                          \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, .attributes = arg_table,                            \
        .attribute_count = sizeof arg_table / sizeof *arg_table,                                   \
        .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(arg_attributes),        \
        .input_names = input_names, .output_names = output_names, .input_name_count = 1,           \
        .output_name_count = 1, .infer = infer_arg,                                                \
    }

const tn_op argmax_operator =
    ARG_OPERATOR("The index of the greatest element along an axis, as a number of the data's "
                 "dtype. Of equal elements the first counts; a NaN is greater than all else.");
const tn_op argmin_operator =
    ARG_OPERATOR("The index of the least element along an axis, as a number of the data's dtype. "
                 "Of equal elements the first counts; a NaN is less than all else.");

const tn_op argmax_channel_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "The index of the greatest element along axis 1, as argmax gives it.",
    .input_names = input_names,
    .output_names = output_names,
    .input_name_count = 1,
    .output_name_count = 1,
    .infer = infer_argmax_channel,
};
