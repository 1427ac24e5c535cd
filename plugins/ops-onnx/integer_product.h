/*
 * Products of matrices of 8-bit integers with zero points, exact in int32 (what does not fit wraps
 * around). Each of several products is cut into chunks of columns, which are packed, multiplied by
 * all rows and stored while they are in the cache.
 */
#ifndef OPS_ONNX_INTEGER_PRODUCT_H
#define OPS_ONNX_INTEGER_PRODUCT_H

#include "integer_panels.h"

/* How the work is shared out. */
typedef struct product_plan {
    int64_t chunk_columns, chunks; /* of one product */
    int64_t row_parts;             /* the rows of a chunk, cut when there are few chunks */
    int64_t lanes;                 /* that work at the same time, each with memory of its own: */
    uint64_t panels_place, bytes_place,
        lane_size; /* in bytes, behind the sums of a panel of rows */
} product_plan;

/* Takes sums of product `number`: of a row, from a column on. */
typedef void store_sums(const void *context, int64_t number, int64_t row, int64_t column,
                        int64_t count, const int32_t *sums);

typedef struct integer_product {
    int64_t count; /* of products */
    int64_t rows, columns, depth;
    const int16_t *left; /* the panels of `left_count` matrices, which the products take in turn */
    int64_t left_count;
    /* The panels of the right matrix of all products; NULL: pack_columns makes them, with
     * `bytes` for its own use. */
    const int16_t *right;
    void (*pack_columns)(const void *context, int64_t number, int64_t first, int64_t count,
                         char *bytes, int16_t *panels);
    store_sums *store;
    const void *context; /* of these functions */
    product_plan plan;
    char *workspace; /* lanes * lane_size bytes */
    multiply_tile *multiply;
} integer_product;

/* Plans products with the counts that are set. Chunks are of whole multiples of `unit` columns;
 * pack_columns uses `bytes_per_column`. */
tn_status integer_product_plan(const tn_host *host, integer_product *product, int64_t unit,
                               int64_t bytes_per_column);

uint64_t integer_product_workspace(const integer_product *product);

void integer_product_run(const tn_host *host, const integer_product *product);

#endif
