/* Integers that an ONNX operator is told, by an attribute or by a tensor that is known ahead. */
#ifndef KERNELS_VULKAN_ONNX_LISTS_H
#define KERNELS_VULKAN_ONNX_LISTS_H

#include "kernels.h"

#define LIST_CAPACITY (2 * TN_MAX_RANK)

typedef struct known_list {
    int32_t is_known; /* 0: the tensor's elements are not known, or too many */
    int32_t count;
    int64_t values[LIST_CAPACITY];
} known_list;

/* The elements of input `input` where it is there, else those of the attribute, of which None is no
 * values. Either of `query` and `call` is NULL. */
known_list list_in_query(const tn_kernel_query *query, uint32_t input, const tn_ints *attribute);
known_list list_in_call(const tn_prepare_call *call, uint32_t input, const tn_ints *attribute);

/* Element `index` of int32 or int64 elements. */
int64_t listed_integer(const tn_view *view, int64_t index);

/* Whether an input's elements are known ahead, or it is not there. */
int32_t is_known_or_absent(const tn_kernel_query *query, uint32_t input);

#endif
