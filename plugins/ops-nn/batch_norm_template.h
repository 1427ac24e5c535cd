/* Template, see batch_norm.c. */

/* Fills the workspace with gamma / sqrt(variance + eps) and writes the outputs mean and var. */
static const void *REAL_NAME(channel_scales)(const tn_run_call *call) {
    const batch_norm_attributes *given = call->attributes;
    const REAL *gamma = tn_data(call->inputs[GAMMA]);
    const REAL *variance = tn_data(call->inputs[MOVING_VAR]);
    const int64_t channels = tn_element_count(call->inputs[GAMMA]);
    REAL *scale = call->workspace;
    REAL *reciprocal = tn_data(call->outputs[2]);
    for (int64_t c = 0; c < channels; c++) {
        reciprocal[c] = 1 / REAL_MATH(sqrt)(variance[c] + (REAL)given->eps);
        scale[c] = given->fix_gamma ? reciprocal[c] : gamma[c] * reciprocal[c];
    }
    if (channels > 0) {
        memcpy(tn_data(call->outputs[1]), tn_data(call->inputs[MOVING_MEAN]),
               (size_t)channels * sizeof(REAL));
    }
    return scale;
}

/* Rows of one channel each. */
static void REAL_NAME(normalize_planes)(void *context, int64_t begin, int64_t end) {
    const batch_norm_rows *rows = context;
    const REAL *mean = rows->mean;
    const REAL *scale = rows->scale;
    const REAL *shift = rows->shift;
    for (int64_t i = begin; i < end; i++) {
        const int64_t c = i % rows->split.extent;
        const element_row row = {i * rows->split.inner, 1, rows->split.inner};
        REAL_NAME(scale_row)(rows->from, rows->to, row, mean[c], scale[c], shift[c]);
    }
}

/* Rows of all channels. */
static void REAL_NAME(normalize_positions)(void *context, int64_t begin, int64_t end) {
    const batch_norm_rows *rows = context;
    const int64_t channels = rows->split.extent;
    REAL from_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    for (int64_t row = begin; row < end; row++) {
        for (int64_t channel = 0; channel < channels; channel += BLOCK_LENGTH) {
            const int64_t count = block_length(channel, channels);
            const int64_t first = row * channels + channel;
            const REAL *mean = (const REAL *)rows->mean + channel;
            const REAL *scale = (const REAL *)rows->scale + channel;
            const REAL *shift = (const REAL *)rows->shift + channel;
            const REAL *x = REAL_NAME(read_block)(rows->from, first, 1, count, from_block);
            REAL *y = REAL_NAME(target_block)(rows->to, first, 1, to_block);
            for (int64_t i = 0; i < count; i++) {
                y[i] = (x[i] - mean[i]) * scale[i] + shift[i];
            }
            REAL_NAME(write_block)(rows->to, first, 1, count, y);
        }
    }
}
