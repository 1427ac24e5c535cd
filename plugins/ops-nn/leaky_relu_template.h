/* Template, see leaky_relu.c. */

/* One of the products is zero, and no branch stands in the way of vector units. */
static void REAL_NAME(leak_plain)(REAL slope, const REAL *x, REAL *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL positive = x[i] < 0 ? 0 : x[i];
        const REAL negative = x[i] < 0 ? x[i] : 0;
        y[i] = positive + slope * negative;
    }
}

static void REAL_NAME(leak_exponential)(REAL scale, REAL slope, const REAL *x, REAL *y,
                                        int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = scale * (x[i] > 0 ? x[i] : slope * REAL_MATH(expm1)(x[i]));
    }
}

static void REAL_NAME(leak_normal)(const REAL *x, REAL *y, int64_t count) {
    const REAL root_half = (REAL)0.70710678118654752440;
    for (int64_t i = 0; i < count; i++) {
        y[i] = (REAL)0.5 * x[i] * (1 + REAL_MATH(erf)(x[i] * root_half));
    }
}

static void REAL_NAME(leak)(const void *parameters, const REAL *x, REAL *y, int64_t count) {
    const leaky_curve *curve = parameters;
    const REAL slope = (REAL)curve->slope;
    switch (curve->act_type) {
    case LEAKY_ELU: REAL_NAME(leak_exponential)(1, slope, x, y, count); break;
    case LEAKY_SELU: /* the constants that keep mean 0 and variance 1 from layer to layer */
        REAL_NAME(leak_exponential)
        ((REAL)1.0507009873554805, (REAL)1.6732632423543772, x, y, count);
        break;
    case LEAKY_GELU: REAL_NAME(leak_normal)(x, y, count); break;
    default: REAL_NAME(leak_plain)(slope, x, y, count); break;
    }
}

/* Rows of one channel each. */
static void REAL_NAME(prelu_planes)(void *context, int64_t begin, int64_t end) {
    const prelu_rows *rows = context;
    REAL from_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    for (int64_t row = begin; row < end; row++) {
        const REAL slope = REAL_NAME(read_one)(rows->slopes, row % rows->slope_count);
        const int64_t row_end = (row + 1) * rows->row_length;
        for (int64_t first = row_end - rows->row_length; first < row_end; first += BLOCK_LENGTH) {
            const int64_t count = block_length(first, row_end);
            const REAL *x = REAL_NAME(read_block)(rows->from, first, 1, count, from_block);
            REAL *y = REAL_NAME(target_block)(rows->to, first, 1, to_block);
            REAL_NAME(leak_plain)(slope, x, y, count);
            REAL_NAME(write_block)(rows->to, first, 1, count, y);
        }
    }
}

/* Rows of all channels. */
static void REAL_NAME(prelu_positions)(void *context, int64_t begin, int64_t end) {
    const prelu_rows *rows = context;
    const int64_t channels = rows->slope_count;
    REAL from_block[BLOCK_LENGTH];
    REAL slope_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    for (int64_t row = begin; row < end; row++) {
        for (int64_t channel = 0; channel < channels; channel += BLOCK_LENGTH) {
            const int64_t count = block_length(channel, channels);
            const int64_t first = row * channels + channel;
            const REAL *slope = REAL_NAME(read_block)(rows->slopes, channel, 1, count, slope_block);
            const REAL *x = REAL_NAME(read_block)(rows->from, first, 1, count, from_block);
            REAL *y = REAL_NAME(target_block)(rows->to, first, 1, to_block);
            for (int64_t i = 0; i < count; i++) {
                const REAL positive = x[i] < 0 ? 0 : x[i];
                const REAL negative = x[i] < 0 ? x[i] : 0;
                y[i] = positive + slope[i] * negative;
            }
            REAL_NAME(write_block)(rows->to, first, 1, count, y);
        }
    }
}
