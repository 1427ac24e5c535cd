#include "window.h"

window_axis window_axis_of(const window_attributes *given, int32_t index, int32_t rank,
                           int64_t kernel, int64_t extent) {
    const int is_explicit = given->auto_pad == WINDOW_PADS;
    window_axis axis = {
        .kernel = kernel,
        .stride = window_listed(&given->strides, index, 1),
        .dilation = window_listed(&given->dilations, index, 1),
        .pad = is_explicit ? window_listed(&given->pads, index, 0) : 0,
        .pad_behind = is_explicit ? window_listed(&given->pads, rank + index, 0) : 0,
    };
    if (given->auto_pad == WINDOW_SAME_UPPER || given->auto_pad == WINDOW_SAME_LOWER) {
        const int64_t places = divide_up(extent, axis.stride);
        const int64_t reach = (kernel - 1) * axis.dilation + 1;
        const int64_t needed =
            places > 0 ? larger(0, (places - 1) * axis.stride + reach - extent) : 0;
        axis.pad = given->auto_pad == WINDOW_SAME_UPPER ? needed / 2 : needed - needed / 2;
        axis.pad_behind = needed - axis.pad;
    }
    return axis;
}

int32_t window_fits(const window_axis *axis, int64_t extent, int64_t places) {
    const int64_t most = INT32_MAX / 4;
    return axis->kernel <= most && axis->dilation <= most &&
           axis->kernel * axis->dilation <= most && axis->stride <= most && axis->pad <= most &&
           axis->pad >= -most && axis->pad_behind <= most && axis->pad_behind >= -most &&
           (larger(extent, places) + 1) * axis->stride <= most;
}
