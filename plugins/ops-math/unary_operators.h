/*
 * Operators without attributes that apply a function of one number to each element.
 */
#ifndef OPS_MATH_UNARY_OPERATORS_H
#define OPS_MATH_UNARY_OPERATORS_H

#include <tenon/plugin.h>

/* X(name, function, gradient or NULL, doc) */
#define UNARY_OPERATORS(X)                                                                         \
    X(abs, abs, NULL, "The absolute value |x|; the lowest integer wraps around to itself.")        \
    X(sign, sign, NULL, "-1, 0 or 1, as x is below, at or above 0; 0 for NaN.")                    \
    X(ceil, ceil, NULL, "The lowest integer that is not below x.")                                 \
    X(floor, floor, NULL, "The highest integer that is not above x.")                              \
    X(rint, rint, NULL, "The nearest integer; halfway, the lower of the two.")                     \
    X(round, round, NULL, "The nearest integer; halfway, the one further from 0.")                 \
    X(trunc, trunc, NULL, "The next integer towards 0.")                                           \
    X(fix, trunc, NULL, "The next integer towards 0; the same as trunc.")                          \
    X(square, square, gradient_of_square, "The square x * x.")                                     \
    X(negative, negative, gradient_of_reflection, "The negative -x.")                              \
    X(relu, relu, gradient_of_relu, "x where it is above 0, elsewhere 0.")                         \
    X(logical_not, logical_not, NULL, "1 where x is 0, elsewhere 0.")                              \
    X(sqrt, sqrt, gradient_of_sqrt, "The square root.")                                            \
    X(rsqrt, rsqrt, NULL, "The reciprocal of the square root.")                                    \
    X(cbrt, cbrt, NULL, "The cube root.")                                                          \
    X(rcbrt, rcbrt, NULL, "The reciprocal of the cube root.")                                      \
    X(exp, exp, gradient_of_exp, "The exponential function.")                                      \
    X(log, log, gradient_of_log, "The natural logarithm.")                                         \
    X(log10, log10, NULL, "The logarithm to base 10.")                                             \
    X(log2, log2, NULL, "The logarithm to base 2.")                                                \
    X(log1p, log1p, NULL, "log(1 + x), keeping its digits for small x.")                           \
    X(expm1, expm1, NULL, "exp(x) - 1, keeping its digits for small x.")                           \
    X(sin, sin, NULL, "The sine of an angle in radians.")                                          \
    X(cos, cos, NULL, "The cosine of an angle in radians.")                                        \
    X(tan, tan, NULL, "The tangent of an angle in radians.")                                       \
    X(arcsin, arcsin, NULL, "The inverse sine, in radians; NaN outside -1 to 1.")                  \
    X(arccos, arccos, NULL, "The inverse cosine, in radians; NaN outside -1 to 1.")                \
    X(arctan, arctan, NULL, "The inverse tangent, in radians.")                                    \
    X(sinh, sinh, NULL, "The hyperbolic sine.")                                                    \
    X(cosh, cosh, NULL, "The hyperbolic cosine.")                                                  \
    X(tanh, tanh, gradient_of_tanh, "The hyperbolic tangent.")                                     \
    X(arcsinh, arcsinh, NULL, "The inverse hyperbolic sine.")                                      \
    X(arccosh, arccosh, NULL, "The inverse hyperbolic cosine; NaN below 1.")                       \
    X(arctanh, arctanh, NULL, "The inverse hyperbolic tangent; NaN outside -1 to 1.")              \
    X(degrees, degrees, NULL, "Radians to degrees.")                                               \
    X(radians, radians, NULL, "Degrees to radians.")                                               \
    X(reciprocal, reciprocal, NULL, "The reciprocal 1 / x.")                                       \
    X(sigmoid, sigmoid, gradient_of_sigmoid, "The logistic function 1 / (1 + exp(-x)).")           \
    X(softsign, softsign, NULL, "x / (1 + |x|).")                                                  \
    X(erf, erf, NULL, "The Gauss error function.")                                                 \
    X(erfinv, erfinv, NULL, "The inverse of the Gauss error function; NaN outside -1 to 1.")       \
    X(gamma, gamma, NULL, "The gamma function.")                                                   \
    X(gammaln, gammaln, NULL, "The logarithm of the absolute value of the gamma function.")

/* For each the operator unary_operator_NAME, and prepare_unary_NAME for its kernel. */
#define DECLARE_UNARY_OPERATOR(NAME, FUNCTION, GRADIENT, DOC)                                      \
    extern const tn_op unary_operator_##NAME;                                                      \
    tn_status prepare_unary_##NAME(tn_prepare_call *call);
UNARY_OPERATORS(DECLARE_UNARY_OPERATOR)
#undef DECLARE_UNARY_OPERATOR

#endif
