/* Slices of a tensor at points, whose coordinates are a tensor of whole numbers. */
#ifndef KERNELS_VULKAN_POINTS_H
#define KERNELS_VULKAN_POINTS_H

#include "axes.h"
#include "numbers.h"

typedef struct points_walk {
    int scatters; /* input 2's slices go to output 0; otherwise output 0's come from input 0 */
    int64_t points;
    int64_t batch_points;   /* in a batch, each of which has its own part of the tensor */
    uint32_t depth;         /* coordinates of a point, at most SHADER_MAX_AXES */
    const int64_t *extents; /* of the axes that they are of */
    int64_t slice;          /* elements at a point */
    int64_t point_step;     /* from one point's coordinate to the next point's */
    int64_t axis_step;      /* from one coordinate to the next */
} points_walk;

/* The coordinates are input 1. */
void add_points(device_program *program, const tn_prepare_call *call, const points_walk *walk);

#endif
