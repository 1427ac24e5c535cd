/* onnx.AlignAxis: how operators before operator set 7 say which axes a smaller tensor stands for.
 */
#include "families.h"
#include "one_output.h"
#include "operator.h"

typedef struct align_attributes {
    int64_t axis;
} align_attributes;

static const tn_attribute table[] = {
    TN_FIELD(align_attributes, axis, INT, NULL, "[-32,31]",
             "The axis of `like` that the first axis of data stands for."),
};

static const char *const input_names[] = {"data", "like"};

static tn_status infer(tn_infer_call *call) {
    const align_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape, *like = &call->inputs[1].shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0 || like->rank < 0) {
        return TN_OK;
    }
    const int64_t axis = own->axis < 0 ? own->axis + like->rank : own->axis;
    if (axis < 0 || axis + data->rank > like->rank) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "%d axes from axis %lld on are beyond a tensor of rank %d", (int)data->rank,
                       (long long)own->axis, (int)like->rank);
    }
    tn_shape result = *data;
    while (result.rank < like->rank - axis) {
        result.extents[result.rank++] = 1;
    }
    return infer_output_shape(call, &result);
}

const tn_op align_axis_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "data with axes of extent 1 behind its own, so many that its first axis stands for the "
           "given axis of `like` where both are stretched to one shape.",
    OP_ATTRIBUTES(table, align_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    .infer = infer,
};

const tn_kernel align_axis_kernel = {
    CPU_KERNEL("onnx.AlignAxis"), .flags = TN_KERNEL_COPIES_INPUT, .in_place = first_to_first,
    .in_place_count = 1,          .run = copy_first_input,
};
