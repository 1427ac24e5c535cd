/* The functions and the kernel of an operator that moves elements, made from describe_OPERATOR,
 * OPERATOR_fields and OPERATOR_attributes. */
#ifndef KERNELS_VULKAN_MOVER_KERNEL_H
#define KERNELS_VULKAN_MOVER_KERNEL_H

#include "mover.h"

#define MOVER(OPERATOR, MOVES)                                                                     \
    static const move_rule OPERATOR##_mover = {MOVES, describe_##OPERATOR};                        \
    static int32_t supports_##OPERATOR(const tn_kernel_query *query) {                             \
        return mover_supports(query, &OPERATOR##_mover);                                           \
    }                                                                                              \
    static tn_status prepare_##OPERATOR(tn_prepare_call *call) {                                   \
        return mover_prepare(call, &OPERATOR##_mover);                                             \
    }

/* With the attributes of TABLE_fields. */
#define MOVER_KERNEL_WITH(NAME, OPERATOR, TABLE)                                                   \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_##OPERATOR, prepare_##OPERATOR),                              \
        KERNEL_ATTRIBUTES(TABLE##_fields, TABLE##_attributes),                                     \
    };

#define MOVER_KERNEL(NAME, OPERATOR) MOVER_KERNEL_WITH(NAME, OPERATOR, OPERATOR)

/* Without attributes. */
#define MOVER_KERNEL_PLAIN(NAME, OPERATOR)                                                         \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_##OPERATOR, prepare_##OPERATOR),                              \
    };

#endif
