/*
 * Operators that apply a function of one number with up to two parameters to each element, by the
 * names and with the defaults of ONNX.
 */
#ifndef OPS_MATH_ACTIVATION_OPERATORS_H
#define OPS_MATH_ACTIVATION_OPERATORS_H

#include <tenon/plugin.h>

/* X(name, function, parameter, its default, parameter, its default, doc): both parameters are
 * attributes. */
#define ACTIVATION_OPERATORS_OF_TWO(X)                                                             \
    X(HardSigmoid, hard_sigmoid, alpha, "0.2", beta, "0.5", "alpha * x + beta, within 0 to 1.")    \
    X(Selu, selu, alpha, "1.67326319217681884765625", gamma, "1.05070102214813232421875",          \
      "gamma * x above 0, elsewhere gamma * alpha * (exp(x) - 1).")                                \
    X(Shrink, shrink, lambd, "0.5", bias, "0",                                                     \
      "x - bias above lambd, x + bias below -lambd, elsewhere 0.")

/* X(name, function, parameter, its default, doc) */
#define ACTIVATION_OPERATORS_OF_ONE(X)                                                             \
    X(Celu, celu, alpha, "1", "x above 0, elsewhere alpha * (exp(x / alpha) - 1).")                \
    X(Elu, elu, alpha, "1", "x above 0, elsewhere alpha * (exp(x) - 1).")                          \
    X(LeakyRelu, leaky_relu, alpha, "0.01", "x where it is not below 0, elsewhere alpha * x.")     \
    X(Swish, swish, alpha, "1", "x / (1 + exp(-alpha * x)).")                                      \
    X(ThresholdedRelu, thresholded_relu, alpha, "1", "x above alpha, elsewhere 0.")

/* X(name, function, doc) */
#define ACTIVATION_OPERATORS_OF_NONE(X)                                                            \
    X(HardSwish, hard_swish, "x * max(0, min(1, x / 6 + 0.5)).")                                   \
    X(Mish, mish, "x * tanh(log(1 + exp(x))).")                                                    \
    X(Round, round_even, "The nearest integer; halfway, the even one.")                            \
    X(Sign, sign_or_nan, "1 above 0, -1 below, otherwise x: 0 or NaN.")                            \
    X(Softplus, softplus, "log(1 + exp(x)).")

#define DECLARE_ACTIVATION(NAME, ...)                                                              \
    extern const tn_op activation_operator_##NAME;                                                 \
    tn_status prepare_activation_##NAME(tn_prepare_call *call);
ACTIVATION_OPERATORS_OF_TWO(DECLARE_ACTIVATION)
ACTIVATION_OPERATORS_OF_ONE(DECLARE_ACTIVATION)
ACTIVATION_OPERATORS_OF_NONE(DECLARE_ACTIVATION)
DECLARE_ACTIVATION(BitwiseNot, )
DECLARE_ACTIVATION(Gelu, )
DECLARE_ACTIVATION(IsNaN, )
DECLARE_ACTIVATION(IsInf, )
#undef DECLARE_ACTIVATION

/* The first input in the dtype of the second. */
extern const tn_op cast_like_operator;

#endif
