/* What the kernels of this plugin have in common. */
#ifndef KERNELS_VULKAN_KERNELS_H
#define KERNELS_VULKAN_KERNELS_H

#include <shader_code.h>

#include "program.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* The variant of a shader for float32 or float16. */
#define SHADER_OF(NAME, DTYPE) ((DTYPE) == TN_F16 ? &shader_##NAME##_f16 : &shader_##NAME##_f32)

/* Shaders count elements with 32 bits; half of that range is left for sums of indices. */
#define MAX_ELEMENTS ((int64_t)1 << 31)

/* The dtypes of most kernels. */
static const tn_dtype float_dtypes[] __attribute__((unused)) = {TN_F32, TN_F16};

static inline int is_float_dtype(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F16;
}

static inline int64_t type_count(const tn_tensor_type *type) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        if (__builtin_mul_overflow(count, type->shape.extents[axis], &count)) {
            return MAX_ELEMENTS;
        }
    }
    return count;
}

/* Every tensor is small enough for 32-bit indices. */
static inline int32_t supports_sizes(const tn_kernel_query *query) {
    int32_t fits = 1;
    for (uint32_t i = 0; i < query->input_count; i++) {
        fits =
            fits && (query->inputs[i].dtype == 0 || type_count(&query->inputs[i]) < MAX_ELEMENTS);
    }
    for (uint32_t i = 0; i < query->output_count; i++) {
        fits = fits && type_count(&query->outputs[i]) < MAX_ELEMENTS;
    }
    return fits;
}

static inline int64_t divide_up(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0);
}

static inline int64_t smaller(int64_t left, int64_t right) {
    return left < right ? left : right;
}

static inline int64_t larger(int64_t left, int64_t right) {
    return left > right ? left : right;
}

/* A shape seen from some of its axes: `outer` times their extent times `inner` elements. */
typedef struct axis_split {
    int64_t outer;
    int64_t extent;
    int64_t inner;
} axis_split;

/* The axes from `begin` to `end` (exclusive) together as one. */
static inline axis_split split_axes(const int64_t *extents, int32_t rank, int32_t begin,
                                    int32_t end) {
    return (axis_split){tn_extent_product(extents, 0, begin),
                        tn_extent_product(extents, begin, end),
                        tn_extent_product(extents, end, rank)};
}

/* `axis` counts from the back when negative; inference has checked it. */
static inline axis_split split_axis(const int64_t *extents, int32_t rank, int64_t axis) {
    const int32_t resolved = (int32_t)(axis < 0 ? axis + rank : axis);
    return split_axes(extents, rank, resolved, resolved + 1);
}

/* The bits of a float, for specialisation constants. */
static inline uint32_t bits_of(double value) {
    return tn_bits_from_float((float)value);
}

/* A label is not read: its dtype does not matter. */
static inline int32_t supports_float_data(const tn_kernel_query *query) {
    return is_float_dtype(query->inputs[0].dtype) && is_float_dtype(query->outputs[0].dtype) &&
           supports_sizes(query);
}

/* Output 0 may take the memory of input 0. */
static const tn_in_place in_place_first[] __attribute__((unused)) = {{0, 0}};
#define IN_PLACE .in_place = in_place_first, .in_place_count = 1

#define FLOAT_DTYPES .dtypes = float_dtypes, .dtype_count = COUNT_OF(float_dtypes)

/* Fields of a tn_kernel that are always the same. */
#define SPIRV_KERNEL(NAME, SUPPORTS, PREPARE)                                                      \
    .struct_size = TN_KERNEL_SIZE, .op = (NAME), .target = "spirv", .supports = (SUPPORTS),        \
    .prepare = (PREPARE), .run = program_run, .release = program_release

/* The kernel's own table of the operator's attributes: those it reads. */
#define KERNEL_ATTRIBUTES(TABLE, STRUCT)                                                           \
    .attributes = (TABLE), .attribute_count = COUNT_OF(TABLE),                                     \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

#endif
