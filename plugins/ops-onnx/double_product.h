/* The product of matrices of doubles, for operators that are not worth a tuned one. */
#ifndef OPS_ONNX_DOUBLE_PRODUCT_H
#define OPS_ONNX_DOUBLE_PRODUCT_H

#include <tenon/plugin.h>

/* result[i][j] = the sum over k of left(i, k) * right[k][j]. `right` and `result` are row-major;
 * left(i, k) is left[i * row_step + k * depth_step]. */
typedef struct double_product {
    const double *left;
    int64_t row_step, depth_step;
    const double *right;
    double *result;
    int64_t rows, columns, depth;
} double_product;

void double_product_run(const tn_host *host, const double_product *product);

#endif
