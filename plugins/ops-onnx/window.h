/*
 * A window that moves over the spatial axes of data (batch, channels, spatial axes), as convolution
 * and pooling have it: attributes, padding, and places.
 */
#ifndef OPS_ONNX_WINDOW_H
#define OPS_ONNX_WINDOW_H

#include <tenon/plugin.h>

#define WINDOW_MAX_RANK 4

enum { AUTO_PAD_NOTSET, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER, AUTO_PAD_VALID };

typedef struct window_attributes {
    int32_t auto_pad;
    tn_ints dilations;
    tn_ints kernel_shape;
    tn_ints pads;
    tn_ints strides;
} window_attributes;

/* Rows of the table of a struct that begins with a field `window`. */
#define WINDOW_FIELD(STRUCT, FIELD, TYPE, DEFAULT, CHOICES, RANGE, DOC)                            \
    { #FIELD, TN_ATTRIBUTE_##TYPE, 0, offsetof(STRUCT, window.FIELD), DEFAULT, CHOICES, RANGE, DOC }
#define WINDOW_FIELDS(STRUCT)                                                                       \
    WINDOW_FIELD(STRUCT, auto_pad, ENUM, "NOTSET", "NOTSET|SAME_UPPER|SAME_LOWER|VALID", NULL,      \
                 "NOTSET: `pads` holds; VALID: no padding; SAME_…: one place for each stride of " \
                 "the data, with an odd row of padding behind (UPPER) or in front (LOWER)."),       \
        WINDOW_FIELD(STRUCT, dilations, INTS, "()", NULL, "[1,2147483647]",                         \
                     "Distances between the elements under the window; ones when left out."),       \
        WINDOW_FIELD(STRUCT, kernel_shape, INTS, "()", NULL, "[1,2147483647]",                      \
                     "The window's extents; the weight's where there is one."),                     \
        WINDOW_FIELD(STRUCT, pads, INTS, "()", NULL, "[-2147483648,2147483647]",                    \
                     "Padding in front of every spatial axis, then behind every one."),             \
        WINDOW_FIELD(STRUCT, strides, INTS, "()", NULL, "[1,2147483647]",                           \
                     "Steps of the window along each axis; ones when left out.")

typedef struct window_axis {
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t pad; /* in front */
    int64_t pad_behind;
    int64_t extent; /* of the data */
    int64_t places; /* TN_UNKNOWN when the extent is */
} window_axis;

typedef struct sliding_window {
    int32_t rank;
    window_axis axes[WINDOW_MAX_RANK];
} sliding_window;

/* The window over `rank` spatial axes. `kernel` are the extents of a weight, or NULL: the attribute
 * says them. With `ceil_mode` a last place may reach beyond the padding, as long as it begins
 * within the data or the padding in front. */
tn_status window_find(const tn_host *host, const window_attributes *attributes, int32_t rank,
                      const int64_t *extents, const int64_t *kernel, int ceil_mode,
                      sliding_window *out_window);

/* How many spatial axes data of a shape has; fails when there are none or too many. */
tn_status window_rank(const tn_host *host, const tn_shape *data, int32_t *out_rank);

int64_t window_places(const sliding_window *window);
int64_t window_kernel_size(const sliding_window *window);

/* The kernel offsets first ≤ i < end for which place * stride - pad + i * dilation is within the
 * data; places outside have none. */
void window_reach(const window_axis *axis, int64_t place, int64_t *out_first, int64_t *out_end);

#endif
