/* What the shaders of a convolution are told, and the launch on matrix units. */
#ifndef KERNELS_VULKAN_DENSE_CONVOLUTION_PUSH_H
#define KERNELS_VULKAN_DENSE_CONVOLUTION_PUSH_H

#include "convolution.h"

/* As in convolution.glsl. */
typedef struct convolution_push {
    int32_t source[SPATIAL_AXES];
    uint32_t target[SPATIAL_AXES];
    int32_t stride[SPATIAL_AXES];
    int32_t dilate[SPATIAL_AXES];
    int32_t pad[SPATIAL_AXES];
    uint32_t channels;
    uint32_t filters;
    uint32_t groups;
    uint32_t columns;
    uint32_t places;
    uint32_t terms;
    uint32_t has_bias;
} convolution_push;

/* As in convolution.glsl with FINISHES. */
typedef struct finished_convolution_push {
    convolution_push convolution;
    float alpha;
    float beta;
} finished_convolution_push;

/* convolution_matrix.c */
int suits_convolution_matrix(const device_program *program, const convolution_push *push,
                             tn_dtype dtype, int is_backwards);
/* `launch` has the bindings and the push; `kernel` are the constants 2 to 4, the kernel's extents.
 */
void add_convolution_matrix(device_program *program, const convolution_push *push,
                            const tn_specialization *kernel, const program_launch *launch);

#endif
