/* Gather, GatherElements and GatherND: elements or slices that indices name, negative ones counted
 * from the end. */
#include "elements.h"
#include "families.h"
#include "indices.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct axis_attributes {
    int64_t axis;
} axis_attributes;

static const tn_attribute axis_table[] = {
    TN_FIELD(axis_attributes, axis, INT, "0", "[-32,31]", "The axis that the indices are of."),
};

typedef struct batch_attributes {
    int64_t batch_dims;
} batch_attributes;

static const tn_attribute batch_table[] = {
    TN_FIELD(batch_attributes, batch_dims, INT, "0", "[0,31]",
             "How many axes at the front data and indices have in common."),
};

static const char *const input_names[] = {"data", "indices"};
static const char *const output_names[] = {"output"};

static tn_status infer_gather(tn_infer_call *call) {
    const axis_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape, *indices = &call->inputs[1].shape;
    int32_t axis = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0 || indices->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    if (data->rank - 1 + indices->rank > TN_MAX_RANK) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "the output would have more than %d axes",
                       TN_MAX_RANK);
    }
    tn_shape result = tn_shape_of(axis, data->extents);
    for (int32_t i = 0; i < indices->rank; i++) {
        result.extents[result.rank++] = indices->extents[i];
    }
    for (int32_t i = axis + 1; i < data->rank; i++) {
        result.extents[result.rank++] = data->extents[i];
    }
    return infer_output_shape(call, &result);
}

static tn_status infer_gather_elements(tn_infer_call *call) {
    const axis_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, call->inputs[0].shape.rank, &axis));
    const tn_shape rank = tn_shape_of_rank(call->inputs[0].shape.rank);
    TN_TRY(tn_infer_shape(call->host, "indices", &call->inputs[1].shape, &rank));
    return infer_output_shape(call, &call->inputs[1].shape);
}

static tn_status infer_gather_nd(tn_infer_call *call) {
    const batch_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape, *indices = &call->inputs[1].shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0 || indices->rank < 0) {
        return TN_OK;
    }
    const int64_t depth = indices->rank > 0 ? indices->extents[indices->rank - 1] : 0;
    if (indices->rank < 1 || own->batch_dims >= indices->rank || own->batch_dims > data->rank ||
        depth > data->rank - own->batch_dims) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "indices of rank %d with %lld coordinates do not fit data of rank %d with "
                       "batch_dims=%lld",
                       (int)indices->rank, (long long)depth, (int)data->rank,
                       (long long)own->batch_dims);
    }
    for (int32_t i = 0; i < own->batch_dims; i++) {
        int64_t left = data->extents[i], right = indices->extents[i];
        TN_TRY(infer_same_extent(call->host, "batches of data and indices", &left, &right));
    }
    if (depth < 0) {
        return TN_OK;
    }
    tn_shape result = tn_shape_of(indices->rank - 1, indices->extents);
    for (int32_t i = (int32_t)(own->batch_dims + depth); i < data->rank; i++) {
        if (result.rank == TN_MAX_RANK) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "the output has too many axes");
        }
        result.extents[result.rank++] = data->extents[i];
    }
    return infer_output_shape(call, &result);
}

#define GATHER_OP(DOC, TABLE, STRUCT, INFER)                                                       \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(TABLE, STRUCT),                       \
        OP_INPUTS(input_names), OP_OUTPUTS(output_names), .infer = INFER                           \
    }

const tn_op gather_op =
    GATHER_OP("The slices of data along an axis that the indices name: the axis is replaced by the "
              "axes of indices. Negative indices count from the end; one beyond the axis is an "
              "error.",
              axis_table, axis_attributes, infer_gather);
const tn_op gather_elements_op =
    GATHER_OP("For each index the element of data at the index' own place, but for the axis, along "
              "which the index says the place.",
              axis_table, axis_attributes, infer_gather_elements);
const tn_op gather_nd_op =
    GATHER_OP("The slices of data at points whose coordinates are along the last axis of indices.",
              batch_table, batch_attributes, infer_gather_nd);

tn_status resolve_index(const tn_host *host, const tn_view *indices, int64_t place, int64_t extent,
                        int64_t *out_index) {
    const int64_t index = read_integer(indices->dtype, tn_data(indices), place);
    *out_index = index < 0 ? index + extent : index;
    if (*out_index < 0 || *out_index >= extent) {
        return tn_fail(host, TN_OUT_OF_RANGE,
                       "index %lld, number %lld of the indices, is beyond an axis of extent %lld",
                       (long long)index, (long long)place, (long long)extent);
    }
    return TN_OK;
}

static tn_status run_gather(const tn_run_call *call) {
    const axis_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    const int64_t outer = tn_extent_product(data->shape, 0, axis);
    const size_t slice =
        (size_t)tn_extent_product(data->shape, axis + 1, data->rank) * TN_DTYPE_SIZE(data->dtype);
    const int64_t count = tn_element_count(indices), extent = data->shape[axis];
    for (int64_t i = 0; i < count; i++) {
        int64_t index = 0;
        TN_TRY(resolve_index(call->host, indices, i, extent, &index));
        for (int64_t j = 0; j < outer; j++) {
            memcpy((char *)tn_data(call->outputs[0]) + (size_t)(j * count + i) * slice,
                   (const char *)tn_data(data) + (size_t)(j * extent + index) * slice, slice);
        }
    }
    return TN_OK;
}

static tn_status run_gather_elements(const tn_run_call *call) {
    const axis_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const size_t size = TN_DTYPE_SIZE(data->dtype);
    const int64_t count = tn_element_count(indices);
    int32_t axis = 0;
    int64_t strides[TN_MAX_RANK];
    shape_walk walk;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    for (int32_t i = 0; i < data->rank; i++) {
        if (i != axis && indices->shape[i] > data->shape[i]) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "indices have extent %lld along axis %d, data only %lld",
                           (long long)indices->shape[i], (int)i, (long long)data->shape[i]);
        }
    }
    row_major_strides(data->rank, data->shape, strides);
    const int64_t step = strides[axis];
    strides[axis] = 0;
    walk_begin(&walk, indices->rank, indices->shape);
    walk_add(&walk, strides);
    for (int64_t i = 0; i < count; i++) {
        int64_t index = 0;
        TN_TRY(resolve_index(call->host, indices, i, data->shape[axis], &index));
        copy_element((char *)tn_data(call->outputs[0]) + (size_t)i * size,
                     (const char *)tn_data(data) + (size_t)(walk.offsets[0] + index * step) * size,
                     size);
        walk_on(&walk);
    }
    return TN_OK;
}

tn_status locate_point(const tn_host *host, const tn_view *indices, int64_t point, int64_t depth,
                       const int64_t *extents, int64_t *out_slice) {
    int64_t slice = 0;
    for (int64_t k = 0; k < depth; k++) {
        int64_t index = 0;
        TN_TRY(resolve_index(host, indices, point * depth + k, extents[k], &index));
        slice = slice * extents[k] + index;
    }
    *out_slice = slice;
    return TN_OK;
}

static tn_status run_gather_nd(const tn_run_call *call) {
    const batch_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const int32_t batch_axes = (int32_t)own->batch_dims;
    const int64_t depth = indices->shape[indices->rank - 1];
    const int64_t *extents = data->shape + batch_axes;
    const size_t slice_size =
        (size_t)tn_extent_product(data->shape, (int32_t)(batch_axes + depth), data->rank) *
        TN_DTYPE_SIZE(data->dtype);
    const int64_t slices = tn_extent_product(extents, 0, (int32_t)depth);
    const int64_t points = tn_extent_product(indices->shape, batch_axes, indices->rank - 1);
    const int64_t count = tn_extent_product(indices->shape, 0, indices->rank - 1);
    for (int64_t point = 0; point < count; point++) {
        int64_t slice = 0;
        TN_TRY(locate_point(call->host, indices, point, depth, extents, &slice));
        const int64_t from = point / points * slices + slice;
        memcpy((char *)tn_data(call->outputs[0]) + (size_t)point * slice_size,
               (const char *)tn_data(data) + (size_t)from * slice_size, slice_size);
    }
    return TN_OK;
}

const tn_kernel gather_kernel = {CPU_KERNEL("onnx.Gather"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                 .run = run_gather};
const tn_kernel gather_elements_kernel = {CPU_KERNEL("onnx.GatherElements"),
                                          .flags = TN_KERNEL_MOVES_ELEMENTS,
                                          .run = run_gather_elements};
const tn_kernel gather_nd_kernel = {CPU_KERNEL("onnx.GatherND"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                    .run = run_gather_nd};
