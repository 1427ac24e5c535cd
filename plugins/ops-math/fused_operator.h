/*
 * The operator fused_elementwise: several functions of elements in one node.
 */
#ifndef OPS_MATH_FUSED_OPERATOR_H
#define OPS_MATH_FUSED_OPERATOR_H

#include <tenon/plugin/elementwise.h>

#include "binary_functions.h"
#include "unary_functions.h"

extern const tn_op fused_operator;

typedef struct fused_attributes {
    const char *program;
    tn_floats numbers;
} fused_attributes;

/* A function of a program: of two operands, or of one and its parameters. */
typedef struct fused_function {
    const char *name;
    int32_t is_binary;
    uint32_t number; /* a binary_function or a unary_function */
    uint32_t operand_count;
} fused_function;

/* NULL when there is none of that name. */
const fused_function *find_fused_function(const char *name);

/* Reads the program of a node and checks it. */
tn_status read_fused_program(const tn_host *host, const fused_attributes *own, uint32_t input_count,
                             tn_elementwise_program *out_program);

#endif
