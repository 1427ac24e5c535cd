#include "convolution_shape.h"

#include "one_output.h"
#include "shapes.h"

tn_status convolution_window(const tn_host *host, const convolution_attributes *own,
                             const tn_shape *data, const tn_shape *weight,
                             sliding_window *out_window) {
    int32_t rank = 0;
    TN_TRY(window_rank(host, data, &rank));
    if (weight->rank != data->rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "data has %d axes, but the weight %d",
                       (int)data->rank, (int)weight->rank);
    }
    return window_find(host, &own->window, rank, data->extents + 2, weight->extents + 2, 0,
                       out_window);
}

static tn_status check_count(const tn_host *host, const char *what, const tn_ints *list,
                             int32_t rank) {
    if (list->count > 0 && list->count != rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has %lld values, expected %d", what,
                       (long long)list->count, (int)rank);
    }
    return TN_OK;
}

/* What the padding takes away from both ends, shared out as the attributes say. An output that is
 * larger than the window reaches has its zeros behind. */
static void share_padding(const window_attributes *own, window_axis *axis, int64_t total) {
    const int64_t shared = total > 0 ? total : 0, half = shared / 2;
    axis->pad = own->auto_pad == AUTO_PAD_SAME_UPPER ? half : shared - half;
    axis->pad_behind = total - axis->pad;
}

static tn_status transpose_axis(const tn_host *host, const convolution_attributes *own, int32_t i,
                                int32_t rank, int64_t places, window_axis *axis) {
    const window_attributes *window = &own->window;
    const int64_t adjust = own->output_padding.count > 0 ? own->output_padding.values[i] : 0;
    int64_t whole = 0;
    if (__builtin_mul_overflow(places - 1, axis->stride, &whole) ||
        __builtin_add_overflow(whole, (axis->kernel - 1) * axis->dilation + 1 + adjust, &whole)) {
        return tn_fail(host, TN_OUT_OF_RANGE, "the output would be too large");
    }
    axis->places = places;
    axis->pad = window->pads.count > 0 ? window->pads.values[i] : 0;
    axis->pad_behind = window->pads.count > 0 ? window->pads.values[rank + i] : 0;
    axis->extent = whole - axis->pad - axis->pad_behind;
    if (own->output_shape.count > 0) {
        axis->extent = own->output_shape.values[i];
        share_padding(window, axis, whole - axis->extent);
    } else if (window->auto_pad == AUTO_PAD_VALID) {
        axis->pad = axis->pad_behind = 0;
        axis->extent = whole;
    } else if (window->auto_pad != AUTO_PAD_NOTSET) {
        axis->extent = places * axis->stride;
        share_padding(window, axis, whole - axis->extent);
    }
    if (axis->extent < 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the padding is larger than the output");
    }
    return TN_OK;
}

tn_status transposed_window(const tn_host *host, const convolution_attributes *own,
                            const tn_shape *data, const tn_shape *weight,
                            sliding_window *out_window) {
    int32_t rank = 0;
    int64_t unknown[WINDOW_MAX_RANK] = {TN_UNKNOWN, TN_UNKNOWN, TN_UNKNOWN, TN_UNKNOWN};
    TN_TRY(window_rank(host, data, &rank));
    if (weight->rank != data->rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "data has %d axes, but the weight %d",
                       (int)data->rank, (int)weight->rank);
    }
    TN_TRY(check_count(host, "output_padding", &own->output_padding, rank));
    TN_TRY(check_count(host, "output_shape", &own->output_shape, rank));
    TN_TRY(window_find(host, &own->window, rank, unknown, weight->extents + 2, 0, out_window));
    for (int32_t i = 0; i < rank; i++) {
        if (data->extents[2 + i] >= 0 && out_window->axes[i].kernel >= 0) {
            TN_TRY(transpose_axis(host, own, i, rank, data->extents[2 + i], &out_window->axes[i]));
        }
    }
    return TN_OK;
}

tn_status infer_convolution(tn_infer_call *call, uint32_t data_input, uint32_t weight_input,
                            uint32_t bias_input) {
    const convolution_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[data_input].shape;
    const tn_shape *weight = &call->inputs[weight_input].shape;
    sliding_window window;
    if (data->rank < 0 || weight->rank < 0) {
        return TN_OK;
    }
    TN_TRY(convolution_window(call->host, own, data, weight, &window));
    int64_t channels = data->extents[1], expected = 0;
    TN_TRY(multiply_extents(call->host, weight->extents[1], own->group, &expected));
    TN_TRY(infer_same_extent(call->host, "channels of data and weight", &channels, &expected));
    if (weight->extents[0] >= 0 && weight->extents[0] % own->group != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "the weight makes %lld channels, which is not a multiple of group=%lld",
                       (long long)weight->extents[0], (long long)own->group);
    }
    tn_shape *bias = bias_input < call->input_count ? &call->inputs[bias_input].shape : NULL;
    if (bias != NULL && bias->rank >= 0) {
        const tn_shape filters = tn_shape_of(1, weight->extents);
        TN_TRY(tn_infer_shape(call->host, "the bias", bias, &filters));
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    result.extents[0] = data->extents[0];
    result.extents[1] = weight->extents[0];
    for (int32_t i = 0; i < window.rank; i++) {
        result.extents[2 + i] = window.axes[i].places;
    }
    return infer_output_shape(call, &result);
}

tn_status add_workspace(const tn_host *host, int64_t a, int64_t b, uint64_t *size) {
    uint64_t product = 0;
    if (__builtin_mul_overflow((uint64_t)a, (uint64_t)b, &product) ||
        __builtin_mul_overflow(product, sizeof(double), &product) ||
        __builtin_add_overflow(product, *size, size)) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "the workspace would be too large");
    }
    return TN_OK;
}
