/* A window that moves over the spatial axes of (batch, channels, spatial axes), as ONNX has it. */
#ifndef KERNELS_VULKAN_ONNX_WINDOW_H
#define KERNELS_VULKAN_ONNX_WINDOW_H

#include "dense/convolution.h"

enum { WINDOW_PADS, WINDOW_SAME_UPPER, WINDOW_SAME_LOWER, WINDOW_VALID };

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
#define WINDOW_FIELDS(STRUCT)                                                                      \
    WINDOW_FIELD(STRUCT, auto_pad, ENUM, "NOTSET", "NOTSET|SAME_UPPER|SAME_LOWER|VALID", NULL,     \
                 "Where padding is."),                                                             \
        WINDOW_FIELD(STRUCT, dilations, INTS, "()", NULL, "[1,2147483647]", "Its gaps."),          \
        WINDOW_FIELD(STRUCT, kernel_shape, INTS, "()", NULL, "[1,2147483647]", "Its extents."),    \
        WINDOW_FIELD(STRUCT, pads, INTS, "()", NULL, "[-2147483648,2147483647]",                   \
                     "Padding in front, then behind."),                                            \
        WINDOW_FIELD(STRUCT, strides, INTS, "()", NULL, "[1,2147483647]", "Its steps.")

/* Along one axis, over `extent` elements. */
typedef struct window_axis {
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t pad; /* in front */
    int64_t pad_behind;
} window_axis;

/* Spatial axis `index` of `rank`; `kernel` is the window's extent there. */
window_axis window_axis_of(const window_attributes *given, int32_t index, int32_t rank,
                           int64_t kernel, int64_t extent);

/* Shaders compute places with 31 bits. */
int32_t window_fits(const window_axis *axis, int64_t extent, int64_t places);

static inline int64_t window_listed(const tn_ints *list, int32_t index, int64_t otherwise) {
    return list->count > 0 ? list->values[index] : otherwise;
}

#endif
