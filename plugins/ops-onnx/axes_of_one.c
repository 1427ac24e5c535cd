/* Flatten, Squeeze and Unsqueeze: the same elements in another shape. */
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct axes_attributes {
    tn_ints axes;
} axes_attributes;

static const tn_attribute axes_table[] = {
    TN_FIELD_OR_NONE(axes_attributes, axes, INTS, "None", "[-32,31]",
                     "The axes, when they are not an input."),
};

typedef struct flatten_attributes {
    int64_t axis;
} flatten_attributes;

static const tn_attribute flatten_table[] = {
    TN_FIELD(flatten_attributes, axis, INT, "1", "[-32,32]",
             "The axis that the columns begin with; those before it make the rows."),
};

static const char *const axes_names[] = {"data", "axes"};
static const char *const data_names[] = {"input"};
static const char *const output_names[] = {"output"};
static const uint32_t optional[] = {1};

static tn_status infer_flatten(tn_infer_call *call) {
    const flatten_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0) {
        return TN_OK;
    }
    const int64_t axis = own->axis < 0 ? own->axis + data->rank : own->axis;
    if (axis < 0 || axis > data->rank) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "axis %lld of a tensor of rank %d",
                       (long long)own->axis, (int)data->rank);
    }
    tn_shape rows = *data, columns = *data, result = tn_shape_of_rank(2);
    rows.rank = (int32_t)axis;
    columns.rank = data->rank - (int32_t)axis;
    for (int32_t i = 0; i < columns.rank; i++) {
        columns.extents[i] = data->extents[axis + i];
    }
    TN_TRY(count_elements(call->host, &rows, &result.extents[0]));
    TN_TRY(count_elements(call->host, &columns, &result.extents[1]));
    return infer_output_shape(call, &result);
}

static tn_status infer_squeeze(tn_infer_call *call) {
    const axes_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    integer_list axes;
    uint32_t dropped = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(integers_of_input(call, "axes", 1, &own->axes, &axes));
    if (data->rank < 0 || !axes.is_known) {
        return TN_OK;
    }
    TN_TRY(resolve_axes(call->host, &axes, data->rank));
    for (int32_t i = 0; i < axes.count; i++) {
        if (data->extents[axes.values[i]] > 1 || data->extents[axes.values[i]] == 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "axis %lld has extent %lld, not 1",
                           (long long)axes.values[i], (long long)data->extents[axes.values[i]]);
        }
        dropped |= 1u << axes.values[i];
    }
    tn_shape result = tn_shape_of(0, NULL);
    for (int32_t i = 0; i < data->rank; i++) {
        if (axes.count == 0 && data->extents[i] < 0) {
            return TN_OK;
        }
        if (axes.count == 0 ? data->extents[i] != 1 : !(dropped >> i & 1u)) {
            result.extents[result.rank++] = data->extents[i];
        }
    }
    return infer_output_shape(call, &result);
}

static tn_status infer_unsqueeze(tn_infer_call *call) {
    const axes_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    integer_list axes;
    uint32_t added = 0;
    int32_t next = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(integers_of_input(call, "axes", 1, &own->axes, &axes));
    if (data->rank < 0 || !axes.is_known) {
        return TN_OK;
    }
    if (data->rank + axes.count > TN_MAX_RANK) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "the output would have %d axes",
                       (int)(data->rank + axes.count));
    }
    tn_shape result = tn_shape_of_rank(data->rank + axes.count);
    TN_TRY(resolve_axes(call->host, &axes, result.rank));
    for (int32_t i = 0; i < axes.count; i++) {
        added |= 1u << axes.values[i];
    }
    for (int32_t i = 0; i < result.rank; i++) {
        result.extents[i] = added >> i & 1u ? 1 : data->extents[next++];
    }
    return infer_output_shape(call, &result);
}

#define AXES_OP(DOC, INFER)                                                                        \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(axes_table, axes_attributes),         \
        OP_INPUTS(axes_names), OP_OUTPUTS(output_names), OP_OPTIONAL(optional),                    \
        OP_VALUE_INPUTS(optional), .infer = INFER                                                  \
    }

const tn_op squeeze_op =
    AXES_OP("The input without some axes of extent 1; without axes named, without any of them.",
            infer_squeeze);
const tn_op unsqueeze_op =
    AXES_OP("The input with axes of extent 1 added: those numbers they have in the output.",
            infer_unsqueeze);
const tn_op flatten_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A matrix whose rows are the axes before one axis and whose columns are the others.",
    OP_ATTRIBUTES(flatten_table, flatten_attributes),
    OP_INPUTS(data_names),
    OP_OUTPUTS(output_names),
    .infer = infer_flatten,
};

static tn_status run_copy(const tn_run_call *call) {
    if (tn_element_count(call->inputs[0]) != tn_element_count(call->outputs[0])) {
        return tn_fail(call->host, TN_FAILED_PRECONDITION,
                       "the plan was made for another number of elements");
    }
    if (tn_data(call->inputs[0]) != tn_data(call->outputs[0])) {
        memcpy(tn_data(call->outputs[0]), tn_data(call->inputs[0]), tn_byte_size(call->outputs[0]));
    }
    return TN_OK;
}

static const tn_in_place in_place[] = {{0, 0}};

#define COPY_KERNEL(NAME)                                                                          \
    {                                                                                              \
        CPU_KERNEL(NAME), .flags = TN_KERNEL_COPIES_INPUT, .in_place = in_place,                   \
                          .in_place_count = 1, .run = run_copy                                     \
    }

const tn_kernel squeeze_kernel = COPY_KERNEL("onnx.Squeeze");
const tn_kernel unsqueeze_kernel = COPY_KERNEL("onnx.Unsqueeze");
const tn_kernel flatten_kernel = COPY_KERNEL("onnx.Flatten");
