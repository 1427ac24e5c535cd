#include "integer_matrix_product.h"

#include "size.h"

const tn_dtype wide_integer_dtypes[WIDE_INTEGER_DTYPE_COUNT] = {TN_I32, TN_I64, TN_U32, TN_U64};

/* Row `row`, which counts through the batch. */
#define DEFINE_ROW(NAME, TYPE)                                                                     \
    static void NAME(const matrix_product *product, int64_t row) {                                 \
        const int64_t batch = row / product->left.count, own = row % product->left.count;          \
        const TYPE *left = (const TYPE *)product->left.data + batch * product->left_batch_stride + \
                           own * product->left.stride;                                             \
        const TYPE *right =                                                                        \
            (const TYPE *)product->right.data + batch * product->right_batch_stride;               \
        TYPE *result = (TYPE *)product->result + row * product->right.count;                       \
        for (int64_t column = 0; column < product->right.count; column++) {                        \
            TYPE sum = 0;                                                                          \
            for (int64_t k = 0; k < product->depth; k++) {                                         \
                sum += left[k * product->left.depth_stride] *                                      \
                       right[column * product->right.stride + k * product->right.depth_stride];    \
            }                                                                                      \
            result[column] = sum;                                                                  \
        }                                                                                          \
    }

DEFINE_ROW(multiply_row_32, uint32_t)
DEFINE_ROW(multiply_row_64, uint64_t)

static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const matrix_product *product = context;
    for (int64_t row = begin; row < end; row++) {
        if (TN_DTYPE_SIZE(product->result_dtype) == 8) {
            multiply_row_64(product, row);
        } else {
            multiply_row_32(product, row);
        }
    }
}

void integer_matrix_product_run(const tn_host *host, const matrix_product *product,
                                void *workspace) {
    (void)workspace;
    matrix_product work = *product;
    tn_parallel_for(host, product->batch_count * product->left.count,
                    grain_of(GRAIN_PRODUCTS, product->right.count * product->depth), multiply_rows,
                    &work);
}
