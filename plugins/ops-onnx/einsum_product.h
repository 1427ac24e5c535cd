/* Equations of two operands that are products of matrices: each letter is in both operands and the
 * output (a batch), in one of them and the output (rows, columns), or in both and not in the output
 * (which is summed over), and once in each. */
#ifndef OPS_ONNX_EINSUM_PRODUCT_H
#define OPS_ONNX_EINSUM_PRODUCT_H

#include "einsum_equation.h"

typedef struct einsum_product {
    shape_walk batch;   /* offsets of left, right and output */
    shape_walk rows;    /* of left and output */
    shape_walk columns; /* of right and output */
    shape_walk depth;   /* of left and right */
    int64_t batch_count, row_count, column_count, depth_count;
} einsum_product;

/* Whether the equation is one. */
int einsum_find_product(const einsum_equation *equation, const tn_view *const *operands,
                        const tn_view *output, einsum_product *out_product);

uint64_t einsum_product_workspace(const einsum_product *product, tn_dtype dtype);

/* Of the call's two inputs, which are floating, into its output. */
void einsum_product_run(const tn_run_call *call, const einsum_product *product);

#endif
