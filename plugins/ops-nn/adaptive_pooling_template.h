/* Template, see adaptive_pooling.c. */

static REAL REAL_NAME(sum_run)(element_array data, int64_t first, int64_t count) {
    REAL buffer[BLOCK_LENGTH];
    REAL sum = 0;
    for (int64_t i = 0; i < count; i += BLOCK_LENGTH) {
        const int64_t length = block_length(i, count);
        const REAL *values = REAL_NAME(read_block)(data, first + i, 1, length, buffer);
        for (int64_t j = 0; j < length; j++) {
            sum += values[j];
        }
    }
    return sum;
}

/* One row of output, number `row` counting through all planes. */
static void REAL_NAME(pool_row)(const adaptive_run *work, int64_t row) {
    const int64_t height = work->source[0];
    const int64_t width = work->source[1];
    const int64_t plane = row / work->target[0] * height * width;
    const int64_t top = part_begin(height, row % work->target[0], work->target[0]);
    const int64_t bottom = part_end(height, row % work->target[0], work->target[0]);
    for (int64_t column = 0; column < work->target[1]; column++) {
        const int64_t left = part_begin(width, column, work->target[1]);
        const int64_t right = part_end(width, column, work->target[1]);
        REAL sum = 0;
        for (int64_t y = top; y < bottom; y++) {
            sum += REAL_NAME(sum_run)(work->data, plane + y * width + left, right - left);
        }
        const int64_t count = (bottom - top) * (right - left);
        const int64_t index = row * work->target[1] + column;
        REAL average = sum / (REAL)larger(1, count);
        *REAL_NAME(target_block)(work->output, index, 1, &average) = average;
        REAL_NAME(write_block)(work->output, index, 1, 1, &average);
    }
}
