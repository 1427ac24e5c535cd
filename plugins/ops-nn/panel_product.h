/*
 * The product of packed rows and one panel of packed columns: the unit of work that all matrix
 * products and convolutions are made of.
 */
#ifndef OPS_NN_PANEL_PRODUCT_H
#define OPS_NN_PANEL_PRODUCT_H

#include "panels.h"

typedef struct panel_product {
    tn_dtype dtype; /* of the operands before they were packed, and of the biases */
    tn_dtype result_dtype;
    const void *rows;    /* packed, from the first wanted row's panel on */
    const void *columns; /* the panel */
    int64_t depth;
    int64_t row_count;
    int64_t column_count;    /* of those in the panel */
    const void *row_bias;    /* NULL, or what is added to each row, from the first on */
    const void *column_bias; /* the same for columns */
    void *result;            /* row-major, its first wanted element */
    int64_t row_stride;      /* of the result, in elements */
} panel_product;

/* Stores the first `count` sums of a tile's row as elements. */
static inline void store_sums(const void *sums, int64_t count, tn_dtype dtype, void *target) {
    if ((size_t)count * TN_DTYPE_SIZE(dtype) == TILE_BYTES) { /* a whole row of reals */
        memcpy(target, sums, TILE_BYTES);
    } else {
        element_storer_of(dtype)(sums, count, target);
    }
}

void panel_product_run(const micro_kernels *kernels, const panel_product *product);

/* How many rows to take at once, so that their panels stay in the cache from one panel of columns
 * to the next. A multiple of TILE_ROWS. */
int64_t panel_product_rows(tn_dtype dtype, int64_t depth);

/* The multiplications in the product of `rows` rows and one panel of columns. */
int64_t panel_product_cost(tn_dtype dtype, int64_t depth, int64_t rows);

#endif
