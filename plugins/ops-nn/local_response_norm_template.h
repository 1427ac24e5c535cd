/* Template, see local_response_norm.c. */

/* Adds the squares of a block of one channel. */
static void REAL_NAME(add_squares)(const lrn_run *work, int64_t first, int64_t count, REAL *sums) {
    REAL buffer[BLOCK_LENGTH];
    const REAL *values = REAL_NAME(read_block)(work->data, first, 1, count, buffer);
    for (int64_t i = 0; i < count; i++) {
        sums[i] += values[i] * values[i];
    }
}

/* One channel of one sample, number `plane` counting through the samples. */
static void REAL_NAME(normalize_plane)(const lrn_run *work, int64_t plane) {
    const lrn_attributes *attributes = work->attributes;
    const int64_t reach = attributes->nsize / 2;
    const int64_t channel = plane % work->channel_count;
    const int64_t lowest = larger(0, channel - reach);
    const int64_t highest = smaller(work->channel_count - 1, channel + reach);
    const REAL weight = (REAL)(attributes->alpha / (double)attributes->nsize);
    REAL sums[BLOCK_LENGTH], buffer[BLOCK_LENGTH], results[BLOCK_LENGTH];
    for (int64_t i = 0; i < work->plane_size; i += BLOCK_LENGTH) {
        const int64_t count = block_length(i, work->plane_size);
        const int64_t first = plane * work->plane_size + i;
        memset(sums, 0, sizeof sums);
        for (int64_t other = lowest; other <= highest; other++) {
            REAL_NAME(add_squares)(work, first + (other - channel) * work->plane_size, count, sums);
        }
        const REAL *values = REAL_NAME(read_block)(work->data, first, 1, count, buffer);
        REAL *target = REAL_NAME(target_block)(work->output, first, 1, results);
        for (int64_t j = 0; j < count; j++) {
            const REAL divisor = (REAL)attributes->knorm + weight * sums[j];
            target[j] = values[j] * REAL_MATH(pow)(divisor, (REAL)-attributes->beta);
        }
        REAL_NAME(write_block)(work->output, first, 1, count, target);
    }
}
