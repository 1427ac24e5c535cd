#include "double_product.h"

enum { COLUMN_BLOCK = 512 };

static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const double_product *job = context;
    for (int64_t column = 0; column < job->columns; column += COLUMN_BLOCK) {
        const int64_t left = job->columns - column;
        const int64_t count = left < COLUMN_BLOCK ? left : COLUMN_BLOCK;
        for (int64_t i = begin; i < end; i++) {
            double *restrict sums = job->result + i * job->columns + column;
            memset(sums, 0, (size_t)count * sizeof *sums);
            for (int64_t k = 0; k < job->depth; k++) {
                const double factor = job->left[i * job->row_step + k * job->depth_step];
                const double *restrict row = job->right + k * job->columns + column;
                for (int64_t j = 0; j < count; j++) {
                    sums[j] += factor * row[j];
                }
            }
        }
    }
}

void double_product_run(const tn_host *host, const double_product *product) {
    double_product job = *product;
    tn_parallel_for(host, product->rows, 32768 / (product->columns * product->depth + 1) + 1,
                    multiply_rows, &job);
}
