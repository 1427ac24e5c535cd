#include "reduced_axes.h"

tn_status resolve_reduced_axes(const tn_host *host, const tn_ints *axis, int exclude, int32_t rank,
                               reduced_axes *out_axes) {
    reduced_axes axes;
    const int all = axis->count <= 0;
    memset(&axes, all || exclude, sizeof axes);
    for (int64_t i = 0; i < axis->count; i++) {
        int32_t named = 0;
        TN_TRY(tn_resolve_axis(host, axis->values[i], rank, &named));
        if (axes.is_reduced[named] == !exclude) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "axis %d is named twice", (int)named);
        }
        axes.is_reduced[named] = !exclude;
    }
    *out_axes = axes;
    return TN_OK;
}

/* The number of the output's axis that stands for `axis` of the data; TN_UNKNOWN: none does. */
static int32_t output_axis(const reduced_axes *axes, int keepdims, int32_t axis) {
    if (keepdims) {
        return axis;
    }
    int32_t kept = 0;
    for (int32_t before = 0; before < axis; before++) {
        kept += !axes->is_reduced[before];
    }
    return axes->is_reduced[axis] ? TN_UNKNOWN : kept;
}

tn_status infer_reduced_shape(tn_infer_call *call, const reduced_axes *axes, int keepdims) {
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape reduced = tn_shape_of_rank(0);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (keepdims || !axes->is_reduced[axis]) {
            reduced.extents[reduced.rank++] = axes->is_reduced[axis] ? 1 : data->extents[axis];
        }
    }
    if (reduced.rank == 0 && !keepdims) {
        reduced.extents[reduced.rank++] = 1;
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &reduced));
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (data->extents[axis] < 0 && !axes->is_reduced[axis]) {
            data->extents[axis] = output->extents[output_axis(axes, keepdims, axis)];
        }
    }
    return TN_OK;
}

tn_status check_not_empty(const tn_infer_call *call, const reduced_axes *axes) {
    const tn_shape *data = &call->inputs[0].shape;
    if (!tn_shape_is_known(data)) {
        return TN_OK;
    }
    int output_is_empty = 0;
    int reduces_nothing = 0;
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (data->extents[axis] == 0) {
            reduces_nothing |= axes->is_reduced[axis];
            output_is_empty |= !axes->is_reduced[axis];
        }
    }
    if (reduces_nothing && !output_is_empty) {
        char text[256];
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has shape %s: there is no element to choose from",
                       tn_shape_text(data, text, sizeof text));
    }
    return TN_OK;
}
