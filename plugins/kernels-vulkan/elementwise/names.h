/*
 * The operators of this folder by the names they go by, as lists for the tables of their kernels:
 * each row is ROW(X, name, …), with X handed through.
 */
#ifndef KERNELS_VULKAN_ELEMENTWISE_NAMES_H
#define KERNELS_VULKAN_ELEMENTWISE_NAMES_H

/* ROW(X, name, function: of binary_functions.glsl) */
/* clang-format off */
#define BINARY_NAMES(ROW, X) \
    ROW(X, elemwise_add, ADD) \
    ROW(X, _add, ADD) \
    ROW(X, _plus, ADD) \
    ROW(X, _Plus, ADD) \
    ROW(X, _grad_add, ADD) \
    ROW(X, elemwise_sub, SUBTRACT) \
    ROW(X, _sub, SUBTRACT) \
    ROW(X, _minus, SUBTRACT) \
    ROW(X, _Minus, SUBTRACT) \
    ROW(X, elemwise_mul, MULTIPLY) \
    ROW(X, _mul, MULTIPLY) \
    ROW(X, _Mul, MULTIPLY) \
    ROW(X, elemwise_div, DIVIDE) \
    ROW(X, _div, DIVIDE) \
    ROW(X, _Div, DIVIDE) \
    ROW(X, _mod, MOD) \
    ROW(X, _Mod, MOD) \
    ROW(X, _power, POWER) \
    ROW(X, _Power, POWER) \
    ROW(X, _hypot, HYPOT) \
    ROW(X, _Hypot, HYPOT) \
    ROW(X, _maximum, MAXIMUM) \
    ROW(X, _Maximum, MAXIMUM) \
    ROW(X, _minimum, MINIMUM) \
    ROW(X, _Minimum, MINIMUM) \
    ROW(X, _equal, EQUAL) \
    ROW(X, _Equal, EQUAL) \
    ROW(X, _not_equal, NOT_EQUAL) \
    ROW(X, _Not_Equal, NOT_EQUAL) \
    ROW(X, _greater, GREATER) \
    ROW(X, _Greater, GREATER) \
    ROW(X, _greater_equal, GREATER_EQUAL) \
    ROW(X, _Greater_Equal, GREATER_EQUAL) \
    ROW(X, _lesser, LESSER) \
    ROW(X, _Lesser, LESSER) \
    ROW(X, _lesser_equal, LESSER_EQUAL) \
    ROW(X, _Lesser_Equal, LESSER_EQUAL) \
    ROW(X, _logical_and, LOGICAL_AND) \
    ROW(X, _Logical_And, LOGICAL_AND) \
    ROW(X, _logical_or, LOGICAL_OR) \
    ROW(X, _Logical_Or, LOGICAL_OR) \
    ROW(X, _logical_xor, LOGICAL_XOR) \
    ROW(X, _Logical_Xor, LOGICAL_XOR) \
    ROW(X, broadcast_add, ADD) \
    ROW(X, broadcast_plus, ADD) \
    ROW(X, broadcast_sub, SUBTRACT) \
    ROW(X, broadcast_minus, SUBTRACT) \
    ROW(X, broadcast_mul, MULTIPLY) \
    ROW(X, broadcast_div, DIVIDE) \
    ROW(X, broadcast_mod, MOD) \
    ROW(X, broadcast_power, POWER) \
    ROW(X, broadcast_hypot, HYPOT) \
    ROW(X, broadcast_maximum, MAXIMUM) \
    ROW(X, broadcast_minimum, MINIMUM) \
    ROW(X, broadcast_equal, EQUAL) \
    ROW(X, broadcast_not_equal, NOT_EQUAL) \
    ROW(X, broadcast_greater, GREATER) \
    ROW(X, broadcast_greater_equal, GREATER_EQUAL) \
    ROW(X, broadcast_lesser, LESSER) \
    ROW(X, broadcast_lesser_equal, LESSER_EQUAL) \
    ROW(X, broadcast_logical_and, LOGICAL_AND) \
    ROW(X, broadcast_logical_or, LOGICAL_OR) \
    ROW(X, broadcast_logical_xor, LOGICAL_XOR)
/* clang-format on */

/* ROW(X, name, function, side of the scalar) */
/* clang-format off */
#define SCALAR_NAMES(ROW, X) \
    ROW(X, _plus_scalar, ADD, RIGHT) \
    ROW(X, _PlusScalar, ADD, RIGHT) \
    ROW(X, _minus_scalar, SUBTRACT, RIGHT) \
    ROW(X, _MinusScalar, SUBTRACT, RIGHT) \
    ROW(X, _rminus_scalar, SUBTRACT, LEFT) \
    ROW(X, _RMinusScalar, SUBTRACT, LEFT) \
    ROW(X, _mul_scalar, MULTIPLY, RIGHT) \
    ROW(X, _MulScalar, MULTIPLY, RIGHT) \
    ROW(X, _div_scalar, DIVIDE, RIGHT) \
    ROW(X, _DivScalar, DIVIDE, RIGHT) \
    ROW(X, _rdiv_scalar, DIVIDE, LEFT) \
    ROW(X, _RDivScalar, DIVIDE, LEFT) \
    ROW(X, _mod_scalar, MOD, RIGHT) \
    ROW(X, _ModScalar, MOD, RIGHT) \
    ROW(X, _rmod_scalar, MOD, LEFT) \
    ROW(X, _RModScalar, MOD, LEFT) \
    ROW(X, _power_scalar, POWER, RIGHT) \
    ROW(X, _PowerScalar, POWER, RIGHT) \
    ROW(X, _rpower_scalar, POWER, LEFT) \
    ROW(X, _RPowerScalar, POWER, LEFT) \
    ROW(X, _hypot_scalar, HYPOT, RIGHT) \
    ROW(X, _HypotScalar, HYPOT, RIGHT) \
    ROW(X, _maximum_scalar, MAXIMUM, RIGHT) \
    ROW(X, _MaximumScalar, MAXIMUM, RIGHT) \
    ROW(X, _minimum_scalar, MINIMUM, RIGHT) \
    ROW(X, _MinimumScalar, MINIMUM, RIGHT) \
    ROW(X, _equal_scalar, EQUAL, RIGHT) \
    ROW(X, _EqualScalar, EQUAL, RIGHT) \
    ROW(X, _not_equal_scalar, NOT_EQUAL, RIGHT) \
    ROW(X, _NotEqualScalar, NOT_EQUAL, RIGHT) \
    ROW(X, _greater_scalar, GREATER, RIGHT) \
    ROW(X, _GreaterScalar, GREATER, RIGHT) \
    ROW(X, _greater_equal_scalar, GREATER_EQUAL, RIGHT) \
    ROW(X, _GreaterEqualScalar, GREATER_EQUAL, RIGHT) \
    ROW(X, _lesser_scalar, LESSER, RIGHT) \
    ROW(X, _LesserScalar, LESSER, RIGHT) \
    ROW(X, _lesser_equal_scalar, LESSER_EQUAL, RIGHT) \
    ROW(X, _LesserEqualScalar, LESSER_EQUAL, RIGHT) \
    ROW(X, _logical_and_scalar, LOGICAL_AND, RIGHT) \
    ROW(X, _LogicalAndScalar, LOGICAL_AND, RIGHT) \
    ROW(X, _logical_or_scalar, LOGICAL_OR, RIGHT) \
    ROW(X, _LogicalOrScalar, LOGICAL_OR, RIGHT) \
    ROW(X, _logical_xor_scalar, LOGICAL_XOR, RIGHT) \
    ROW(X, _LogicalXorScalar, LOGICAL_XOR, RIGHT)
/* clang-format on */

/* ROW(X, name, function: of unary.h) */
/* clang-format off */
#define UNARY_NAMES(ROW, X) \
    ROW(X, abs, ABS) \
    ROW(X, sign, SIGN) \
    ROW(X, ceil, CEIL) \
    ROW(X, floor, FLOOR) \
    ROW(X, rint, RINT) \
    ROW(X, round, ROUND) \
    ROW(X, trunc, TRUNC) \
    ROW(X, fix, TRUNC) \
    ROW(X, square, SQUARE) \
    ROW(X, negative, NEGATIVE) \
    ROW(X, relu, RELU) \
    ROW(X, logical_not, LOGICAL_NOT) \
    ROW(X, sqrt, SQRT) \
    ROW(X, rsqrt, RSQRT) \
    ROW(X, cbrt, CBRT) \
    ROW(X, rcbrt, RCBRT) \
    ROW(X, exp, EXP) \
    ROW(X, log, LOG) \
    ROW(X, log10, LOG10) \
    ROW(X, log2, LOG2) \
    ROW(X, log1p, LOG1P) \
    ROW(X, expm1, EXPM1) \
    ROW(X, sin, SIN) \
    ROW(X, cos, COS) \
    ROW(X, tan, TAN) \
    ROW(X, arcsin, ARCSIN) \
    ROW(X, arccos, ARCCOS) \
    ROW(X, arctan, ARCTAN) \
    ROW(X, sinh, SINH) \
    ROW(X, cosh, COSH) \
    ROW(X, tanh, TANH) \
    ROW(X, arcsinh, ARCSINH) \
    ROW(X, arccosh, ARCCOSH) \
    ROW(X, arctanh, ARCTANH) \
    ROW(X, degrees, DEGREES) \
    ROW(X, radians, RADIANS) \
    ROW(X, reciprocal, RECIPROCAL) \
    ROW(X, sigmoid, SIGMOID) \
    ROW(X, softsign, SOFTSIGN) \
    ROW(X, erf, ERF) \
    ROW(X, erfinv, ERFINV) \
    ROW(X, gamma, GAMMA) \
    ROW(X, gammaln, GAMMALN)
/* clang-format on */

/* ROW(X, name, fold, finish) */
/* clang-format off */
#define REDUCTION_NAMES(ROW, X) \
    ROW(X, sum, SUM, NOTHING) \
    ROW(X, sum_axis, SUM, NOTHING) \
    ROW(X, mean, SUM, MEAN) \
    ROW(X, prod, PRODUCT, NOTHING) \
    ROW(X, nansum, SUM_WITHOUT_NAN, NOTHING) \
    ROW(X, nanprod, PRODUCT_WITHOUT_NAN, NOTHING) \
    ROW(X, max, GREATEST, NOTHING) \
    ROW(X, max_axis, GREATEST, NOTHING) \
    ROW(X, min, LEAST, NOTHING) \
    ROW(X, min_axis, LEAST, NOTHING)
/* clang-format on */

/* ROW(X, name: input 0 as it is) */
/* clang-format off */
#define COPY_NAMES(ROW, X) \
    ROW(X, Flatten) \
    ROW(X, flatten) \
    ROW(X, Reshape) \
    ROW(X, reshape) \
    ROW(X, reshape_like) \
    ROW(X, expand_dims) \
    ROW(X, squeeze) \
    ROW(X, _copy) \
    ROW(X, identity) \
    ROW(X, BlockGrad) \
    ROW(X, stop_gradient) \
    ROW(X, _identity_with_attr_like_rhs)
/* clang-format on */

/* ROW(X, name: those that move elements) */
/* clang-format off */
#define MOVER_NAMES(ROW, X) \
    ROW(X, transpose) \
    ROW(X, SwapAxis) \
    ROW(X, swapaxes) \
    ROW(X, Concat) \
    ROW(X, concat) \
    ROW(X, stack) \
    ROW(X, SliceChannel) \
    ROW(X, split) \
    ROW(X, _split_v2) \
    ROW(X, slice) \
    ROW(X, crop) \
    ROW(X, slice_axis) \
    ROW(X, slice_like) \
    ROW(X, reverse) \
    ROW(X, flip) \
    ROW(X, tile) \
    ROW(X, repeat) \
    ROW(X, depth_to_space) \
    ROW(X, space_to_depth) \
    ROW(X, broadcast_to) \
    ROW(X, broadcast_axis) \
    ROW(X, broadcast_axes) \
    ROW(X, broadcast_like)
/* clang-format on */

/* ROW(X, name: each with a kernel of its own) */
/* clang-format off */
#define OTHER_NAMES(ROW, X) \
    ROW(X, clip) \
    ROW(X, hard_sigmoid) \
    ROW(X, smooth_l1) \
    ROW(X, Cast) \
    ROW(X, cast) \
    ROW(X, amp_cast) \
    ROW(X, add_n) \
    ROW(X, ElementWiseSum) \
    ROW(X, _sum) \
    ROW(X, fused_elementwise) \
    ROW(X, where) \
    ROW(X, norm) \
    ROW(X, argmax) \
    ROW(X, argmin) \
    ROW(X, argmax_channel) \
    ROW(X, _zeros) \
    ROW(X, _ones) \
    ROW(X, _full) \
    ROW(X, zeros_like) \
    ROW(X, ones_like) \
    ROW(X, _arange) \
    ROW(X, Pad) \
    ROW(X, pad) \
    ROW(X, take) \
    ROW(X, Embedding) \
    ROW(X, gather_nd) \
    ROW(X, pick) \
    ROW(X, choose_element_0index) \
    ROW(X, one_hot) \
    ROW(X, SequenceMask) \
    ROW(X, SequenceReverse) \
    ROW(X, SequenceLast)
/* clang-format on */

#endif
