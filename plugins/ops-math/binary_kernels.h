/*
 * Kernels of functions of two tensors, of one shape or stretched to one.
 */
#ifndef OPS_MATH_BINARY_KERNELS_H
#define OPS_MATH_BINARY_KERNELS_H

#include "binary_functions.h"

/* The operands may have different dtypes, and the output another one. */
tn_status prepare_binary(tn_prepare_call *call, binary_function function);

/* One prepare for each function: prepare_binary_add, prepare_binary_subtract, … */
#define DECLARE_PREPARE_BINARY(FUNCTION) tn_status prepare_binary_##FUNCTION(tn_prepare_call *call);
BINARY_ARITHMETIC_FUNCTIONS(DECLARE_PREPARE_BINARY)
BINARY_INTEGER_FUNCTIONS(DECLARE_PREPARE_BINARY)
BINARY_REAL_FUNCTIONS(DECLARE_PREPARE_BINARY)
#undef DECLARE_PREPARE_BINARY

tn_status binary_run(const tn_run_call *call);

/* What a state of those prepares computes: the function of `count` elements that lie one after the
 * other, and whether zero times anything is zero to it. */
void binary_apply(const void *state, const void *left, const void *right, void *output,
                  int64_t count);
int binary_is_product(const void *state);

#endif
