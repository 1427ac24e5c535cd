/*
 * Kernels that compute each output element from the input element at the same place: unary
 * functions, functions with a scalar, conversions.
 */
#ifndef OPS_MATH_POINTWISE_H
#define OPS_MATH_POINTWISE_H

#include "binary_functions.h"
#include "unary_functions.h"

/* On which side of a binary function the scalar stands. */
typedef enum scalar_side { SCALAR_RIGHT, SCALAR_LEFT } scalar_side;

/* Each prepares a node whose first input and output have equal shapes; `pointwise_run` runs it. */
tn_status prepare_unary(tn_prepare_call *call, unary_function function,
                        const double parameters[UNARY_PARAMETERS]);
tn_status prepare_with_scalar(tn_prepare_call *call, binary_function function, scalar_side side,
                              double scalar);
tn_status prepare_conversion(tn_prepare_call *call);

/* Whether the function of zero and the scalar is zero, for an output of `dtype`. */
int scalar_keeps_zero(binary_function function, scalar_side side, double scalar, tn_dtype dtype);

/* Runs on what a sparse input stores, and gives the output the same structure. */
tn_status pointwise_run(const tn_run_call *call);

#endif
