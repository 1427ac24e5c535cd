/* A function of functions.h of two tensors that are stretched to one shape. With `gives_bool` the
 * output says whether its result is not 0, otherwise all have one dtype. */
#ifndef KERNELS_VULKAN_BINARY_H
#define KERNELS_VULKAN_BINARY_H

#include "functions.h"

int32_t supports_binary_function(const tn_kernel_query *query, uint32_t function, int gives_bool);
tn_status prepare_binary_function(tn_prepare_call *call, uint32_t function, int gives_bool);

#endif
