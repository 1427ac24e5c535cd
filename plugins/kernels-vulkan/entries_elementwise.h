/* Elementwise, broadcasting, reducing and shape-moving kernels. */
#ifndef KERNELS_VULKAN_ENTRIES_ELEMENTWISE_H
#define KERNELS_VULKAN_ENTRIES_ELEMENTWISE_H

#include <tenon/plugin.h>

#include "elementwise/names.h"

/* The kernel of an operator has its name. */
#define ELEMENTWISE_ROW(X, NAME) X(#NAME, kernel_##NAME)
#define ELEMENTWISE_ROW_OF(X, NAME, ...) X(#NAME, kernel_##NAME)

/* X(operator, kernel) */
#define ELEMENTWISE_KERNELS(X)                                                                     \
    BINARY_NAMES(ELEMENTWISE_ROW_OF, X)                                                            \
    SCALAR_NAMES(ELEMENTWISE_ROW_OF, X)                                                            \
    UNARY_NAMES(ELEMENTWISE_ROW_OF, X)                                                             \
    REDUCTION_NAMES(ELEMENTWISE_ROW_OF, X)                                                         \
    COPY_NAMES(ELEMENTWISE_ROW, X)                                                                 \
    MOVER_NAMES(ELEMENTWISE_ROW, X)                                                                \
    OTHER_NAMES(ELEMENTWISE_ROW, X)

#define ELEMENTWISE_DECLARE(NAME, KERNEL) extern const tn_kernel KERNEL;
ELEMENTWISE_KERNELS(ELEMENTWISE_DECLARE)
#undef ELEMENTWISE_DECLARE

#endif
