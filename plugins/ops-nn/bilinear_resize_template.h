/* Template, see bilinear_resize_kernel.c. */

/* The element between two of a row, which begins with element number `row`. */
static inline REAL REAL_NAME(interpolate)(element_array data, int64_t row, resize_sample column) {
    REAL low, high;
    const REAL weight = (REAL)column.weight;
    low = *REAL_NAME(read_block)(data, row + column.low, 1, 1, &low);
    high = *REAL_NAME(read_block)(data, row + column.high, 1, 1, &high);
    return (1 - weight) * low + weight * high;
}

/* One row of output, number `row` counting through all planes. */
static void REAL_NAME(resize_row)(const resize_run *work, int64_t row) {
    const resize_plan *plan = work->plan;
    const int64_t width = plan->source[1];
    const int64_t plane = row / plan->target[0] * plan->source[0] * width;
    const resize_sample place =
        sample_at(row % plan->target[0], plan->source[0], plan->target[0], plan->align_corners);
    const REAL weight = (REAL)place.weight;
    REAL buffer[BLOCK_LENGTH];
    for (int64_t x = 0; x < plan->target[1]; x += BLOCK_LENGTH) {
        const int64_t count = block_length(x, plan->target[1]);
        const int64_t first = row * plan->target[1] + x;
        REAL *target = REAL_NAME(target_block)(work->output, first, 1, buffer);
        for (int64_t i = 0; i < count; i++) {
            const resize_sample column = plan->columns[x + i];
            const REAL upper =
                REAL_NAME(interpolate)(work->data, plane + place.low * width, column);
            const REAL lower =
                REAL_NAME(interpolate)(work->data, plane + place.high * width, column);
            target[i] = (1 - weight) * upper + weight * lower;
        }
        REAL_NAME(write_block)(work->output, first, 1, count, target);
    }
}
