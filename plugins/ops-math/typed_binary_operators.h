/*
 * Operators of two tensors whose dtypes follow rules of their own, as ONNX has them: comparisons
 * that give bool, a power whose exponent has any dtype, functions of integers. Shapes are
 * stretched.
 */
#ifndef OPS_MATH_TYPED_BINARY_OPERATORS_H
#define OPS_MATH_TYPED_BINARY_OPERATORS_H

#include <tenon/plugin.h>

/* X(name, function, inference, doc) */
#define TYPED_BINARY_OPERATORS(X)                                                                  \
    X(Equal, equal, infer_bool_result, "whether A and B are the same")                             \
    X(Greater, greater, infer_bool_result, "whether A is greater than B")                          \
    X(GreaterOrEqual, greater_equal, infer_bool_result, "whether A is at least B")                 \
    X(Less, lesser, infer_bool_result, "whether A is less than B")                                 \
    X(LessOrEqual, lesser_equal, infer_bool_result, "whether A is at most B")                      \
    X(And, logical_and, infer_bool_result, "whether A and B are true")                             \
    X(Or, logical_or, infer_bool_result, "whether A or B is true")                                 \
    X(Xor, logical_xor, infer_bool_result, "whether one of A and B is true")                       \
    X(BitwiseAnd, bitwise_and, infer_integers, "the bits that A and B both have")                  \
    X(BitwiseOr, bitwise_or, infer_integers, "the bits that A or B has")                           \
    X(BitwiseXor, bitwise_xor, infer_integers, "the bits that one of A and B has")                 \
    X(PRelu, prelu, infer_one_dtype, "A where it is not below 0, elsewhere A times the slope B")   \
    X(Pow, power, infer_first_dtype, "A to the power of B, in the dtype of A")

/* For each the operator typed_operator_NAME, and prepare_typed_NAME for its kernel. */
#define DECLARE_TYPED_OPERATOR(NAME, FUNCTION, INFER, DOC)                                         \
    extern const tn_op typed_operator_##NAME;                                                      \
    tn_status prepare_typed_##NAME(tn_prepare_call *call);
TYPED_BINARY_OPERATORS(DECLARE_TYPED_OPERATOR)
#undef DECLARE_TYPED_OPERATOR

extern const tn_op remainder_operator;
tn_status prepare_remainder(tn_prepare_call *call);
extern const tn_op bit_shift_operator;
tn_status prepare_bit_shift(tn_prepare_call *call);

#endif
