/* The elements under a window put together, at each of its places. */
#ifndef KERNELS_VULKAN_DENSE_POOLING_H
#define KERNELS_VULKAN_DENSE_POOLING_H

#include "convolution.h"

/* As in pooling.comp. */
enum { REDUCE_MAXIMUM, REDUCE_SUM, REDUCE_SQUARES, REDUCE_CUBES, REDUCE_MAGNITUDES };
enum { FINISH_NOTHING, FINISH_ELEMENTS, FINISH_PADDED, FINISH_KERNEL, FINISH_WITH_PADDING };

typedef struct pooling_push {
    int32_t source[SPATIAL_AXES];
    int32_t target[SPATIAL_AXES];
    int32_t kernel[SPATIAL_AXES];
    int32_t stride[SPATIAL_AXES];
    int32_t dilate[SPATIAL_AXES];
    int32_t pad[SPATIAL_AXES];
    int32_t pad_behind[SPATIAL_AXES];
    uint32_t count;
    uint32_t inner;
} pooling_push;

/* Input 0 to output 0; `covered` is how many elements may be under the window. */
void add_pooling(device_program *program, const tn_prepare_call *call, const pooling_push *push,
                 int64_t covered, uint32_t reduction, uint32_t finish);

#endif
