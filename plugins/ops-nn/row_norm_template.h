/* Template, see row_norm.h. */

/* The sum of the squares of the elements, each less `centre`. */
static inline double REAL_NAME(row_sum_squares)(element_array from, element_row row, REAL centre) {
    REAL block[BLOCK_LENGTH];
    double sum = 0;
    for (int64_t i = 0; i < row.count; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, row.count);
        sum += REAL_NAME(sum_squares)(
            REAL_NAME(read_block)(from, row.first + i * row.stride, row.stride, count, block),
            centre, count);
    }
    return sum;
}

/* Two passes: the variance is taken about the mean that is known already, which keeps its digits
 * when the mean is large. An empty row has mean and variance 0. */
static inline row_moments REAL_NAME(moments_of_row)(element_array from, element_row row) {
    REAL block[BLOCK_LENGTH];
    row_moments moments = {0, 0};
    if (row.count == 0) {
        return moments;
    }
    for (int64_t i = 0; i < row.count; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, row.count);
        moments.mean += REAL_NAME(sum_block)(
            REAL_NAME(read_block)(from, row.first + i * row.stride, row.stride, count, block),
            count);
    }
    moments.mean /= (double)row.count;
    moments.variance =
        REAL_NAME(row_sum_squares)(from, row, (REAL)moments.mean) / (double)row.count;
    return moments;
}

/* to = (from - centre) * scale + shift */
static inline void REAL_NAME(scale_row)(element_array from, element_array to, element_row row,
                                        REAL centre, REAL scale, REAL shift) {
    REAL from_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    for (int64_t i = 0; i < row.count; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, row.count);
        const int64_t first = row.first + i * row.stride;
        const REAL *x = REAL_NAME(read_block)(from, first, row.stride, count, from_block);
        REAL *y = REAL_NAME(target_block)(to, first, row.stride, to_block);
        for (int64_t k = 0; k < count; k++) {
            y[k] = (x[k] - centre) * scale + shift;
        }
        REAL_NAME(write_block)(to, first, row.stride, count, y);
    }
}
