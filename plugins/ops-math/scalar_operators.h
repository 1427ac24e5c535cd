/*
 * Operators that apply a function of two numbers to each element and one scalar.
 */
#ifndef OPS_MATH_SCALAR_OPERATORS_H
#define OPS_MATH_SCALAR_OPERATORS_H

#include <tenon/plugin.h>

/* X(key, name, old name, function, side of the scalar, gradient or NULL, doc) */
#define SCALAR_OPERATORS(X)                                                                        \
    X(plus, _plus_scalar, _PlusScalar, add, RIGHT, gradient_of_shift, "data + scalar")             \
    X(minus, _minus_scalar, _MinusScalar, subtract, RIGHT, gradient_of_shift, "data - scalar")     \
    X(rminus, _rminus_scalar, _RMinusScalar, subtract, LEFT, gradient_of_reflection,               \
      "scalar - data")                                                                             \
    X(mul, _mul_scalar, _MulScalar, multiply, RIGHT, gradient_of_multiply_by_scalar,               \
      "data * scalar")                                                                             \
    X(div, _div_scalar, _DivScalar, divide, RIGHT, gradient_of_divide_by_scalar,                   \
      "data / scalar; integers are truncated, and divided by 0 give 0")                            \
    X(rdiv, _rdiv_scalar, _RDivScalar, divide, LEFT, gradient_of_scalar_divided_by,                \
      "scalar / data; for integers truncated, and the lowest integer where data is 0")             \
    X(mod, _mod_scalar, _ModScalar, mod, RIGHT, NULL,                                              \
      "the remainder of data / scalar with the sign of scalar, 0 where scalar is 0")               \
    X(rmod, _rmod_scalar, _RModScalar, mod, LEFT, NULL,                                            \
      "the remainder of scalar / data with the sign of data, 0 where data is 0")                   \
    X(power, _power_scalar, _PowerScalar, power, RIGHT, NULL, "data to the power of scalar")       \
    X(rpower, _rpower_scalar, _RPowerScalar, power, LEFT, NULL, "scalar to the power of data")     \
    X(hypot, _hypot_scalar, _HypotScalar, hypot, RIGHT, NULL,                                      \
      "the hypotenuse sqrt(data * data + scalar * scalar)")                                        \
    X(maximum, _maximum_scalar, _MaximumScalar, maximum, RIGHT, NULL,                              \
      "the greater of data and scalar; NaN if either is NaN")                                      \
    X(minimum, _minimum_scalar, _MinimumScalar, minimum, RIGHT, NULL,                              \
      "the lesser of data and scalar; NaN if either is NaN")                                       \
    X(equal, _equal_scalar, _EqualScalar, equal, RIGHT, NULL,                                      \
      "1 where data == scalar, elsewhere 0")                                                       \
    X(not_equal, _not_equal_scalar, _NotEqualScalar, not_equal, RIGHT, NULL,                       \
      "1 where data != scalar, elsewhere 0")                                                       \
    X(greater, _greater_scalar, _GreaterScalar, greater, RIGHT, NULL,                              \
      "1 where data > scalar, elsewhere 0")                                                        \
    X(greater_equal, _greater_equal_scalar, _GreaterEqualScalar, greater_equal, RIGHT, NULL,       \
      "1 where data >= scalar, elsewhere 0")                                                       \
    X(lesser, _lesser_scalar, _LesserScalar, lesser, RIGHT, NULL,                                  \
      "1 where data < scalar, elsewhere 0")                                                        \
    X(lesser_equal, _lesser_equal_scalar, _LesserEqualScalar, lesser_equal, RIGHT, NULL,           \
      "1 where data <= scalar, elsewhere 0")                                                       \
    X(logical_and, _logical_and_scalar, _LogicalAndScalar, logical_and, RIGHT, NULL,               \
      "1 where neither data nor scalar is 0, elsewhere 0")                                         \
    X(logical_or, _logical_or_scalar, _LogicalOrScalar, logical_or, RIGHT, NULL,                   \
      "1 where data or scalar is not 0, elsewhere 0")                                              \
    X(logical_xor, _logical_xor_scalar, _LogicalXorScalar, logical_xor, RIGHT, NULL,               \
      "1 where one of data and scalar is 0 and the other is not, elsewhere 0")

/* For each the operator scalar_operator_KEY, and prepare_scalar_KEY for its kernel. */
#define DECLARE_SCALAR_OPERATOR(KEY, NAME, OLD_NAME, FUNCTION, SIDE, GRADIENT, DOC)                \
    extern const tn_op scalar_operator_##KEY;                                                      \
    tn_status prepare_scalar_##KEY(tn_prepare_call *call);
SCALAR_OPERATORS(DECLARE_SCALAR_OPERATOR)
#undef DECLARE_SCALAR_OPERATOR

#endif
