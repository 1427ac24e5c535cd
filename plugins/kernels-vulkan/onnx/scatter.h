/* Reductions of ScatterElements and ScatterND: the updates (input 2) are put together with what is
 * in output 0, one after the other where they may go to the same elements. */
#ifndef KERNELS_VULKAN_ONNX_SCATTER_H
#define KERNELS_VULKAN_ONNX_SCATTER_H

#include "kernels.h"

/* Of floats, with lines that are not too long. */
int32_t supports_folding_elements(const tn_kernel_query *query, int32_t axis);
int32_t supports_folding_points(const tn_kernel_query *query);

/* `reduction` as the attribute counts: 1 add, 2 mul, 3 max, 4 min. */
void add_folding_elements(device_program *program, const tn_prepare_call *call, int32_t axis,
                          uint32_t reduction);
void add_folding_points(device_program *program, const tn_prepare_call *call, uint32_t reduction);

#endif
