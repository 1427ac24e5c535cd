/* Template, see panel_product.c. */

/* Adds biases to a tile of `rows` rows. */
static void REAL_NAME(add_bias)(const panel_product *product, int64_t row, int64_t rows,
                                REAL *tile) {
    enum { WIDTH = TILE_BYTES / sizeof(REAL) };
    REAL block[WIDTH];
    if (product->row_bias != NULL) {
        const element_array from = {(void *)product->row_bias, product->dtype};
        const REAL *bias = REAL_NAME(read_block)(from, row, 1, rows, block);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < WIDTH; c++) {
                tile[r * WIDTH + c] += bias[r];
            }
        }
    }
    if (product->column_bias != NULL) {
        const element_array from = {(void *)product->column_bias, product->dtype};
        const REAL *bias = REAL_NAME(read_block)(from, 0, 1, product->column_count, block);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < product->column_count; c++) {
                tile[r * WIDTH + c] += bias[c];
            }
        }
    }
}

static void REAL_NAME(store_tile)(const panel_product *product, int64_t row, int64_t rows,
                                  const REAL *tile) {
    for (int64_t r = 0; r < rows; r++) {
        void *target = element_at_mutable(product->result_dtype, product->result,
                                          (row + r) * product->row_stride);
        store_sums(tile + r * TILE_COLUMNS(sizeof(REAL)), product->column_count,
                   product->result_dtype, target);
    }
}

static void REAL_NAME(run_product)(REAL_NAME(multiply_tile) multiply,
                                   const panel_product *product) {
    REAL tile[TILE_ROWS * TILE_BYTES / sizeof(REAL)];
    const REAL *rows = product->rows;
    for (int64_t row = 0; row < product->row_count; row += TILE_ROWS) {
        const int64_t present = smaller(TILE_ROWS, product->row_count - row);
        multiply(product->depth, rows + row * product->depth, product->columns, tile);
        REAL_NAME(add_bias)(product, row, present, tile);
        REAL_NAME(store_tile)(product, row, present, tile);
    }
}
