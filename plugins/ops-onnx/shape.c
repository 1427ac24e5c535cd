/* onnx.Shape and onnx.Size: extents as elements. */
#include "families.h"
#include "operator.h"

typedef struct shape_attributes {
    int64_t start;
    int64_t end;
} shape_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(shape_attributes, start, INT, "0", NULL,
             "The first axis; negative ones count from the end, and what is out of bounds is "
             "brought to the bound."),
    TN_FIELD_OR_NONE(shape_attributes, end, INT, "None", NULL,
                     "The axis after the last; by default the rank."),
};

static int64_t clamp_axis(int64_t axis, int32_t rank) {
    axis = axis < 0 ? axis + rank : axis;
    return axis < 0 ? 0 : axis > rank ? rank : axis;
}

static void axis_range(const shape_attributes *given, int32_t rank, int64_t *out_begin,
                       int64_t *out_end) {
    *out_begin = clamp_axis(given->start, rank);
    *out_end = given->end == TN_NONE ? rank : clamp_axis(given->end, rank);
    if (*out_end < *out_begin) {
        *out_end = *out_begin;
    }
}

static tn_status shape_infer(tn_infer_call *call) {
    tn_shape fact = tn_shape_of_rank(1);
    if (call->inputs[0].shape.rank >= 0) {
        int64_t begin, end;
        axis_range(call->attributes, call->inputs[0].shape.rank, &begin, &end);
        fact.extents[0] = end - begin;
    }
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, TN_I64));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

static tn_status shape_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    int64_t *extents = tn_data(call->outputs[0]);
    int64_t begin, end;
    axis_range(call->attributes, data->rank, &begin, &end);
    for (int64_t axis = begin; axis < end; axis++) {
        extents[axis - begin] = data->shape[axis];
    }
    return TN_OK;
}

const tn_op shape_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_READS_TYPES,
    .doc = "The input's extents, or those of a range of its axes, as a vector of int64.",
    OP_ATTRIBUTES(attribute_table, shape_attributes),
    OP_INPUTS(data_name),
    OP_OUTPUT,
    .infer = shape_infer,
};

const tn_kernel shape_kernel = {CPU_KERNEL("onnx.Shape"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                .run = shape_run};

static tn_status size_infer(tn_infer_call *call) {
    const tn_shape scalar = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, TN_I64));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &scalar);
}

static tn_status size_run(const tn_run_call *call) {
    *(int64_t *)tn_data(call->outputs[0]) = tn_element_count(call->inputs[0]);
    return TN_OK;
}

const tn_op size_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_READS_TYPES,
    .doc = "How many elements the input has, as a scalar of int64.",
    OP_INPUTS(data_name),
    OP_OUTPUT,
    .infer = size_infer,
};

const tn_kernel size_kernel = {CPU_KERNEL("onnx.Size"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                               .run = size_run};
