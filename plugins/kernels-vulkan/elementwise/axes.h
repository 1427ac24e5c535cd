/*
 * Axes of several operands that are walked together, joined where their elements follow one
 * another anyway: shaders divide once for each axis.
 */
#ifndef KERNELS_VULKAN_AXES_H
#define KERNELS_VULKAN_AXES_H

#include <tenon/plugin.h>

#define AXES_OPERANDS 2
#define AXES_CAPACITY (2 * TN_MAX_RANK)

/* As many as the shaders with axes.glsl take. */
#define SHADER_MAX_AXES 8u

/* From the outermost to the innermost. Strides count elements. */
typedef struct joined_axes {
    uint32_t rank;
    int64_t extents[AXES_CAPACITY];
    int64_t strides[AXES_OPERANDS][AXES_CAPACITY];
} joined_axes;

/* Adds an axis inside those that are there. An extent of 1 adds nothing. */
void axes_add(joined_axes *axes, int64_t extent, int64_t first_stride, int64_t second_stride);

/* At least one axis, of extent 1 if need be. */
void axes_finish(joined_axes *axes);

/* How many steps the walk has. */
int64_t axes_count(const joined_axes *axes);

/* The strides of a compact tensor. */
void axes_compact_strides(int32_t rank, const int64_t *extents, int64_t strides[TN_MAX_RANK]);

/* The strides of an operand that is stretched to `rank` axes, aligned at the last one. */
void axes_stretched_strides(int32_t own_rank, const int64_t *extents, int32_t rank,
                            int64_t strides[TN_MAX_RANK]);

/* As the push constants have them: `count` items, 0 beyond the rank. */
void axes_store(const int64_t *values, uint32_t rank, uint32_t *target, uint32_t count);

#endif
