#include "window.h"

#include "size.h"

tn_status window_check_list(const tn_host *host, const char *name, const tn_ints *list,
                            int32_t rank) {
    if (list->count > 0 && list->count != rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has %lld elements, but kernel has %d", name,
                       (long long)list->count, (int)rank);
    }
    return TN_OK;
}

/* Element `axis` of a list, which may be left empty. */
static int64_t list_element(const tn_ints *list, int32_t axis, int64_t otherwise) {
    return list->count > 0 ? list->values[axis] : otherwise;
}

tn_status window_init(const tn_host *host, const tn_ints *kernel, const tn_ints *stride,
                      const tn_ints *dilate, const tn_ints *pad, sliding_window *out_window) {
    if (kernel->count < 1 || kernel->count > WINDOW_MAX_RANK) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "kernel has %lld elements, expected 1 to %d",
                       (long long)kernel->count, WINDOW_MAX_RANK);
    }
    sliding_window result = {.rank = (int32_t)kernel->count};
    TN_TRY(window_check_list(host, "stride", stride, result.rank));
    TN_TRY(window_check_list(host, "dilate", dilate, result.rank));
    const int has_both_sides = pad->count == 2 * (int64_t)result.rank;
    if (!has_both_sides) {
        TN_TRY(window_check_list(host, "pad", pad, result.rank));
    }
    for (int32_t i = 0; i < result.rank; i++) {
        result.axes[i] =
            (window_axis){.kernel = kernel->values[i],
                          .stride = list_element(stride, i, 1),
                          .dilate = list_element(dilate, i, 1),
                          .pad = list_element(pad, i, 0),
                          .pad_behind = list_element(pad, has_both_sides ? result.rank + i : i, 0)};
    }
    *out_window = result;
    return TN_OK;
}

tn_status window_padded_extent(const tn_host *host, const window_axis *axis, int64_t extent,
                               int64_t *out_extent) {
    if (__builtin_add_overflow(extent, axis->pad + axis->pad_behind, out_extent)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "an extent of %lld is too large to be padded",
                       (long long)extent);
    }
    return TN_OK;
}

void window_pad_same(window_axis *axis, int64_t extent, int is_longer_behind) {
    const int64_t places = divide_up(extent, axis->stride);
    const int64_t last = larger(0, places - 1) * axis->stride;
    const int64_t padding = places > 0 ? larger(0, window_span(axis) - (extent - last)) : 0;
    axis->pad = is_longer_behind ? padding / 2 : padding - padding / 2;
    axis->pad_behind = padding - axis->pad;
}

tn_status window_places(const tn_host *host, const sliding_window *window, int32_t axis,
                        int64_t extent, int64_t *out_places) {
    const window_axis *along = &window->axes[axis];
    int64_t padded = TN_UNKNOWN;
    if (extent < 0) {
        *out_places = TN_UNKNOWN;
        return TN_OK;
    }
    TN_TRY(window_padded_extent(host, along, extent, &padded));
    if (padded < window_span(along)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "the kernel spans %lld elements along spatial axis %d, but the padded data "
                       "has %lld",
                       (long long)window_span(along), (int)axis, (long long)padded);
    }
    *out_places = (padded - window_span(along)) / along->stride + 1;
    return TN_OK;
}

tn_status window_layout(const tn_host *host, int32_t layout, int32_t rank, int *out_channels_last) {
    static const char *const names[] = {"NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC"};
    if (layout >= 0 && layout % WINDOW_MAX_RANK != rank - 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "layout %s does not fit %d spatial axes",
                       names[layout], (int)rank);
    }
    *out_channels_last = layout >= WINDOW_MAX_RANK;
    return TN_OK;
}

void window_extend(const sliding_window *window, window_axis axes[WINDOW_MAX_RANK]) {
    const int32_t front = WINDOW_MAX_RANK - window->rank;
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        axes[i] = i < front ? (window_axis){1, 1, 1, 0, 0} : window->axes[i - front];
    }
}

void window_extend_extents(int32_t rank, const int64_t *extents,
                           int64_t extended[WINDOW_MAX_RANK]) {
    const int32_t front = WINDOW_MAX_RANK - rank;
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        extended[i] = i < front ? 1 : extents[i - front];
    }
}
