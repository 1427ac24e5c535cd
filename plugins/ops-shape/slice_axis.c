/* slice_axis and slice_like: a run of indices along some axes. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct slice_axis_attributes {
    int64_t axis;
    int64_t begin;
    int64_t end;
} slice_axis_attributes;

static const tn_attribute slice_axis_table[] = {
    TN_FIELD(slice_axis_attributes, axis, INT, NULL, "[-32,31]", "The axis to slice."),
    TN_FIELD(slice_axis_attributes, begin, INT, NULL, NULL,
             "The first index, from the back when negative."),
    TN_FIELD_OR_NONE(slice_axis_attributes, end, INT, NULL, NULL,
                     "The index to stop before, from the back when negative; None is the axis' "
                     "end."),
};

typedef struct slice_like_attributes {
    tn_ints axes;
} slice_like_attributes;

static const tn_attribute slice_like_table[] = {
    TN_FIELD(slice_like_attributes, axes, INTS, "()", "[-32,31]",
             "The axes to slice; empty: all of them."),
};

static tn_status resolve_run(const tn_host *host, const slice_axis_attributes *given,
                             int64_t extent, int64_t *out_begin, int64_t *out_count) {
    const int64_t begin = given->begin < 0 ? given->begin + extent : given->begin;
    const int64_t end = given->end == TN_NONE ? extent
                        : given->end < 0      ? given->end + extent
                                              : given->end;
    if (begin < 0 || end < begin || end > extent) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "begin %lld and end %lld are not a range within an axis of extent %lld",
                       (long long)begin, (long long)end, (long long)extent);
    }
    *out_begin = begin;
    *out_count = end - begin;
    return TN_OK;
}

static tn_status slice_axis_infer(tn_infer_call *call) {
    const slice_axis_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    int64_t begin = 0;
    int32_t axis = 0;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
    tn_shape fact = *data;
    if (data->extents[axis] >= 0) {
        TN_TRY(resolve_run(call->host, given, data->extents[axis], &begin, &fact.extents[axis]));
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    fact = *output;
    fact.extents[axis] = data->extents[axis];
    return tn_infer_shape(call->host, "data", data, &fact);
}

/* The move of the output's extents from the input, beginning at `offset` elements. */
static tn_status prepare_region(tn_prepare_call *call, int64_t offset) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, source);
    view_strides(output, target);
    strided_copy *copy = &list->moves[0].copy;
    for (int32_t axis = 0; axis < data->rank; axis++) {
        strided_copy_add_axis(copy, output->shape[axis], source[axis], target[axis]);
    }
    strided_copy_offset(copy, offset, 0);
    strided_copy_finish(copy);
    return TN_OK;
}

tn_status slice_axis_prepare(tn_prepare_call *call) {
    const slice_axis_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    int64_t begin = 0, count = 0;
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
    TN_TRY(resolve_run(call->host, given, data->shape[axis], &begin, &count));
    return prepare_region(call, begin * tn_extent_product(data->shape, axis + 1, data->rank));
}

/* Takes the extent of one axis over from the second input. */
static tn_status infer_like(const tn_host *host, const tn_shape *data, int32_t axis,
                            int64_t like_extent, tn_shape *fact) {
    if (like_extent > data->extents[axis] && data->extents[axis] >= 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "axis %d has extent %lld, but shape_like asks for %lld", (int)axis,
                       (long long)data->extents[axis], (long long)like_extent);
    }
    fact->extents[axis] = like_extent;
    return TN_OK;
}

static tn_status slice_like_infer(tn_infer_call *call) {
    const slice_like_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape *like = &call->inputs[1].shape;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    if (data->shape.rank < 0 || like->rank < 0) {
        return TN_OK;
    }
    if (given->axes.count == 0 && data->shape.rank != like->rank) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d and shape_like %d: expected the same, or axes",
                       (int)data->shape.rank, (int)like->rank);
    }
    tn_shape fact = data->shape;
    for (int32_t axis = 0; given->axes.count == 0 && axis < fact.rank; axis++) {
        TN_TRY(infer_like(call->host, &data->shape, axis, like->extents[axis], &fact));
    }
    for (int64_t i = 0; i < given->axes.count; i++) {
        int32_t axis = 0, like_axis = 0;
        TN_TRY(tn_resolve_axis(call->host, given->axes.values[i], fact.rank, &axis));
        TN_TRY(tn_resolve_axis(call->host, given->axes.values[i], like->rank, &like_axis));
        TN_TRY(infer_like(call->host, &data->shape, axis, like->extents[like_axis], &fact));
    }
    return tn_infer_shape(call->host, "output", &output->shape, &fact);
}

tn_status slice_like_prepare(tn_prepare_call *call) {
    return prepare_region(call, 0);
}

const tn_op slice_axis_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The indices from begin until before end along one axis.",
    OP_ATTRIBUTES(slice_axis_table, slice_axis_attributes),
    OP_INPUTS(data_name),
    .infer = slice_axis_infer,
};

static const char *const slice_like_names[] = {"data", "shape_like"};

const tn_op slice_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The leading part of data that has the extents of shape_like, along all axes or some.",
    OP_ATTRIBUTES(slice_like_table, slice_like_attributes),
    OP_INPUTS(slice_like_names),
    .infer = slice_like_infer,
};
