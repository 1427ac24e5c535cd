/*
 * Matrix products, alone or in batches:
 *
 *     result[b][i][j] = bias[j] + the sum over k of left[b][i][k] * right[b][j][k]
 *
 * The operands have any strides, the result is row-major.
 */
#ifndef KERNELS_VULKAN_DENSE_PRODUCT_H
#define KERNELS_VULKAN_DENSE_PRODUCT_H

#include "kernels.h"

typedef struct matrix_product {
    tn_dtype dtype;       /* of both operands and the bias */
    program_binding left; /* of no bytes: there are no terms */
    program_binding right;
    program_binding bias; /* of no bytes: none */
    program_binding result;
    int64_t rows;
    int64_t columns;
    int64_t terms;
    int64_t batches;
    int64_t left_stride; /* from row to row, in elements */
    int64_t left_term_stride;
    int64_t right_stride; /* from column to column */
    int64_t right_term_stride;
    int64_t left_batch_stride;
    int64_t right_batch_stride;
    int64_t left_first; /* where the operand begins in what is bound, in elements */
    int64_t right_first;
    int64_t bias_first;
    int64_t result_first;
} matrix_product;

/* The most terms that there may be. */
#define PRODUCT_MAX_TERMS ((int64_t)256 * PROGRAM_MAX_LOOPS)

void add_product(device_program *program, const matrix_product *product);

#endif
