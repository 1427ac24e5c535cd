/* NonZero and Compress: how much comes out depends on the elements. */
#include "elements.h"
#include "families.h"
#include "given_output.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

/* An element that is not 0, NaN included. */
static int is_set(const tn_view *view, int64_t index) {
    return is_floating(view->dtype) ? read_number(view->dtype, tn_data(view), index) != 0
                                    : read_integer(view->dtype, tn_data(view), index) != 0;
}

static int64_t count_set(const tn_view *view, int64_t limit) {
    int64_t set = 0;
    for (int64_t i = 0; i < limit; i++) {
        set += is_set(view, i);
    }
    return set;
}

/* NonZero */

static const char *const data_names[] = {"X"};
static const char *const output_names[] = {"Y"};

static tn_status infer_non_zero(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_I64));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    const int64_t extents[] = {call->inputs[0].shape.rank, TN_UNKNOWN};
    const tn_shape result = tn_shape_of(2, extents);
    return infer_output_shape(call, &result);
}

const tn_op non_zero_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The coordinates of the elements that are not 0: a row for each axis, a column for each "
           "of the elements in row-major order.",
    OP_INPUTS(data_names),
    OP_OUTPUTS(output_names),
    .infer = infer_non_zero,
};

static tn_status run_non_zero(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *output;
    const int64_t count = tn_element_count(data), columns = count_set(data, count);
    const int64_t extents[] = {data->rank, columns};
    const tn_shape shape = tn_shape_of(2, extents);
    int64_t column = 0;
    shape_walk walk;
    TN_TRY(open_output(call, 0, TN_I64, &shape, &output));
    int64_t *coordinates = tn_data(output);
    walk_begin(&walk, data->rank, data->shape);
    for (int64_t i = 0; i < count; i++) {
        if (is_set(data, i)) {
            for (int32_t axis = 0; axis < data->rank; axis++) {
                coordinates[axis * columns + column] = walk.index[axis];
            }
            column++;
        }
        walk_on(&walk);
    }
    return TN_OK;
}

const tn_kernel non_zero_kernel = {CPU_KERNEL("onnx.NonZero"), .run = run_non_zero};

/* Compress */

typedef struct compress_attributes {
    int64_t axis;
} compress_attributes;

static const tn_attribute compress_table[] = {
    TN_FIELD_OR_NONE(compress_attributes, axis, INT, "None", "[-32,31]",
                     "The axis to choose along; None: the input is made one axis first."),
};

static const char *const compress_names[] = {"input", "condition"};

static tn_status infer_compress(tn_infer_call *call) {
    const compress_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t axis = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape result = tn_shape_of_rank(1);
    if (own->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
        result = *data;
    }
    result.extents[axis] = TN_UNKNOWN;
    return infer_output_shape(call, &result);
}

const tn_op compress_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The slices along an axis at whose place the condition, which may be shorter than the "
           "axis, is true.",
    OP_ATTRIBUTES(compress_table, compress_attributes),
    OP_INPUTS(compress_names),
    OP_OUTPUTS(output_names),
    .infer = infer_compress,
};

static tn_status run_compress(const tn_run_call *call) {
    const compress_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *condition = call->inputs[1];
    int64_t outer = 1, extent = tn_element_count(data), inner = 1;
    int32_t axis = 0;
    if (own->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
        outer = tn_extent_product(data->shape, 0, axis);
        extent = data->shape[axis];
        inner = tn_extent_product(data->shape, axis + 1, data->rank);
    }
    const int64_t given = tn_element_count(condition), limit = given < extent ? given : extent;
    const size_t row = (size_t)inner * TN_DTYPE_SIZE(data->dtype);
    tn_shape shape = own->axis != TN_NONE ? shape_of_view(data) : tn_shape_of_rank(1);
    const tn_view *output;
    shape.extents[axis] = count_set(condition, limit);
    TN_TRY(open_output(call, 0, data->dtype, &shape, &output));
    char *target = tn_data(output);
    for (int64_t i = 0; i < outer; i++) {
        for (int64_t j = 0; j < limit; j++) {
            if (is_set(condition, j)) {
                memcpy(target, (const char *)tn_data(data) + (size_t)(i * extent + j) * row, row);
                target += row;
            }
        }
    }
    return TN_OK;
}

const tn_kernel compress_kernel = {CPU_KERNEL("onnx.Compress"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                   .run = run_compress};
