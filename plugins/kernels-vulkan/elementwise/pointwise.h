/* A function of functions.h with two parameters, of each element of input 0. */
#ifndef KERNELS_VULKAN_POINTWISE_H
#define KERNELS_VULKAN_POINTWISE_H

#include "functions.h"

int32_t supports_function(const tn_kernel_query *query, uint32_t function);
tn_status prepare_function(tn_prepare_call *call, uint32_t function, double first, double second);

#endif
