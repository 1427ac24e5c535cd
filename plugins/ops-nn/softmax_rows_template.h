/*
 * Template, see softmax_rows.c. The largest quotient, at `peak`, is taken off before the
 * exponential, so that nothing overflows; with a negative divisor that is the smallest element.
 */

/* The largest of `peak` and the elements of a block, in the order that `sign` gives. */
static REAL REAL_NAME(peak_of_block)(const REAL *x, int64_t count, REAL sign, REAL peak) {
    REAL lanes[PEAK_LANES];
    for (int64_t lane = 0; lane < PEAK_LANES; lane++) {
        lanes[lane] = sign * peak;
    }
    int64_t i = 0;
    for (; i + PEAK_LANES <= count; i += PEAK_LANES) {
        for (int64_t lane = 0; lane < PEAK_LANES; lane++) {
            const REAL value = sign * x[i + lane];
            lanes[lane] = value > lanes[lane] ? value : lanes[lane];
        }
    }
    for (; i < count; i++) {
        const REAL value = sign * x[i];
        lanes[0] = value > lanes[0] ? value : lanes[0];
    }
    for (int64_t lane = 1; lane < PEAK_LANES; lane++) {
        lanes[0] = lanes[lane] > lanes[0] ? lanes[lane] : lanes[0];
    }
    return sign * lanes[0];
}

/* y[i] = the result for element x[i] of a vector with the peak peaks[i]; totals[i] is what total_of
 * makes of the sum of its powers. */
static void REAL_NAME(results)(const softmax_problem *problem, const REAL *x, const REAL *peaks,
                               const REAL *totals, REAL *y, int64_t count) {
    const REAL divisor = (REAL)problem->divisor;
    if (problem->logarithmic) {
        for (int64_t i = 0; i < count; i++) {
            y[i] = (x[i] - peaks[i]) / divisor - totals[i];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            y[i] = REAL_NAME(exponential)((x[i] - peaks[i]) / divisor) * totals[i];
        }
    }
}

static REAL REAL_NAME(total_of)(const softmax_problem *problem, double sum) {
    return (REAL)(problem->logarithmic ? log(sum) : 1 / sum);
}

/* The peak of a vector's first `length` elements. */
static REAL REAL_NAME(peak_of_row)(const softmax_vectors *vectors, int64_t first, int64_t length) {
    const softmax_problem *problem = vectors->problem;
    const int64_t stride = problem->split.inner;
    const REAL sign = problem->divisor < 0 ? -1 : 1;
    REAL block[BLOCK_LENGTH];
    REAL peak = -sign * (REAL)INFINITY;
    for (int64_t i = 0; i < length; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, length);
        const REAL *x =
            REAL_NAME(read_block)(vectors->from, first + i * stride, stride, count, block);
        peak = REAL_NAME(peak_of_block)(x, count, sign, peak);
    }
    return peak;
}

static void REAL_NAME(powers)(const REAL *x, REAL peak, REAL divisor, REAL *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = REAL_NAME(exponential)((x[i] - peak) / divisor);
    }
}

/* What total_of makes of the sum of a vector's powers. Where results are stored as the reals that
 * they are, the powers are left in their places. */
static REAL REAL_NAME(total_of_row)(const softmax_vectors *vectors, int64_t first, int64_t length,
                                    REAL peak, int keeps_powers) {
    const softmax_problem *problem = vectors->problem;
    const int64_t stride = problem->split.inner;
    REAL block[BLOCK_LENGTH];
    REAL power_block[BLOCK_LENGTH];
    double sum = 0;
    for (int64_t i = 0; i < length; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, length);
        const int64_t position = first + i * stride;
        const REAL *x = REAL_NAME(read_block)(vectors->from, position, stride, count, block);
        REAL *y = keeps_powers ? REAL_NAME(target_block)(vectors->to, position, stride, power_block)
                               : power_block;
        REAL_NAME(powers)(x, peak, (REAL)problem->divisor, y, count);
        sum += REAL_NAME(sum_block)(y, count);
    }
    return REAL_NAME(total_of)(problem, sum);
}

static void REAL_NAME(scale)(REAL *y, REAL factor, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] *= factor;
    }
}

/* The results of a vector whose powers were not kept. */
static void REAL_NAME(results_of_row)(const softmax_vectors *vectors, int64_t first, int64_t length,
                                      REAL peak, REAL total) {
    const axis_split *split = &vectors->problem->split;
    REAL block[BLOCK_LENGTH];
    REAL result_block[BLOCK_LENGTH];
    REAL peaks[BLOCK_LENGTH];
    REAL totals[BLOCK_LENGTH];
    for (int64_t i = 0; i < block_length(0, length); i++) {
        peaks[i] = peak;
        totals[i] = total;
    }
    for (int64_t i = 0; i < length; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, length);
        const int64_t position = first + i * split->inner;
        const REAL *x = REAL_NAME(read_block)(vectors->from, position, split->inner, count, block);
        REAL *y = REAL_NAME(target_block)(vectors->to, position, split->inner, result_block);
        REAL_NAME(results)(vectors->problem, x, peaks, totals, y, count);
        REAL_NAME(write_block)(vectors->to, position, split->inner, count, y);
    }
}

static void REAL_NAME(softmax_row)(const softmax_vectors *vectors, int64_t first, int64_t length) {
    const axis_split *split = &vectors->problem->split;
    const int keeps_powers =
        vectors->to.dtype == REAL_DTYPE && split->inner == 1 && !vectors->problem->logarithmic;
    const REAL peak = REAL_NAME(peak_of_row)(vectors, first, length);
    const REAL total = REAL_NAME(total_of_row)(vectors, first, length, peak, keeps_powers);
    if (keeps_powers) {
        REAL_NAME(scale)((REAL *)vectors->to.elements + first, total, length);
    } else {
        REAL_NAME(results_of_row)(vectors, first, length, peak, total);
    }
    for (int64_t i = length; i < split->extent; i++) {
        REAL_NAME(write_one)(vectors->to, first + i * split->inner, 0);
    }
}

static void REAL_NAME(softmax_rows)(void *context, int64_t begin, int64_t end) {
    const softmax_vectors *vectors = context;
    const axis_split *split = &vectors->problem->split;
    const tn_view *lengths = vectors->problem->lengths;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = i / split->inner * split->extent * split->inner + i % split->inner;
        const int64_t length =
            lengths != NULL ? sequence_length_at(lengths, i, split->extent) : split->extent;
        REAL_NAME(softmax_row)(vectors, first, length);
    }
}

/* The peaks of `width` vectors side by side, and their totals. */
static void REAL_NAME(peaks_of_tile)(const softmax_vectors *vectors, int64_t first, int64_t width,
                                     REAL *peaks, REAL *totals) {
    const softmax_problem *problem = vectors->problem;
    const axis_split *split = &problem->split;
    const REAL divisor = (REAL)problem->divisor;
    const REAL sign = divisor < 0 ? -1 : 1;
    REAL block[TILE_LENGTH];
    double sums[TILE_LENGTH] = {0};
    for (int64_t k = 0; k < width; k++) {
        peaks[k] = -sign * (REAL)INFINITY;
    }
    for (int64_t i = 0; i < split->extent; i++) {
        const REAL *x =
            REAL_NAME(read_block)(vectors->from, first + i * split->inner, 1, width, block);
        for (int64_t k = 0; k < width; k++) {
            peaks[k] = sign * x[k] > sign * peaks[k] ? x[k] : peaks[k];
        }
    }
    for (int64_t i = 0; i < split->extent; i++) {
        const REAL *x =
            REAL_NAME(read_block)(vectors->from, first + i * split->inner, 1, width, block);
        for (int64_t k = 0; k < width; k++) {
            sums[k] += (double)REAL_NAME(exponential)((x[k] - peaks[k]) / divisor);
        }
    }
    for (int64_t k = 0; k < width; k++) {
        totals[k] = REAL_NAME(total_of)(problem, sums[k]);
    }
}

static void REAL_NAME(softmax_tile)(const softmax_vectors *vectors, int64_t first, int64_t width) {
    const softmax_problem *problem = vectors->problem;
    REAL block[TILE_LENGTH];
    REAL result_block[TILE_LENGTH];
    REAL peaks[TILE_LENGTH];
    REAL totals[TILE_LENGTH];
    REAL_NAME(peaks_of_tile)(vectors, first, width, peaks, totals);
    for (int64_t i = 0; i < problem->split.extent; i++) {
        const int64_t position = first + i * problem->split.inner;
        const REAL *x = REAL_NAME(read_block)(vectors->from, position, 1, width, block);
        REAL *y = REAL_NAME(target_block)(vectors->to, position, 1, result_block);
        REAL_NAME(results)(problem, x, peaks, totals, y, width);
        REAL_NAME(write_block)(vectors->to, position, 1, width, y);
    }
}

static void REAL_NAME(softmax_tiles)(void *context, int64_t begin, int64_t end) {
    const softmax_vectors *vectors = context;
    const axis_split *split = &vectors->problem->split;
    const int64_t tiles = divide_up(split->inner, TILE_LENGTH);
    for (int64_t i = begin; i < end; i++) {
        const int64_t column = i % tiles * TILE_LENGTH;
        const int64_t first = i / tiles * split->extent * split->inner + column;
        REAL_NAME(softmax_tile)(vectors, first, smaller(TILE_LENGTH, split->inner - column));
    }
}
