/* Inputs that hold whole numbers: indices and lengths. */
#ifndef KERNELS_VULKAN_NUMBERS_H
#define KERNELS_VULKAN_NUMBERS_H

#include "elements.h"

/* The dtypes that whole_numbers.glsl reads. */
static inline int32_t is_number_dtype(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_I32 || dtype == TN_I64;
}

/* The constant that tells it. */
static inline tn_specialization number_constant(tn_dtype dtype) {
    return (tn_specialization){4, element_code(dtype)};
}

#endif
