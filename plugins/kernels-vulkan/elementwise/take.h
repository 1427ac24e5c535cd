/* Rows of a tensor, chosen by indices along an axis. */
#ifndef KERNELS_VULKAN_TAKE_H
#define KERNELS_VULKAN_TAKE_H

#include "numbers.h"

/* Elements of the data lie as (outer, extent, inner). */
typedef struct take_plan {
    uint32_t data; /* inputs */
    uint32_t indices;
    int32_t axis;
    int32_t wraps;
    int32_t picks; /* an index for each element of (outer, inner); otherwise rows of inner */
} take_plan;

tn_status prepare_taking(tn_prepare_call *call, const take_plan *plan);

#endif
