/* Elementwise, broadcasting, reducing and shape-moving kernels. */
#ifndef KERNELS_VULKAN_ENTRIES_ELEMENTWISE_H
#define KERNELS_VULKAN_ENTRIES_ELEMENTWISE_H

#include <tenon/plugin.h>

/* X(operator, kernel) */
#define ELEMENTWISE_KERNELS(X)

#define ELEMENTWISE_DECLARE(NAME, KERNEL) extern const tn_kernel KERNEL;
ELEMENTWISE_KERNELS(ELEMENTWISE_DECLARE)
#undef ELEMENTWISE_DECLARE

#endif
