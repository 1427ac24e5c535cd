/* Reductions whose axes are an attribute or an input, as ONNX has them. */
#ifndef OPS_MATH_NAMED_AXES_REDUCTIONS_H
#define OPS_MATH_NAMED_AXES_REDUCTIONS_H

#include <tenon/plugin.h>

/* X(name, fold, finish, doc) */
#define NAMED_AXES_REDUCTIONS(X)                                                                   \
    X(ReduceSum, sum, NONE, "The sum")                                                             \
    X(ReduceMean, sum, MEAN, "The mean, truncated for integers,")                                  \
    X(ReduceProd, product, NONE, "The product")                                                    \
    X(ReduceMax, maximum, NONE, "The greatest element, or NaN if there is one,")                   \
    X(ReduceMin, minimum, NONE, "The least element, or NaN if there is one,")                      \
    X(ReduceL1, sum_of_magnitudes, NONE, "The sum of the absolute values")                         \
    X(ReduceL2, sum_of_squares, SQUARE_ROOT, "The square root of the sum of the squares")          \
    X(ReduceSumSquare, sum_of_squares, NONE, "The sum of the squares")                             \
    X(ReduceLogSum, sum, LOGARITHM, "The logarithm of the sum")                                    \
    X(ReduceLogSumExp, log_of_exponentials, NONE, "The logarithm of the sum of the exponentials")

/* For each the operator named_axes_NAME, and the prepare and run of its kernel. */
#define DECLARE_NAMED_AXES(NAME, FOLD, FINISH, DOC)                                                \
    extern const tn_op named_axes_##NAME;                                                          \
    tn_status prepare_named_axes_##NAME(tn_prepare_call *call);                                    \
    tn_status run_named_axes_##NAME(const tn_run_call *call);
NAMED_AXES_REDUCTIONS(DECLARE_NAMED_AXES)
#undef DECLARE_NAMED_AXES

#endif
