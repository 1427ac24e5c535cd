/*
 * Functions of two numbers, for each compute type, as loops over elements.
 */
#ifndef OPS_MATH_BINARY_FUNCTIONS_H
#define OPS_MATH_BINARY_FUNCTIONS_H

#include "element.h"

/* X(function): those that keep integers integers. */
#define BINARY_ARITHMETIC_FUNCTIONS(X)                                                             \
    X(add)                                                                                         \
    X(subtract)                                                                                    \
    X(multiply)                                                                                    \
    X(divide)                                                                                      \
    X(mod)                                                                                         \
    X(maximum)                                                                                     \
    X(minimum)                                                                                     \
    X(remainder)                                                                                   \
    X(equal)                                                                                       \
    X(not_equal)                                                                                   \
    X(greater)                                                                                     \
    X(greater_equal)                                                                               \
    X(lesser)                                                                                      \
    X(lesser_equal)                                                                                \
    X(logical_and)                                                                                 \
    X(logical_or)                                                                                  \
    X(logical_xor)

/* X(function): those of integers alone. Shifting by as many bits as there are, or more, gives 0. */
#define BINARY_INTEGER_FUNCTIONS(X)                                                                \
    X(bitwise_and)                                                                                 \
    X(bitwise_or)                                                                                  \
    X(bitwise_xor)                                                                                 \
    X(shift_left)                                                                                  \
    X(shift_right)

/* X(function): those of real numbers; integers go through f64. */
#define BINARY_REAL_FUNCTIONS(X)                                                                   \
    X(prelu)                                                                                       \
    X(power)                                                                                       \
    X(hypot)

typedef enum binary_function {
#define BINARY_ENUM(FUNCTION) BINARY_##FUNCTION,
    BINARY_ARITHMETIC_FUNCTIONS(BINARY_ENUM) BINARY_INTEGER_FUNCTIONS(BINARY_ENUM)
        BINARY_REAL_FUNCTIONS(BINARY_ENUM)
#undef BINARY_ENUM
            BINARY_FUNCTION_COUNT
} binary_function;

/* output[i] = f(left[i * left_step], right[i * right_step]). A step is 1, or 0 for one operand
 * that is a constant; `count` is at least 1. An operand with step 1 may be the output's memory. */
typedef void (*binary_row)(const void *left, int64_t left_step, const void *right,
                           int64_t right_step, void *output, int64_t count);

/* NULL where integers go through f64, and for reals where a function is of integers alone. */
extern const binary_row binary_rows[BINARY_FUNCTION_COUNT][COMPUTE_TYPE_COUNT];

/* About how many elements keep a thread busy for 20 microseconds. */
int64_t binary_grain(binary_function function);

#endif
