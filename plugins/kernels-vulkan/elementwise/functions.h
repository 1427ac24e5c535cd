/* The numbers of functions, as binary_functions.glsl and unary_numbers.glsl have them. */
#ifndef KERNELS_VULKAN_FUNCTIONS_H
#define KERNELS_VULKAN_FUNCTIONS_H

#include "elements.h"

enum {
    BINARY_ADD,
    BINARY_SUBTRACT,
    BINARY_MULTIPLY,
    BINARY_DIVIDE,
    BINARY_MOD,
    BINARY_MAXIMUM,
    BINARY_MINIMUM,
    BINARY_EQUAL,
    BINARY_NOT_EQUAL,
    BINARY_GREATER,
    BINARY_GREATER_EQUAL,
    BINARY_LESSER,
    BINARY_LESSER_EQUAL,
    BINARY_LOGICAL_AND,
    BINARY_LOGICAL_OR,
    BINARY_LOGICAL_XOR,
    BINARY_POWER, /* from here on of real numbers only */
    BINARY_HYPOT
};

enum {
    UNARY_ABS,
    UNARY_SIGN,
    UNARY_CEIL,
    UNARY_FLOOR,
    UNARY_RINT,
    UNARY_ROUND,
    UNARY_TRUNC,
    UNARY_SQUARE,
    UNARY_NEGATIVE,
    UNARY_RELU,
    UNARY_LOGICAL_NOT,
    UNARY_CLIP,
    UNARY_SQRT, /* from here on of real numbers only */
    UNARY_RSQRT,
    UNARY_CBRT,
    UNARY_RCBRT,
    UNARY_EXP,
    UNARY_LOG,
    UNARY_LOG10,
    UNARY_LOG2,
    UNARY_LOG1P,
    UNARY_EXPM1,
    UNARY_SIN,
    UNARY_COS,
    UNARY_TAN,
    UNARY_ARCSIN,
    UNARY_ARCCOS,
    UNARY_ARCTAN,
    UNARY_SINH,
    UNARY_COSH,
    UNARY_TANH,
    UNARY_ARCSINH,
    UNARY_ARCCOSH,
    UNARY_ARCTANH,
    UNARY_DEGREES,
    UNARY_RADIANS,
    UNARY_RECIPROCAL,
    UNARY_SIGMOID,
    UNARY_HARD_SIGMOID,
    UNARY_SMOOTH_L1,
    UNARY_SOFTSIGN,
    UNARY_ERF,
    UNARY_ERFINV,
    UNARY_GAMMA,
    UNARY_GAMMALN
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
