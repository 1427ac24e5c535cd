/* Template, see row_sums.h. */

/* The sum of (x - centre)^2 over a block. */
static inline double REAL_NAME(sum_squares)(const REAL *x, REAL centre, int64_t count) {
    REAL lanes[SUM_LANES] = {0};
    int64_t i = 0;
    for (; i + SUM_LANES <= count; i += SUM_LANES) {
        for (int64_t lane = 0; lane < SUM_LANES; lane++) {
            const REAL difference = x[i + lane] - centre;
            lanes[lane] += difference * difference;
        }
    }
    double sum = 0;
    for (; i < count; i++) {
        const double difference = (double)(x[i] - centre);
        sum += difference * difference;
    }
    for (int64_t lane = 0; lane < SUM_LANES; lane++) {
        sum += (double)lanes[lane];
    }
    return sum;
}

/* The sum of a block. */
static inline double REAL_NAME(sum_block)(const REAL *x, int64_t count) {
    REAL lanes[SUM_LANES] = {0};
    int64_t i = 0;
    for (; i + SUM_LANES <= count; i += SUM_LANES) {
        for (int64_t lane = 0; lane < SUM_LANES; lane++) {
            lanes[lane] += x[i + lane];
        }
    }
    double sum = 0;
    for (; i < count; i++) {
        sum += (double)x[i];
    }
    for (int64_t lane = 0; lane < SUM_LANES; lane++) {
        sum += (double)lanes[lane];
    }
    return sum;
}
