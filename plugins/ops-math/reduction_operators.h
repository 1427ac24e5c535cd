/*
 * Operators that fold a tensor along some of its axes.
 */
#ifndef OPS_MATH_REDUCTION_OPERATORS_H
#define OPS_MATH_REDUCTION_OPERATORS_H

#include <tenon/plugin.h>

/* X(key, fold, finish, inference, gradient or NULL, doc) */
#define REDUCTION_OPERATORS(X)                                                                     \
    X(sum, sum, NONE, infer_reduction, gradient_of_reduction, "The sum")                           \
    X(mean, sum, MEAN, infer_reduction, NULL, "The mean, truncated for integers,")                 \
    X(prod, product, NONE, infer_reduction, NULL, "The product")                                   \
    X(nansum, sum_without_nan, NONE, infer_reduction, NULL, "The sum of what is not NaN")          \
    X(nanprod, product_without_nan, NONE, infer_reduction, NULL, "The product of what is not NaN") \
    X(max, maximum, NONE, infer_choice, NULL, "The greatest element, or NaN if there is one,")     \
    X(min, minimum, NONE, infer_choice, NULL, "The least element, or NaN if there is one,")

/* X(name, key) */
#define REDUCTION_NAMES(X)                                                                         \
    X(sum, sum)                                                                                    \
    X(sum_axis, sum)                                                                               \
    X(mean, mean)                                                                                  \
    X(prod, prod)                                                                                  \
    X(nansum, nansum)                                                                              \
    X(nanprod, nanprod)                                                                            \
    X(max, max)                                                                                    \
    X(max_axis, max)                                                                               \
    X(min, min)                                                                                    \
    X(min_axis, min)

/* For each the operator reduction_operator_KEY, and prepare_reduction_KEY for its kernel. */
#define DECLARE_REDUCTION_OPERATOR(KEY, FOLD, FINISH, INFER, GRADIENT, DOC)                        \
    extern const tn_op reduction_operator_##KEY;                                                   \
    tn_status prepare_reduction_##KEY(tn_prepare_call *call);
REDUCTION_OPERATORS(DECLARE_REDUCTION_OPERATOR)
#undef DECLARE_REDUCTION_OPERATOR

extern const tn_op norm_operator;
tn_status prepare_norm(tn_prepare_call *call);

extern const tn_op square_sum_operator;
tn_status prepare_square_sum(tn_prepare_call *call);

#endif
