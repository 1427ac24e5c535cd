/*
 * Functions of two tensors of one shape, of which at least one is sparse and so is the output.
 */
#ifndef OPS_MATH_SPARSE_BINARY_H
#define OPS_MATH_SPARSE_BINARY_H

#include <tenon/plugin.h>

int32_t sparse_binary_supports(const tn_kernel_query *query);

/* With the states of binary_kernels.h. */
tn_status sparse_binary_run(const tn_run_call *call);

#endif
