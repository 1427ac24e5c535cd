/* Template, see resize_kernel.c: one axis resampled in REAL. */

/* Some of the elements that one place of the output is made of. */
typedef struct REAL_NAME(tap_block) {
    int count;
    int64_t indices[TAP_BLOCK];
    REAL weights[TAP_BLOCK];
} REAL_NAME(tap_block);

static REAL_NAME(tap_block)
    REAL_NAME(find_block)(const resize_pass *pass, const resize_taps *taps, int64_t first) {
    REAL_NAME(tap_block) block = {0};
    for (int64_t tap = first; tap < taps->count && tap < first + TAP_BLOCK; tap++) {
        int64_t index;
        const double weight = tap_weight(pass->own, &pass->axis, taps, tap, &index) / taps->total;
        if (weight != 0) {
            block.indices[block.count] = index;
            block.weights[block.count++] = (REAL)weight;
        }
    }
    return block;
}

/* Adds a block to one place, whose elements lie side by side. */
static void REAL_NAME(add_block)(const resize_pass *pass, const REAL_NAME(tap_block) * block,
                                 int64_t outer, REAL *restrict target) {
    const int64_t inner = pass->inner;
    for (int tap = 0; tap < block->count; tap++) {
        const REAL weight = block->weights[tap];
        const REAL *restrict source =
            (const REAL *)pass->source + (outer * pass->axis.input + block->indices[tap]) * inner;
        for (int64_t i = 0; i < inner; i++) {
            target[i] += weight * source[i];
        }
    }
}

static void REAL_NAME(resample_place)(const resize_pass *pass, int64_t place,
                                      const resize_taps *taps) {
    const REAL start = taps->is_outside ? (REAL)pass->own->extrapolation_value : 0;
    const int64_t count = taps->is_outside ? 0 : taps->count;
    for (int64_t first = 0; first == 0 || first < count; first += TAP_BLOCK) {
        const REAL_NAME(tap_block) block = count > 0 ? REAL_NAME(find_block)(pass, taps, first)
                                                     : (REAL_NAME(tap_block)){.count = 0};
        for (int64_t outer = 0; outer < pass->outer; outer++) {
            REAL *target = (REAL *)pass->target + (outer * pass->axis.output + place) * pass->inner;
            for (int64_t i = 0; first == 0 && i < pass->inner; i++) {
                target[i] = start;
            }
            REAL_NAME(add_block)(pass, &block, outer, target);
        }
    }
}

/* The last axis: rows one after the other, as long as all places are made of a few elements. */
static void REAL_NAME(resample_row)(const resize_pass *pass, const REAL_NAME(tap_block) * blocks,
                                    int64_t outer, int64_t first, int64_t count) {
    const REAL *source = (const REAL *)pass->source + outer * pass->axis.input;
    REAL *target = (REAL *)pass->target + outer * pass->axis.output + first;
    for (int64_t i = 0; i < count; i++) {
        REAL sum = 0;
        for (int tap = 0; tap < blocks[i].count; tap++) {
            sum += blocks[i].weights[tap] * source[blocks[i].indices[tap]];
        }
        target[i] = sum;
    }
}

static void REAL_NAME(resample_rows)(const resize_pass *pass, int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += ROW_BLOCK) {
        const int64_t count = end - first < ROW_BLOCK ? end - first : ROW_BLOCK;
        REAL_NAME(tap_block) blocks[ROW_BLOCK];
        for (int64_t i = 0; i < count; i++) {
            const resize_taps taps = find_taps(pass->own, &pass->axis, first + i);
            blocks[i] = REAL_NAME(find_block)(pass, &taps, 0);
        }
        for (int64_t outer = 0; outer < pass->outer; outer++) {
            REAL_NAME(resample_row)(pass, blocks, outer, first, count);
        }
    }
}

static void REAL_NAME(resample_range)(void *context, int64_t begin, int64_t end) {
    const resize_pass *pass = context;
    const resize_taps any = find_taps(pass->own, &pass->axis, begin);
    if (pass->inner == 1 && any.count <= TAP_BLOCK &&
        pass->own->coordinate_transformation_mode != COORDINATE_TF_CROP_AND_RESIZE) {
        REAL_NAME(resample_rows)(pass, begin, end);
        return;
    }
    for (int64_t place = begin; place < end; place++) {
        const resize_taps taps = find_taps(pass->own, &pass->axis, place);
        REAL_NAME(resample_place)(pass, place, &taps);
    }
}

/* One axis after the other, each from where the last one left it. The first is read and the last
 * one written where the elements lie, if they are REALs. */
static void REAL_NAME(resample)(const tn_host *host, const resize_job *job) {
    const int64_t size = largest_size(job);
    const int64_t count = extent_product(job, 0, job->rank, 0);
    REAL *room[2] = {job->workspace, (REAL *)job->workspace + size};
    const int is_real = job->dtype == REAL_DTYPE;
    int64_t outer = 1;
    int32_t last = job->rank;
    resize_pass pass = {.own = job->own, .source = job->data};
    if (!is_real) {
        READ_REALS(job->dtype, job->data, 0, 1, count, room[0]);
        pass.source = room[0];
    }
    while (last > 0 && !resize_changes(job->own, &job->axes[last - 1])) {
        last--;
    }
    for (int32_t i = 0; i < last; i++) {
        if (resize_changes(job->own, &job->axes[i])) {
            pass.axis = job->axes[i];
            pass.outer = outer;
            pass.inner = extent_product(job, i + 1, job->rank, 0);
            pass.target = is_real && i == last - 1 ? job->output : room[pass.source == room[0]];
            tn_parallel_for(host, pass.axis.output, 8192 / (pass.outer * pass.inner + 1) + 1,
                            REAL_NAME(resample_range), &pass);
            pass.source = pass.target;
        }
        outer *= job->axes[i].output;
    }
    if (!is_real) {
        WRITE_REALS(job->dtype, job->output, 0, 1, extent_product(job, 0, job->rank, 1),
                    pass.source);
    } else if (pass.source == job->data) {
        memcpy(job->output, job->data, (size_t)count * sizeof(REAL));
    }
}
