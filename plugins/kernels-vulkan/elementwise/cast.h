/* Elements of one dtype as those of another. */
#ifndef KERNELS_VULKAN_CAST_H
#define KERNELS_VULKAN_CAST_H

#include "elements.h"

/* Adds the launches that cast `count` elements; both dtypes have an element code. */
void add_cast(device_program *program, const tn_prepare_call *call, tn_dtype from_dtype,
              program_binding from, tn_dtype to_dtype, program_binding to, int64_t count);

#endif
