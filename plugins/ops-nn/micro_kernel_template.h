/* Template, see micro_kernels.c. Sums are variables rather than an array, which compilers would
 * keep in memory, and two vectors wide, so that their additions overlap. */

typedef REAL MICRO_NAME(vector)
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

MICRO_TARGET
static void MICRO_NAME(multiply)(int64_t depth, const REAL *rows, const REAL *columns, REAL *tile) {
    typedef MICRO_NAME(vector) vector;
    const size_t width = TILE_BYTES / sizeof(REAL);
    const size_t lanes = VECTOR_BYTES / sizeof(REAL);
    for (size_t column = 0; column < width; column += 2 * lanes) {
        const REAL *row = rows;
        const REAL *low = columns + column;
        vector low0 = {0}, low1 = {0}, low2 = {0}, low3 = {0};
        vector high0 = {0}, high1 = {0}, high2 = {0}, high3 = {0};
        for (int64_t k = 0; k < depth; k++) {
            const vector left = *(const vector *)low;
            const vector right = *(const vector *)(low + lanes);
            low0 += row[0] * left;
            high0 += row[0] * right;
            low1 += row[1] * left;
            high1 += row[1] * right;
            low2 += row[2] * left;
            high2 += row[2] * right;
            low3 += row[3] * left;
            high3 += row[3] * right;
            row += TILE_ROWS;
            low += width;
        }
        vector *target = (vector *)(tile + column);
        const size_t next = width / lanes;
        target[0] = low0;
        target[1] = high0;
        target[next] = low1;
        target[next + 1] = high1;
        target[2 * next] = low2;
        target[2 * next + 1] = high2;
        target[3 * next] = low3;
        target[3 * next + 1] = high3;
    }
}

MICRO_TARGET
static void MICRO_NAME(weigh)(int64_t count, const REAL *weights, const int64_t *offsets,
                              const REAL *source, REAL *sums) {
    typedef MICRO_NAME(vector) vector;
    const size_t width = TILE_BYTES / sizeof(REAL);
    const size_t lanes = VECTOR_BYTES / sizeof(REAL);
    for (size_t column = 0; column < width; column += 2 * lanes) {
        vector low = {0}, high = {0};
        for (int64_t i = 0; i < count; i++) {
            const REAL *run = source + offsets[i] + column;
            low += weights[i] * *(const vector *)run;
            high += weights[i] * *(const vector *)(run + lanes);
        }
        vector *target = (vector *)(sums + column);
        target[0] = low;
        target[1] = high;
    }
}
