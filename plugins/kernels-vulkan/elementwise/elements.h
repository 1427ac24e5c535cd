/* Dtypes as the shaders of this folder number them, and variants by the size of an element. */
#ifndef KERNELS_VULKAN_ELEMENTS_H
#define KERNELS_VULKAN_ELEMENTS_H

#include "kernels.h"

/* The order of dtypes.glsl. */
enum element_code {
    ELEMENT_F32,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_I8,
    ELEMENT_U8,
    ELEMENT_I16,
    ELEMENT_U16,
    ELEMENT_I32,
    ELEMENT_I64,
    ELEMENT_BOOL,
    ELEMENT_NONE /* shaders do not compute with it */
};

uint32_t element_code(tn_dtype dtype);

static inline int is_real(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F16 || dtype == TN_BF16;
}

/* Variants of a shader for elements of 1, 2, 4, 8 and, where there is one, 16 bytes. */
typedef const shader_code *const sized_shaders[5];

#define SHADERS_TO_8(NAME)                                                                         \
    { &shader_##NAME##_1, &shader_##NAME##_2, &shader_##NAME##_4, &shader_##NAME##_8, NULL }
#define SHADERS_TO_16(NAME)                                                                        \
    {                                                                                              \
        &shader_##NAME##_1, &shader_##NAME##_2, &shader_##NAME##_4, &shader_##NAME##_8,            \
            &shader_##NAME##_16                                                                    \
    }

/* 0 for 1 byte, 1 for 2, … */
static inline uint32_t size_class(uint64_t size) {
    uint32_t class = 0;
    while (class < 4 && ((uint64_t)1 << class) < size) {
        class ++;
    }
    return class;
}

static inline const shader_code *sized_shader(sized_shaders shaders, tn_dtype dtype) {
    return shaders[size_class(TN_DTYPE_SIZE(dtype))];
}

/* The bits of an element of `dtype` with this value, low ones first. As the CPU's kernels have it:
 * what is no number of an integer dtype is truncated, or is its lowest. */
typedef struct element_bits {
    uint32_t low;
    uint32_t high;
} element_bits;

element_bits bits_of_element(double value, tn_dtype dtype);
element_bits bits_of_whole(int64_t value);

/* The same for a small element, repeated until all 64 bits are full. */
element_bits bits_to_fill_with(element_bits element, uint64_t size);

/* The number without its fraction, or the end of int64 that is nearest; NaN gives the lowest. */
int64_t whole_of(double value);

/* Keeps UNSUPPORTED in the program when the device lacks what elements of this size need: `wholes`
 * says whether they are computed with. */
void require_elements(device_program *program, const tn_prepare_call *call, tn_dtype dtype,
                      int wholes);

/* Adds launches for `count` invocations that each have their own `bytes[k]` bytes of binding k and
 * of nothing else. There are several where the device cannot bind so much. The push constants of
 * `launch` begin with the count, which this writes. */
void add_contiguous(device_program *program, program_launch *launch, uint32_t *push, uint64_t count,
                    const uint32_t *bytes);

/* A shader by the size of an element, alone and in fours. */
typedef const shader_code *const lane_shaders[4][2];

/* Prepares a function of each element of input 0 that makes the element of output 0 at its place.
 * The first of the `push_count` push constants is the count of elements, which this writes. */
tn_status prepare_each_element(tn_prepare_call *call, lane_shaders shaders,
                               const tn_specialization *constants, uint32_t constant_count,
                               uint32_t *push, uint32_t push_count);

/* Adds launches that fill an output with one element. */
void add_fill(device_program *program, const tn_prepare_call *call, uint32_t output,
              element_bits element);

/* How an in-place pair of the first input and output is written down. */
extern const tn_in_place first_in_place[1];

#endif
