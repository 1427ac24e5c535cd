/* Matrix units for float16, for shaders with matrix_units.glsl. */
#ifndef KERNELS_VULKAN_DENSE_MATRIX_UNITS_H
#define KERNELS_VULKAN_DENSE_MATRIX_UNITS_H

#include "kernels.h"

/* The bit of the form of matrices that the shaders are written in, GL_NV_cooperative_matrix. */
#define MATRIX_UNITS_FORM 1u
#define MATRIX_UNITS_SUBGROUP 32u
/* More than any of the shaders takes. */
#define MATRIX_UNITS_SHARED_MEMORY ((uint32_t)32 << 10)

/* What a workgroup does. */
typedef struct matrix_units_tile {
    int64_t rows;
    int64_t columns;
    int64_t depth; /* terms at once */
} matrix_units_tile;

/* As meson.build compiles the shaders. */
static const matrix_units_tile matrix_units_large = {128, 256, 32};
static const matrix_units_tile matrix_units_small = {64, 64, 64};

/* With fewer large tiles a device has processors without work, which costs more than what large
 * tiles gain. */
#define ENOUGH_LARGE_TILES 100

static inline int has_matrix_units(const device_program *program) {
    const tn_device_limits *limits = program_limits(program);
    return (limits->has_cooperative_matrix & MATRIX_UNITS_FORM) != 0 &&
           limits->subgroup_size == MATRIX_UNITS_SUBGROUP &&
           limits->shared_memory_size >= MATRIX_UNITS_SHARED_MEMORY;
}

#endif
