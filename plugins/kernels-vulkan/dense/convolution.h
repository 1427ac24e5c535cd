/* Convolutions with one to three spatial axes, forwards and backwards. */
#ifndef KERNELS_VULKAN_DENSE_CONVOLUTION_H
#define KERNELS_VULKAN_DENSE_CONVOLUTION_H

#include "kernels.h"

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
} convolution;

/* The axes of a kernel with these lists, which but for `kernel` may be empty. */
convolution convolution_of(const tn_ints *kernel, const tn_ints *stride, const tn_ints *dilate,
                           const tn_ints *pad, int64_t groups, int is_backwards);

/* Inputs data, weight and maybe bias, to output 0. */
void add_convolution(device_program *program, const tn_prepare_call *call,
                     const convolution *described);

#endif
