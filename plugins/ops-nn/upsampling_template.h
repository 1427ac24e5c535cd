/* Template, see upsampling_kernel.c. */

/* Repeats a row's elements `factor` times each, from number `first` of the result on. */
static void REAL_NAME(repeat_elements)(element_array data, int64_t row, int64_t factor,
                                       int64_t first, int64_t count, REAL *target) {
    int64_t source = row + first / factor;
    int64_t run = factor - first % factor;
    for (int64_t i = 0; i < count; i += run, run = factor) {
        REAL value;
        value = *REAL_NAME(read_block)(data, source++, 1, 1, &value);
        const int64_t end = smaller(count, i + run);
        for (int64_t j = i; j < end; j++) {
            target[j] = value;
        }
    }
}

/* One row of what an input becomes, number `row` counting through the input's channels. */
static void REAL_NAME(repeat_row)(const upsampling_run *work, int64_t row) {
    const int64_t *source = work->source;
    const int64_t *target = work->target;
    const int64_t y = row % target[2];
    const int64_t channel = row / target[2] % source[1];
    const int64_t sample = row / target[2] / source[1];
    const int64_t source_row =
        ((sample * source[1] + channel) * source[2] + y / (target[2] / source[2])) * source[3];
    const int64_t target_row =
        ((sample * target[1] + work->first_channel + channel) * target[2] + y) * target[3];
    REAL sums[BLOCK_LENGTH], before[BLOCK_LENGTH];
    for (int64_t x = 0; x < target[3]; x += BLOCK_LENGTH) {
        const int64_t count = block_length(x, target[3]);
        REAL_NAME(repeat_elements)(work->data, source_row, target[3] / source[3], x, count, sums);
        if (work->adds) {
            const REAL *other =
                REAL_NAME(read_block)(work->output, target_row + x, 1, count, before);
            for (int64_t i = 0; i < count; i++) {
                sums[i] += other[i];
            }
        }
        element_storer_of(work->output.dtype)(
            sums, count,
            element_at_mutable(work->output.dtype, work->output.elements, target_row + x));
    }
}
