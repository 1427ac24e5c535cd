#include "window.h"

static int64_t listed(const tn_ints *list, int32_t axis, int64_t otherwise) {
    return list->count > 0 ? list->values[axis] : otherwise;
}

static tn_status check_count(const tn_host *host, const char *name, const tn_ints *list,
                             int32_t expected) {
    if (list->count > 0 && list->count != expected) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has %lld values, expected %d", name,
                       (long long)list->count, (int)expected);
    }
    return TN_OK;
}

static tn_status check_attributes(const tn_host *host, const window_attributes *attributes,
                                  int32_t rank, const int64_t *kernel) {
    TN_TRY(check_count(host, "strides", &attributes->strides, rank));
    TN_TRY(check_count(host, "dilations", &attributes->dilations, rank));
    TN_TRY(check_count(host, "pads", &attributes->pads, 2 * rank));
    TN_TRY(check_count(host, "kernel_shape", &attributes->kernel_shape, rank));
    if (kernel == NULL && attributes->kernel_shape.count == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "kernel_shape is missing");
    }
    for (int32_t i = 0; kernel != NULL && i < attributes->kernel_shape.count; i++) {
        if (kernel[i] >= 0 && kernel[i] != attributes->kernel_shape.values[i]) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "kernel_shape says %lld along axis %d, but the weight has %lld",
                           (long long)attributes->kernel_shape.values[i], (int)i,
                           (long long)kernel[i]);
        }
    }
    return TN_OK;
}

/* One place for each stride, with the padding that this needs shared out to both sides. */
static void pad_for_same(window_axis *axis, int is_upper) {
    const int64_t reach = (axis->kernel - 1) * axis->dilation + 1;
    axis->places = (axis->extent + axis->stride - 1) / axis->stride;
    const int64_t needed = (axis->places - 1) * axis->stride + reach - axis->extent;
    const int64_t padding = needed > 0 && axis->places > 0 ? needed : 0;
    axis->pad = is_upper ? padding / 2 : padding - padding / 2;
    axis->pad_behind = padding - axis->pad;
}

/* How often a window that does not fit goes into the data: not at all, once where the room is
 * rounded up to it, and where even that is not enough there is an error. */
static tn_status count_without_room(const tn_host *host, window_axis *axis, int64_t missing,
                                    int ceil_mode) {
    const int64_t rounded = ceil_mode ? missing : missing + axis->stride - 1;
    axis->places = 1 - rounded / axis->stride;
    if (axis->places < 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a window of %lld elements does not fit into %lld with padding %lld and "
                       "%lld",
                       (long long)((axis->kernel - 1) * axis->dilation + 1),
                       (long long)axis->extent, (long long)axis->pad, (long long)axis->pad_behind);
    }
    return TN_OK;
}

static tn_status count_places(const tn_host *host, window_axis *axis, int ceil_mode) {
    const int64_t reach = (axis->kernel - 1) * axis->dilation + 1;
    const int64_t room = axis->extent + axis->pad + axis->pad_behind - reach;
    if (room < 0) {
        return count_without_room(host, axis, -room, ceil_mode);
    }
    axis->places = room / axis->stride + 1;
    if (ceil_mode && room % axis->stride != 0 &&
        axis->places * axis->stride < axis->extent + axis->pad) {
        axis->places++;
    }
    return TN_OK;
}

tn_status window_find(const tn_host *host, const window_attributes *attributes, int32_t rank,
                      const int64_t *extents, const int64_t *kernel, int ceil_mode,
                      sliding_window *out_window) {
    const int32_t mode = attributes->auto_pad;
    TN_TRY(check_attributes(host, attributes, rank, kernel));
    out_window->rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        const int64_t own = listed(&attributes->kernel_shape, i, TN_UNKNOWN);
        window_axis axis = {
            .kernel = kernel != NULL && kernel[i] >= 0 ? kernel[i] : own,
            .stride = listed(&attributes->strides, i, 1),
            .dilation = listed(&attributes->dilations, i, 1),
            .pad = mode == AUTO_PAD_NOTSET ? listed(&attributes->pads, i, 0) : 0,
            .pad_behind = mode == AUTO_PAD_NOTSET ? listed(&attributes->pads, rank + i, 0) : 0,
            .extent = extents[i],
            .places = TN_UNKNOWN,
        };
        if (axis.kernel > INT32_MAX || axis.extent > INT64_MAX / 4) {
            return tn_fail(host, TN_OUT_OF_RANGE,
                           "a window of %lld over %lld elements is too large",
                           (long long)axis.kernel, (long long)axis.extent);
        }
        if (axis.extent >= 0 && axis.kernel >= 0) {
            if (mode == AUTO_PAD_SAME_UPPER || mode == AUTO_PAD_SAME_LOWER) {
                pad_for_same(&axis, mode == AUTO_PAD_SAME_UPPER);
            } else {
                TN_TRY(count_places(host, &axis, ceil_mode));
            }
        }
        out_window->axes[i] = axis;
    }
    return TN_OK;
}

tn_status window_rank(const tn_host *host, const tn_shape *data, int32_t *out_rank) {
    const int32_t rank = data->rank - 2;
    if (rank < 1 || rank > WINDOW_MAX_RANK) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "data has %d axes, expected a batch, channels and 1 to %d spatial axes",
                       (int)data->rank, WINDOW_MAX_RANK);
    }
    *out_rank = rank;
    return TN_OK;
}

int64_t window_places(const sliding_window *window) {
    int64_t count = 1;
    for (int32_t i = 0; i < window->rank; i++) {
        count *= window->axes[i].places;
    }
    return count;
}

int64_t window_kernel_size(const sliding_window *window) {
    int64_t count = 1;
    for (int32_t i = 0; i < window->rank; i++) {
        count *= window->axes[i].kernel;
    }
    return count;
}

void window_reach(const window_axis *axis, int64_t place, int64_t *out_first, int64_t *out_end) {
    const int64_t start = place * axis->stride - axis->pad;
    const int64_t left = axis->extent - start;
    int64_t first = start < 0 ? (-start + axis->dilation - 1) / axis->dilation : 0;
    int64_t end = left <= 0 ? 0 : (left + axis->dilation - 1) / axis->dilation;
    end = end < axis->kernel ? end : axis->kernel;
    *out_first = first;
    *out_end = end < first ? first : end;
}
