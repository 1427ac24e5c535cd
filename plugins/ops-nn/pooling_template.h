/* Template, see pooling_kernel.c. */

static inline REAL REAL_NAME(reduce_one)(int32_t reduction, REAL sum, REAL value) {
    switch (reduction) {
    case REDUCE_MAX: return value > sum ? value : sum;
    case REDUCE_SUM: return sum + value;
    case REDUCE_SQUARES: return sum + value * value;
    default: return sum + value * value * value;
    }
}

/* Puts elements together with what came before, each with its own. */
static void REAL_NAME(reduce_each)(int32_t reduction, const REAL *restrict values, int64_t count,
                                   REAL *restrict sums) {
    switch (reduction) {
    case REDUCE_MAX:
        for (int64_t i = 0; i < count; i++) {
            sums[i] = REAL_NAME(reduce_one)(REDUCE_MAX, sums[i], values[i]);
        }
        break;
    case REDUCE_SUM:
        for (int64_t i = 0; i < count; i++) {
            sums[i] = REAL_NAME(reduce_one)(REDUCE_SUM, sums[i], values[i]);
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            sums[i] = REAL_NAME(reduce_one)(reduction, sums[i], values[i]);
        }
        break;
    }
}

/* The elements of one row of data that are under the window of one place. */
static void REAL_NAME(reduce_window)(const pooling_run *work, const pooling_block *block,
                                     int64_t row, REAL *sum) {
    REAL buffer[BLOCK_LENGTH];
    const span inside = covered(work, 2, block->x);
    for (int64_t x = inside.begin; x < inside.end; x += BLOCK_LENGTH) {
        const int64_t count = block_length(x, inside.end);
        const REAL *values = REAL_NAME(read_block)(work->data, row + x, 1, count, buffer);
        for (int64_t i = 0; i < count; i++) {
            *sum = REAL_NAME(reduce_one)(work->reduction, *sum, values[i]);
        }
    }
}

/* The same for several places: those under each place's element number `at` of the kernel. */
static void REAL_NAME(reduce_places)(const pooling_run *work, const pooling_block *block,
                                     int64_t row, int64_t at, REAL *sums) {
    REAL buffer[BLOCK_LENGTH];
    const int64_t stride = work->axes[2].stride;
    const int64_t shift = block->x * stride - work->axes[2].pad + at;
    const int64_t first = shift < 0 ? divide_up(-shift, stride) : 0;
    const int64_t end =
        smaller(block->columns, divide_up(larger(0, work->source[2] - shift), stride));
    if (first < end) {
        const REAL *values = REAL_NAME(read_block)(work->data, row + first * stride + shift, stride,
                                                   end - first, buffer);
        REAL_NAME(reduce_each)(work->reduction, values, end - first, sums + first);
    }
}

/* The same for several channels of one place. */
static void REAL_NAME(reduce_channels)(const pooling_run *work, const pooling_block *block,
                                       int64_t row, REAL *sums) {
    REAL buffer[BLOCK_LENGTH];
    const span inside = covered(work, 2, block->x);
    for (int64_t x = inside.begin; x < inside.end; x++) {
        const int64_t first = row + x * work->inner + block->channel;
        const REAL *values = REAL_NAME(read_block)(work->data, first, 1, block->channels, buffer);
        REAL_NAME(reduce_each)(work->reduction, values, block->channels, sums);
    }
}

/* All rows of data under the window. */
static void REAL_NAME(reduce_block)(const pooling_run *work, const pooling_block *block,
                                    REAL *sums) {
    const span depth = covered(work, 0, block->z);
    const span height = covered(work, 1, block->y);
    const span kernel = kernel_columns(work, block);
    for (int64_t z = depth.begin; z < depth.end; z++) {
        for (int64_t y = height.begin; y < height.end; y++) {
            const int64_t row =
                block->plane + (z * work->source[1] + y) * work->source[2] * work->inner;
            if (work->inner > 1) {
                REAL_NAME(reduce_channels)(work, block, row, sums);
            } else if (block->columns == 1) {
                REAL_NAME(reduce_window)(work, block, row, sums);
            } else {
                for (int64_t at = kernel.begin; at < kernel.end; at++) {
                    REAL_NAME(reduce_places)(work, block, row, at, sums);
                }
            }
        }
    }
}

static void REAL_NAME(average_block)(const pooling_run *work, const pooling_block *block,
                                     REAL *sums) {
    const double rows = count_rows(work, block, work->counts_padding);
    const span inner = inner_columns(work, block);
    int64_t run = 1;
    for (int64_t column = 0; column < block->columns; column += run) {
        const int64_t along = count_along(work, 2, block->x + column, work->counts_padding);
        const double count = work->is_v1 ? kernel_count(work) : rows * (double)along;
        const REAL divisor = count < 1 ? 1 : (REAL)count;
        run = column == inner.begin ? larger(1, inner.end - inner.begin) : 1;
        for (int64_t i = column * block->channels; i < (column + run) * block->channels; i++) {
            sums[i] /= divisor;
        }
    }
}

/* Where the window covers padding, a maximum is that with zero. */
static void REAL_NAME(pad_maxima)(const pooling_run *work, const pooling_block *block,
                                  REAL *maxima) {
    for (int64_t column = 0; column < block->columns; column++) {
        const int64_t x = block->x + column;
        const double all = count_rows(work, block, 1) * (double)count_along(work, 2, x, 1);
        const double inside = count_rows(work, block, 0) * (double)count_along(work, 2, x, 0);
        for (int64_t i = 0; i < block->channels && all > inside; i++) {
            REAL *maximum = &maxima[column * block->channels + i];
            *maximum = *maximum < 0 ? 0 : *maximum;
        }
    }
}

/* Makes of sums what the operator says. */
static void REAL_NAME(finish_block)(const pooling_run *work, const pooling_block *block,
                                    REAL *sums) {
    const int64_t count = block->columns * block->channels;
    if (work->is_average) {
        REAL_NAME(average_block)(work, block, sums);
    } else if (work->is_v1 && work->reduction == REDUCE_MAX) {
        REAL_NAME(pad_maxima)(work, block, sums);
    } else if (work->reduction == REDUCE_SQUARES) {
        for (int64_t i = 0; i < count; i++) {
            sums[i] = REAL_MATH(sqrt)(sums[i]);
        }
    } else if (work->reduction == REDUCE_CUBES) {
        for (int64_t i = 0; i < count; i++) {
            sums[i] = REAL_MATH(cbrt)(sums[i]);
        }
    }
}

/* One row of output, whose first element is number `first`. */
static void REAL_NAME(pool_row)(const pooling_run *work, pooling_block *block, int64_t first) {
    REAL buffer[BLOCK_LENGTH];
    const int64_t places = work->axes[2].places;
    for (int64_t i = 0; i < places * work->inner; i += block->columns * block->channels) {
        block->x = i / work->inner;
        block->channel = i % work->inner;
        block->channels = block_length(block->channel, work->inner);
        block->columns = work->inner > 1 ? 1 : block_length(block->x, places);
        REAL *sums = REAL_NAME(target_block)(work->output, first + i, 1, buffer);
        const int64_t count = block->columns * block->channels;
        for (int64_t s = 0; s < count; s++) {
            sums[s] = work->reduction == REDUCE_MAX ? (REAL)work->lowest : 0;
        }
        REAL_NAME(reduce_block)(work, block, sums);
        REAL_NAME(finish_block)(work, block, sums);
        REAL_NAME(write_block)(work->output, first + i, 1, count, sums);
    }
}
