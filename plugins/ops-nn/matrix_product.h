/*
 * Matrix products in the four floating dtypes, alone or in batches:
 *
 *   result[b][i][j] = column_bias[j] + the sum over k of left[b][i][k] * right[b][j][k]
 *
 * Operands lie in memory with any strides; the result is row-major. Both operands are packed
 * first, in the workspace unless the caller has packed one ahead of time.
 */
#ifndef OPS_NN_MATRIX_PRODUCT_H
#define OPS_NN_MATRIX_PRODUCT_H

#include "panels.h"

typedef struct matrix_product {
    matrix_operand left;
    matrix_operand right;
    int64_t left_batch_stride; /* from one matrix of the batch to the next, in elements */
    int64_t right_batch_stride;
    void *left_panels; /* packed already, or NULL */
    void *right_panels;
    const void *column_bias; /* of the operands' dtype, or NULL */
    int64_t batch_count;
    int64_t depth;
    tn_dtype result_dtype;
    void *result;
} matrix_product;

/* Packing one operand ahead of time, on this thread: the bytes that its panels take, and packing
 * them. */
uint64_t matrix_product_left_size(const matrix_product *product);
uint64_t matrix_product_right_size(const matrix_product *product);
void matrix_product_pack_left(const matrix_product *product, void *panels);
void matrix_product_pack_right(const matrix_product *product, void *panels);

/* The workspace that running needs. Only the sizes in `product` and whether panels are given
 * matter. */
uint64_t matrix_product_workspace(const matrix_product *product);

void matrix_product_run(const tn_host *host, const matrix_product *product, void *workspace);

#endif
