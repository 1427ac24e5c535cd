/*
 * The window that convolutions and poolings move over the spatial axes of their data: what their
 * attributes kernel, stride, dilate, pad and layout say.
 */
#ifndef OPS_NN_WINDOW_H
#define OPS_NN_WINDOW_H

#include <tenon/plugin.h>

#define WINDOW_MAX_RANK 3

/* Attributes stay below 2^31, so that the product of two fits 64 bits. */
#define WINDOW_RANGE_ONE "[1,2147483647]"
#define WINDOW_RANGE_ZERO "[0,2147483647]"

#define WINDOW_LAYOUTS "NCW|NCHW|NCDHW|NWC|NHWC|NDHWC"
#define WINDOW_LAYOUT_DOC                                                                          \
    "How the axes of data are ordered: channels first (NCW, NCHW, NCDHW, the default) or last."

typedef struct window_axis {
    int64_t kernel;
    int64_t stride;
    int64_t dilate;
    int64_t pad; /* in front */
    int64_t pad_behind;
} window_axis;

typedef struct sliding_window {
    int32_t rank; /* 1 to 3 */
    window_axis axes[WINDOW_MAX_RANK];
} sliding_window;

/* Fails when the list is neither empty nor has an element for each of `rank` axes. */
tn_status window_check_list(const tn_host *host, const char *name, const tn_ints *list,
                            int32_t rank);

/* What a list `pad` may hold. */
#define WINDOW_PAD_DOC                                                                             \
    "a number for each axis, the same in front and behind; or all axes' numbers in front, and "    \
    "then "                                                                                        \
    "all behind; none when left out."

/* Reads the lists. Those but `kernel` may be empty, which means ones, or zeros for `pad`. */
tn_status window_init(const tn_host *host, const tn_ints *kernel, const tn_ints *stride,
                      const tn_ints *dilate, const tn_ints *pad, sliding_window *out_window);

/* How far the first and the last element under the kernel are apart, plus 1. */
static inline int64_t window_span(const window_axis *axis) {
    return (axis->kernel - 1) * axis->dilate + 1;
}

/* As much padding as it takes for one place for each stride of the data. An odd one is longer
 * behind, or in front. */
void window_pad_same(window_axis *axis, int64_t extent, int is_longer_behind);

/* How many places the window takes that lie wholly on the padded data; fails when there is none.
 * TN_UNKNOWN gives TN_UNKNOWN. */
tn_status window_places(const tn_host *host, const sliding_window *window, int32_t axis,
                        int64_t extent, int64_t *out_places);

/* The extent of padded data; fails when it is too large a number. */
tn_status window_padded_extent(const tn_host *host, const window_axis *axis, int64_t extent,
                               int64_t *out_extent);

/* Whether the attribute layout (an index into WINDOW_LAYOUTS, or -1) puts the channels last. Fails
 * when it is for another number of spatial axes than `rank`. */
tn_status window_layout(const tn_host *host, int32_t layout, int32_t rank, int *out_channels_last);

/* A window of `rank` axes as one of three, and extents likewise: axes in front are of extent 1. */
void window_extend(const sliding_window *window, window_axis axes[WINDOW_MAX_RANK]);
void window_extend_extents(int32_t rank, const int64_t *extents, int64_t extended[WINDOW_MAX_RANK]);

#endif
