/* Template, see fused_convolution.c. */

static void REAL_NAME(add_block)(const REAL *x, REAL *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] += x[i];
    }
}

/* NaN stays NaN in all of them. */
static void REAL_NAME(activate_block)(const fused_convolution_attributes *given, REAL *y,
                                      int64_t count) {
    const REAL alpha = (REAL)given->alpha, beta = (REAL)given->beta;
    switch (given->activation) {
    case FUSED_RELU:
        for (int64_t i = 0; i < count; i++) {
            y[i] = y[i] < 0 ? 0 : y[i];
        }
        break;
    case FUSED_LEAKY:
        for (int64_t i = 0; i < count; i++) {
            y[i] = y[i] < 0 ? alpha * y[i] : y[i];
        }
        break;
    case FUSED_SIGMOID:
        for (int64_t i = 0; i < count; i++) {
            y[i] = REAL_NAME(sigmoid)(y[i]);
        }
        break;
    case FUSED_SOFTRELU:
        for (int64_t i = 0; i < count; i++) {
            const REAL positive = y[i] < 0 ? 0 : y[i];
            y[i] = positive + REAL_MATH(log1p)(REAL_NAME(exponential)(-REAL_MATH(fabs)(y[i])));
        }
        break;
    case FUSED_TANH:
        for (int64_t i = 0; i < count; i++) {
            y[i] = REAL_NAME(hyperbolic_tangent)(y[i]);
        }
        break;
    case FUSED_ELU:
        for (int64_t i = 0; i < count; i++) {
            y[i] = y[i] < 0 ? alpha * REAL_MATH(expm1)(y[i]) : y[i];
        }
        break;
    case FUSED_CLIP:
        for (int64_t i = 0; i < count; i++) {
            const REAL raised = y[i] < alpha ? alpha : y[i];
            y[i] = raised > beta ? beta : raised;
        }
        break;
    case FUSED_SWISH:
        for (int64_t i = 0; i < count; i++) {
            y[i] *= REAL_NAME(sigmoid)(y[i]);
        }
        break;
    default: break;
    }
}

static void REAL_NAME(finish)(const finish_work *work, int64_t begin, int64_t end) {
    REAL addend_block[BLOCK_LENGTH];
    REAL block[BLOCK_LENGTH];
    for (int64_t first = begin; first < end; first += BLOCK_LENGTH) {
        const int64_t count = block_length(first, end);
        REAL *y = REAL_NAME(target_block)(work->output, first, 1, block);
        REAL_NAME(read_block)(work->output, first, 1, count, y); /* there already, or converted */
        if (work->addend.elements != NULL) {
            REAL_NAME(add_block)
            (REAL_NAME(read_block)(work->addend, first, 1, count, addend_block), y, count);
        }
        REAL_NAME(activate_block)(work->given, y, count);
        REAL_NAME(write_block)(work->output, first, 1, count, y);
    }
}
