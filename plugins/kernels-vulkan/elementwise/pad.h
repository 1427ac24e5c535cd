/* A tensor with a margin before and after it along each axis, or with a part of it cut away. */
#ifndef KERNELS_VULKAN_PAD_H
#define KERNELS_VULKAN_PAD_H

#include "elements.h"

#define MAX_PAD_AXES 6u

/* What a margin holds, as pad.comp numbers it. */
enum { PAD_CONSTANT, PAD_EDGE, PAD_REFLECT, PAD_WRAP };

typedef struct pad_axes {
    uint32_t rank;                 /* may be larger than there is room for */
    uint32_t before[MAX_PAD_AXES]; /* as int32: below 0 so much is cut away */
    uint32_t inside[MAX_PAD_AXES];
    uint32_t outside[MAX_PAD_AXES];
} pad_axes;

pad_axes pad_axes_of(int32_t rank, const int64_t *inside, const int64_t *outside,
                     const int64_t *before);

/* Input 0, padded to output 0, with the element of input `value_input` where the call has it. */
void add_pad(device_program *program, const tn_prepare_call *call, const pad_axes *axes,
             uint32_t mode, element_bits value, uint32_t value_input);

#endif
