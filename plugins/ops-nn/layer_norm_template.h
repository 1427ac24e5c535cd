/* Template, see layer_norm.c. */

static void REAL_NAME(normalize_row)(const layer_norm_rows *rows, element_row row, REAL mean,
                                     REAL deviation) {
    REAL from_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    REAL gamma_block[BLOCK_LENGTH];
    REAL beta_block[BLOCK_LENGTH];
    for (int64_t i = 0; i < row.count; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, row.count);
        const int64_t first = row.first + i * row.stride;
        const REAL *x = REAL_NAME(read_block)(rows->from, first, row.stride, count, from_block);
        const REAL *gamma = REAL_NAME(read_block)(rows->gamma, i, 1, count, gamma_block);
        const REAL *beta = REAL_NAME(read_block)(rows->beta, i, 1, count, beta_block);
        REAL *y = REAL_NAME(target_block)(rows->to, first, row.stride, to_block);
        for (int64_t k = 0; k < count; k++) {
            y[k] = (x[k] - mean) / deviation * gamma[k] + beta[k];
        }
        REAL_NAME(write_block)(rows->to, first, row.stride, count, y);
    }
}

static void REAL_NAME(normalize_rows)(void *context, int64_t begin, int64_t end) {
    const layer_norm_rows *rows = context;
    const axis_split *split = &rows->split;
    for (int64_t index = begin; index < end; index++) {
        const int64_t first =
            index / split->inner * split->extent * split->inner + index % split->inner;
        const element_row row = {first, split->inner, split->extent};
        const row_moments moments = REAL_NAME(moments_of_row)(rows->from, row);
        const REAL mean = (REAL)moments.mean;
        const REAL deviation = (REAL)sqrt(moments.variance + rows->eps);
        REAL_NAME(normalize_row)(rows, row, mean, deviation);
        if (rows->mean.elements != NULL) {
            REAL_NAME(write_one)(rows->mean, index, mean);
            REAL_NAME(write_one)(rows->deviation, index, deviation);
        }
    }
}
