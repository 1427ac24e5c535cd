/* Convolutions with one to three spatial axes, forwards and backwards. */
#ifndef KERNELS_VULKAN_DENSE_CONVOLUTION_H
#define KERNELS_VULKAN_DENSE_CONVOLUTION_H

#include "finish.h"

#define SPATIAL_AXES 3

/* Along one spatial axis. */
typedef struct convolution_axis {
    int64_t kernel;
    int64_t stride;
    int64_t dilate;
    int64_t pad;
} convolution_axis;

/* The last `rank` spatial axes are used, those in front are of extent 1. */
typedef struct convolution {
    int is_backwards;
    int32_t rank;
    convolution_axis axes[SPATIAL_AXES];
    int64_t groups;
    const product_finish *finish; /* NULL: none */
} convolution;

/* The axes of a kernel with these lists, which but for `kernel` may be empty. */
convolution convolution_of(const tn_ints *kernel, const tn_ints *stride, const tn_ints *dilate,
                           const tn_ints *pad, int64_t groups, int is_backwards);

/* Inputs data, weight and maybe bias, to output 0. */
void add_convolution(device_program *program, const tn_prepare_call *call,
                     const convolution *described);

typedef struct convolution_attributes {
    tn_ints kernel;
    tn_ints stride;
    tn_ints dilate;
    tn_ints pad;
    tn_ints target_shape; /* Deconvolution only */
    int64_t num_group;
    int32_t layout;   /* the first three have the channels first */
    int32_t auto_pad; /* Convolution only */
} convolution_attributes;

enum { AUTO_PAD_NONE, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER };

#define CONVOLUTION_FIELDS                                                                         \
    TN_FIELD(convolution_attributes, kernel, INTS, NULL, "[1,2147483647]", "The kernel."),         \
        TN_FIELD(convolution_attributes, stride, INTS, "()", "[1,2147483647]", "Its steps."),      \
        TN_FIELD(convolution_attributes, dilate, INTS, "()", "[1,2147483647]", "Its gaps."),       \
        TN_FIELD(convolution_attributes, pad, INTS, "()", "[0,2147483647]", "Zeros around data."), \
        TN_FIELD(convolution_attributes, num_group, INT, "1", "[1,2147483647]", "The groups."),    \
        TN_FIELD_CHOICE(convolution_attributes, layout, "None", "NCW|NCHW|NCDHW|NWC|NHWC|NDHWC",   \
                        "Where the channels are.")

#define CONVOLUTION_AUTO_PAD_FIELD                                                                 \
    TN_FIELD_CHOICE(convolution_attributes, auto_pad, "None", "None|same_upper|same_lower",        \
                    "Chooses the padding.")

/* By convolution_attributes; the inputs beyond bias are not looked at. `finish` may be NULL. */
int32_t supports_convolution(const tn_kernel_query *query);
void add_attributed_convolution(device_program *program, const tn_prepare_call *call,
                                const product_finish *finish);

#endif
