/* The numbers of functions, as binary_functions.glsl and unary_numbers.glsl have them. Those from
 * POWER and from SQRT on are of real numbers only. */
#ifndef KERNELS_VULKAN_FUNCTIONS_H
#define KERNELS_VULKAN_FUNCTIONS_H

#include "elements.h"

/* X(name, NAME) */
/* clang-format off */
#define BINARY_FUNCTIONS(X) \
    X(add, ADD) \
    X(subtract, SUBTRACT) \
    X(multiply, MULTIPLY) \
    X(divide, DIVIDE) \
    X(mod, MOD) \
    X(maximum, MAXIMUM) \
    X(minimum, MINIMUM) \
    X(equal, EQUAL) \
    X(not_equal, NOT_EQUAL) \
    X(greater, GREATER) \
    X(greater_equal, GREATER_EQUAL) \
    X(lesser, LESSER) \
    X(lesser_equal, LESSER_EQUAL) \
    X(logical_and, LOGICAL_AND) \
    X(logical_or, LOGICAL_OR) \
    X(logical_xor, LOGICAL_XOR) \
    X(power, POWER) \
    X(hypot, HYPOT) \
    X(prelu, PRELU)
/* clang-format on */

enum {
#define FUNCTION_NUMBER(NAME, UPPER) BINARY_##UPPER,
    BINARY_FUNCTIONS(FUNCTION_NUMBER)
#undef FUNCTION_NUMBER
};

/* X(name, NAME) */
/* clang-format off */
#define UNARY_FUNCTIONS(X) \
    X(abs, ABS) \
    X(sign, SIGN) \
    X(ceil, CEIL) \
    X(floor, FLOOR) \
    X(rint, RINT) \
    X(round, ROUND) \
    X(trunc, TRUNC) \
    X(square, SQUARE) \
    X(negative, NEGATIVE) \
    X(relu, RELU) \
    X(logical_not, LOGICAL_NOT) \
    X(clip, CLIP) \
    X(sqrt, SQRT) \
    X(rsqrt, RSQRT) \
    X(cbrt, CBRT) \
    X(rcbrt, RCBRT) \
    X(exp, EXP) \
    X(log, LOG) \
    X(log10, LOG10) \
    X(log2, LOG2) \
    X(log1p, LOG1P) \
    X(expm1, EXPM1) \
    X(sin, SIN) \
    X(cos, COS) \
    X(tan, TAN) \
    X(arcsin, ARCSIN) \
    X(arccos, ARCCOS) \
    X(arctan, ARCTAN) \
    X(sinh, SINH) \
    X(cosh, COSH) \
    X(tanh, TANH) \
    X(arcsinh, ARCSINH) \
    X(arccosh, ARCCOSH) \
    X(arctanh, ARCTANH) \
    X(degrees, DEGREES) \
    X(radians, RADIANS) \
    X(reciprocal, RECIPROCAL) \
    X(sigmoid, SIGMOID) \
    X(hard_sigmoid, HARD_SIGMOID) \
    X(smooth_l1, SMOOTH_L1) \
    X(softsign, SOFTSIGN) \
    X(erf, ERF) \
    X(erfinv, ERFINV) \
    X(gamma, GAMMA) \
    X(gammaln, GAMMALN) \
    X(leaky_relu, LEAKY_RELU) \
    X(elu, ELU) \
    X(celu, CELU) \
    X(selu, SELU) \
    X(shrink, SHRINK) \
    X(swish, SWISH) \
    X(thresholded_relu, THRESHOLDED_RELU) \
    X(hard_swish, HARD_SWISH) \
    X(mish, MISH) \
    X(round_even, ROUND_EVEN) \
    X(softplus, SOFTPLUS) \
    X(gelu, GELU) \
    X(gelu_tanh, GELU_TANH) \
    X(sign_or_nan, SIGN_OR_NAN)
/* clang-format on */

enum {
#define FUNCTION_NUMBER(NAME, UPPER) UNARY_##UPPER,
    UNARY_FUNCTIONS(FUNCTION_NUMBER)
#undef FUNCTION_NUMBER
};

/* A row of a table that says what the operators of a list are about. */
typedef struct named_function {
    const char *name;
    uint32_t function;
    uint32_t variant;
} named_function;

/* `name` is in the table. */
static inline const named_function *find_function(const named_function *table, const char *name) {
    while (strcmp(table->name, name) != 0) {
        table++;
    }
    return table;
}

/* All inputs and outputs have the first output's dtype, which shaders compute with, and sizes that
 * they can count. */
static inline int32_t supports_one_dtype(const tn_kernel_query *query) {
    const tn_dtype dtype = query->outputs[0].dtype;
    int32_t fits = element_code(dtype) != ELEMENT_NONE && supports_sizes(query);
    for (uint32_t i = 0; i < query->input_count; i++) {
        fits = fits && query->inputs[i].dtype == dtype;
    }
    return fits;
}

#endif
