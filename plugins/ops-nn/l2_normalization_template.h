/* Template, see l2_normalization.c. */

/* Vectors whose elements follow one another. */
static void REAL_NAME(normalize_rows)(void *context, int64_t begin, int64_t end) {
    const l2_vectors *vectors = context;
    const int64_t length = vectors->split.extent;
    for (int64_t index = begin; index < end; index++) {
        const element_row row = {index * length, 1, length};
        const double sum = REAL_NAME(row_sum_squares)(vectors->from, row, 0);
        const REAL scale = (REAL)(1 / sqrt(sum + vectors->eps));
        REAL_NAME(scale_row)(vectors->from, vectors->to, row, 0, scale, 0);
    }
}

/* `width` vectors side by side, of which the first begins at element `first`. */
static void REAL_NAME(normalize_tile)(const l2_vectors *vectors, int64_t first, int64_t width) {
    const int64_t extent = vectors->split.extent;
    const int64_t inner = vectors->split.inner;
    REAL block[TILE_LENGTH];
    REAL to_block[TILE_LENGTH];
    double sums[TILE_LENGTH] = {0};
    REAL scales[TILE_LENGTH];
    for (int64_t i = 0; i < extent; i++) {
        const REAL *x = REAL_NAME(read_block)(vectors->from, first + i * inner, 1, width, block);
        for (int64_t k = 0; k < width; k++) {
            sums[k] += (double)x[k] * (double)x[k];
        }
    }
    for (int64_t k = 0; k < width; k++) {
        scales[k] = (REAL)(1 / sqrt(sums[k] + vectors->eps));
    }
    for (int64_t i = 0; i < extent; i++) {
        const int64_t position = first + i * inner;
        const REAL *x = REAL_NAME(read_block)(vectors->from, position, 1, width, block);
        REAL *y = REAL_NAME(target_block)(vectors->to, position, 1, to_block);
        for (int64_t k = 0; k < width; k++) {
            y[k] = x[k] * scales[k];
        }
        REAL_NAME(write_block)(vectors->to, position, 1, width, y);
    }
}

static void REAL_NAME(normalize_tiles)(void *context, int64_t begin, int64_t end) {
    const l2_vectors *vectors = context;
    const axis_split *split = &vectors->split;
    const int64_t tiles = divide_up(split->inner, TILE_LENGTH);
    for (int64_t i = begin; i < end; i++) {
        const int64_t column = i % tiles * TILE_LENGTH;
        const int64_t first = i / tiles * split->extent * split->inner + column;
        REAL_NAME(normalize_tile)(vectors, first, smaller(TILE_LENGTH, split->inner - column));
    }
}
