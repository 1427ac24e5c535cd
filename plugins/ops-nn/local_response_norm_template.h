/* Template, see local_response_norm.c. */

/* Adds the squares of a block of one channel. */
static void REAL_NAME(add_squares)(const lrn_run *work, int64_t first, int64_t count, REAL *sums) {
    REAL buffer[BLOCK_LENGTH];
    const REAL *values = REAL_NAME(read_block)(work->data, first, 1, count, buffer);
    for (int64_t i = 0; i < count; i++) {
        sums[i] += values[i] * values[i];
    }
}

/* power[i] = 1 / divisor[i]^beta, in place. */
static void REAL_NAME(raise_divisors)(double beta, int64_t count, REAL *divisors) {
    if (beta == 0.75) {
        for (int64_t i = 0; i < count; i++) {
            const REAL root = REAL_MATH(sqrt)(divisors[i]);
            divisors[i] = 1 / (root * REAL_MATH(sqrt)(root));
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            divisors[i] = REAL_MATH(pow)(divisors[i], (REAL)-beta);
        }
    }
}

/* A block of the output from its sums of squares, which are overwritten. */
static void REAL_NAME(divide_block)(const lrn_run *work, int64_t first, int64_t count, REAL *sums) {
    const lrn_attributes *attributes = work->attributes;
    const REAL weight = (REAL)(attributes->alpha / (double)attributes->nsize);
    REAL buffer[BLOCK_LENGTH], results[BLOCK_LENGTH];
    for (int64_t i = 0; i < count; i++) {
        sums[i] = (REAL)attributes->knorm + weight * sums[i];
    }
    REAL_NAME(raise_divisors)(attributes->beta, count, sums);
    const REAL *values = REAL_NAME(read_block)(work->data, first, 1, count, buffer);
    REAL *target = REAL_NAME(target_block)(work->output, first, 1, results);
    for (int64_t i = 0; i < count; i++) {
        target[i] = values[i] * sums[i];
    }
    REAL_NAME(write_block)(work->output, first, 1, count, target);
}

/* One channel of one sample, number `plane` counting through the samples. */
static void REAL_NAME(normalize_plane)(const lrn_run *work, int64_t plane) {
    const int64_t reach = work->attributes->nsize / 2;
    const int64_t channel = plane % work->channel_count;
    const int64_t lowest = larger(0, channel - reach);
    const int64_t highest = smaller(work->channel_count - 1, channel + reach);
    for (int64_t i = 0; i < work->plane_size; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, work->plane_size);
        const int64_t first = plane * work->plane_size + i;
        REAL sums[BLOCK_LENGTH] = {0};
        for (int64_t other = lowest; other <= highest; other++) {
            REAL_NAME(add_squares)(work, first + (other - channel) * work->plane_size, count, sums);
        }
        REAL_NAME(divide_block)(work, first, count, sums);
    }
}

/* All channels of one place of one sample, which lie side by side. */
static void REAL_NAME(normalize_place)(const lrn_run *work, int64_t place) {
    const int64_t reach = work->attributes->nsize / 2, channels = work->channel_count;
    for (int64_t channel = 0; channel < channels; channel += BLOCK_LENGTH) {
        const int64_t count = block_length(channel, channels);
        const int64_t first = place * channels + channel;
        const int64_t lowest = larger(-reach, 1 - channel - count);
        const int64_t highest = smaller(reach, channels - 1 - channel);
        REAL sums[BLOCK_LENGTH] = {0};
        for (int64_t away = lowest; away <= highest; away++) {
            const int64_t begin = larger(0, -(channel + away));
            const int64_t end = smaller(count, channels - channel - away);
            REAL_NAME(add_squares)(work, first + away + begin, end - begin, sums + begin);
        }
        REAL_NAME(divide_block)(work, first, count, sums);
    }
}
