/*
 * Functions of one number, for each compute type, as loops over elements.
 */
#ifndef OPS_MATH_UNARY_FUNCTIONS_H
#define OPS_MATH_UNARY_FUNCTIONS_H

#include "element.h"

/* X(function): those that keep integers integers. */
#define UNARY_ARITHMETIC_FUNCTIONS(X)                                                              \
    X(abs)                                                                                         \
    X(sign)                                                                                        \
    X(ceil)                                                                                        \
    X(floor)                                                                                       \
    X(rint)                                                                                        \
    X(round)                                                                                       \
    X(trunc)                                                                                       \
    X(square)                                                                                      \
    X(negative)                                                                                    \
    X(relu)                                                                                        \
    X(logical_not)                                                                                 \
    X(clip)                                                                                        \
    X(round_even)                                                                                  \
    X(sign_or_nan)                                                                                 \
    X(thresholded_relu)

/* X(function): those of real numbers; integers go through f64. */
#define UNARY_REAL_FUNCTIONS(X)                                                                    \
    X(sqrt)                                                                                        \
    X(rsqrt)                                                                                       \
    X(cbrt)                                                                                        \
    X(rcbrt)                                                                                       \
    X(exp)                                                                                         \
    X(log)                                                                                         \
    X(log10)                                                                                       \
    X(log2)                                                                                        \
    X(log1p)                                                                                       \
    X(expm1)                                                                                       \
    X(sin)                                                                                         \
    X(cos)                                                                                         \
    X(tan)                                                                                         \
    X(arcsin)                                                                                      \
    X(arccos)                                                                                      \
    X(arctan)                                                                                      \
    X(sinh)                                                                                        \
    X(cosh)                                                                                        \
    X(tanh)                                                                                        \
    X(arcsinh)                                                                                     \
    X(arccosh)                                                                                     \
    X(arctanh)                                                                                     \
    X(degrees)                                                                                     \
    X(radians)                                                                                     \
    X(reciprocal)                                                                                  \
    X(sigmoid)                                                                                     \
    X(hard_sigmoid)                                                                                \
    X(smooth_l1)                                                                                   \
    X(softsign)                                                                                    \
    X(erf)                                                                                         \
    X(erfinv)                                                                                      \
    X(gamma)                                                                                       \
    X(gammaln)                                                                                     \
    X(shrink)                                                                                      \
    X(leaky_relu)                                                                                  \
    X(elu)                                                                                         \
    X(selu)                                                                                        \
    X(celu)                                                                                        \
    X(softplus)                                                                                    \
    X(mish)                                                                                        \
    X(gelu)                                                                                        \
    X(gelu_tanh)                                                                                   \
    X(hard_swish)                                                                                  \
    X(swish)                                                                                       \
    X(is_nan)                                                                                      \
    X(is_inf)

/* X(function): those of integers alone. */
#define UNARY_INTEGER_FUNCTIONS(X) X(bitwise_not)

typedef enum unary_function {
#define UNARY_ENUM(FUNCTION) UNARY_##FUNCTION,
    UNARY_ARITHMETIC_FUNCTIONS(UNARY_ENUM) UNARY_REAL_FUNCTIONS(UNARY_ENUM)
        UNARY_INTEGER_FUNCTIONS(UNARY_ENUM)
#undef UNARY_ENUM
            UNARY_FUNCTION_COUNT
} unary_function;

/* output[i] = f(input[i]). The parameters, of the compute type: the bounds of clip, the slope and
 * offset of hard_sigmoid, the sigma of smooth_l1, what the tables of parametric_operators.c and
 * activation_operators.c say; the others have none. Input and output may be the
 * same memory. */
#define UNARY_PARAMETERS 2
typedef void (*unary_row)(const void *input, const compute_value parameters[UNARY_PARAMETERS],
                          void *output, int64_t count);

/* NULL where integers go through f64, and for reals where a function is of integers alone. */
extern const unary_row unary_rows[UNARY_FUNCTION_COUNT][COMPUTE_TYPE_COUNT];

/* About how many elements keep a thread busy for 20 microseconds. */
int64_t unary_grain(unary_function function);

#endif
