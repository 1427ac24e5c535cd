/* Products of matrices of 32-bit and 64-bit integers, which wrap around. */
#ifndef OPS_NN_INTEGER_MATRIX_PRODUCT_H
#define OPS_NN_INTEGER_MATRIX_PRODUCT_H

#include "matrix_product.h"

#define WIDE_INTEGER_DTYPE_COUNT 4u
extern const tn_dtype wide_integer_dtypes[WIDE_INTEGER_DTYPE_COUNT];

/* Of operands of one of these dtypes, without panels and without a bias. `workspace` is not used.
 */
void integer_matrix_product_run(const tn_host *host, const matrix_product *product,
                                void *workspace);

#endif
