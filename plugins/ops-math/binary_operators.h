/*
 * Operators that apply a function of two numbers to the elements of two tensors.
 */
#ifndef OPS_MATH_BINARY_OPERATORS_H
#define OPS_MATH_BINARY_OPERATORS_H

#include "binary_functions.h"

/* X(function, gradient for tensors of one shape or NULL, doc) */
#define BINARY_OPERATORS(X)                                                                        \
    X(add, gradient_of_add, "lhs + rhs")                                                           \
    X(subtract, gradient_of_subtract, "lhs - rhs")                                                 \
    X(multiply, gradient_of_multiply, "lhs * rhs")                                                 \
    X(divide, gradient_of_divide, "lhs / rhs; integers are truncated, and divided by 0 give 0")    \
    X(mod, NULL, "the remainder of lhs / rhs with the sign of rhs, 0 where rhs is 0")              \
    X(power, NULL, "lhs to the power of rhs")                                                      \
    X(hypot, NULL, "the hypotenuse sqrt(lhs * lhs + rhs * rhs)")                                   \
    X(maximum, NULL, "the greater of lhs and rhs; NaN if either is NaN")                           \
    X(minimum, NULL, "the lesser of lhs and rhs; NaN if either is NaN")                            \
    X(equal, NULL, "1 where lhs == rhs, elsewhere 0")                                              \
    X(not_equal, NULL, "1 where lhs != rhs, elsewhere 0")                                          \
    X(greater, NULL, "1 where lhs > rhs, elsewhere 0")                                             \
    X(greater_equal, NULL, "1 where lhs >= rhs, elsewhere 0")                                      \
    X(lesser, NULL, "1 where lhs < rhs, elsewhere 0")                                              \
    X(lesser_equal, NULL, "1 where lhs <= rhs, elsewhere 0")                                       \
    X(logical_and, NULL, "1 where neither lhs nor rhs is 0, elsewhere 0")                          \
    X(logical_or, NULL, "1 where lhs or rhs is not 0, elsewhere 0")                                \
    X(logical_xor, NULL, "1 where one of lhs and rhs is 0 and the other is not, elsewhere 0")

/* Both inputs are stretched to the output's shape. */
tn_status infer_broadcast_shape(tn_infer_call *call);

extern const tn_op elementwise_operators[BINARY_FUNCTION_COUNT];
extern const tn_op broadcast_operators[BINARY_FUNCTION_COUNT];

/* X(name, function): for tensors of one shape. */
#define ELEMENTWISE_NAMES(X)                                                                       \
    X(elemwise_add, add)                                                                           \
    X(_add, add)                                                                                   \
    X(_plus, add)                                                                                  \
    X(_Plus, add)                                                                                  \
    X(_grad_add, add)                                                                              \
    X(elemwise_sub, subtract)                                                                      \
    X(_sub, subtract)                                                                              \
    X(_minus, subtract)                                                                            \
    X(_Minus, subtract)                                                                            \
    X(elemwise_mul, multiply)                                                                      \
    X(_mul, multiply)                                                                              \
    X(_Mul, multiply)                                                                              \
    X(elemwise_div, divide)                                                                        \
    X(_div, divide)                                                                                \
    X(_Div, divide)                                                                                \
    X(_mod, mod)                                                                                   \
    X(_Mod, mod)                                                                                   \
    X(_power, power)                                                                               \
    X(_Power, power)                                                                               \
    X(_hypot, hypot)                                                                               \
    X(_Hypot, hypot)                                                                               \
    X(_maximum, maximum)                                                                           \
    X(_Maximum, maximum)                                                                           \
    X(_minimum, minimum)                                                                           \
    X(_Minimum, minimum)                                                                           \
    X(_equal, equal)                                                                               \
    X(_Equal, equal)                                                                               \
    X(_not_equal, not_equal)                                                                       \
    X(_Not_Equal, not_equal)                                                                       \
    X(_greater, greater)                                                                           \
    X(_Greater, greater)                                                                           \
    X(_greater_equal, greater_equal)                                                               \
    X(_Greater_Equal, greater_equal)                                                               \
    X(_lesser, lesser)                                                                             \
    X(_Lesser, lesser)                                                                             \
    X(_lesser_equal, lesser_equal)                                                                 \
    X(_Lesser_Equal, lesser_equal)                                                                 \
    X(_logical_and, logical_and)                                                                   \
    X(_Logical_And, logical_and)                                                                   \
    X(_logical_or, logical_or)                                                                     \
    X(_Logical_Or, logical_or)                                                                     \
    X(_logical_xor, logical_xor)                                                                   \
    X(_Logical_Xor, logical_xor)

/* X(name, function): for tensors that are stretched to one shape. */
#define BROADCAST_NAMES(X)                                                                         \
    X(broadcast_add, add)                                                                          \
    X(broadcast_plus, add)                                                                         \
    X(broadcast_sub, subtract)                                                                     \
    X(broadcast_minus, subtract)                                                                   \
    X(broadcast_mul, multiply)                                                                     \
    X(broadcast_div, divide)                                                                       \
    X(broadcast_mod, mod)                                                                          \
    X(broadcast_power, power)                                                                      \
    X(broadcast_hypot, hypot)                                                                      \
    X(broadcast_maximum, maximum)                                                                  \
    X(broadcast_minimum, minimum)                                                                  \
    X(broadcast_equal, equal)                                                                      \
    X(broadcast_not_equal, not_equal)                                                              \
    X(broadcast_greater, greater)                                                                  \
    X(broadcast_greater_equal, greater_equal)                                                      \
    X(broadcast_lesser, lesser)                                                                    \
    X(broadcast_lesser_equal, lesser_equal)                                                        \
    X(broadcast_logical_and, logical_and)                                                          \
    X(broadcast_logical_or, logical_or)                                                            \
    X(broadcast_logical_xor, logical_xor)

#endif
