/* Template, see deconvolution_plan.c. */

/* Adds one row of products, a stride apart, to the row of sums that it belongs to; `shift` is where
 * the first product goes, which may be outside. */
static void REAL_NAME(add_row)(const deconvolution_plan *plan, const REAL *products, int64_t shift,
                               REAL *sums) {
    const int64_t stride = plan->axes[2].stride;
    const int64_t first = shift < 0 ? divide_up(-shift, stride) : 0;
    const int64_t end =
        smaller(plan->source[2], divide_up(larger(0, plan->target[2] - shift), stride));
    for (int64_t x = first; x < end; x++) {
        sums[x * stride + shift] += products[x];
    }
}

/* Adds the products of one element of the kernel, whose coordinates are `at`. */
static void REAL_NAME(add_plane)(const deconvolution_plan *plan, const REAL *products,
                                 const int64_t at[WINDOW_MAX_RANK], REAL *sums) {
    int64_t shift[WINDOW_MAX_RANK];
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        shift[i] = at[i] * plan->axes[i].dilate - plan->axes[i].pad;
    }
    for (int64_t row = 0; row < plan->source[0] * plan->source[1]; row++) {
        const int64_t z = row / plan->source[1] * plan->axes[0].stride + shift[0];
        const int64_t y = row % plan->source[1] * plan->axes[1].stride + shift[1];
        if (z >= 0 && z < plan->target[0] && y >= 0 && y < plan->target[1]) {
            REAL_NAME(add_row)
            (plan, products + row * plan->source[2], shift[2],
             sums + (z * plan->target[1] + y) * plan->target[2]);
        }
    }
}

/* All products that belong to one channel of output. */
static void REAL_NAME(scatter_channel)(const scattering *work, int64_t channel) {
    const deconvolution_plan *plan = work->plan;
    const window_axis *axes = plan->axes;
    const REAL *products =
        (const REAL *)work->columns + channel * plan->kernel_count * plan->source_count;
    REAL *sums = (REAL *)work->sums + channel * plan->target_count;
    REAL bias = 0;
    if (work->bias != NULL) {
        element_loader_of(work->dtype)(element_at(work->dtype, work->bias, channel), 1, 1, &bias);
    }
    for (int64_t i = 0; i < plan->target_count; i++) {
        sums[i] = bias;
    }
    for (int64_t k = 0; k < plan->kernel_count; k++) {
        const int64_t at[] = {k / axes[2].kernel / axes[1].kernel,
                              k / axes[2].kernel % axes[1].kernel, k % axes[2].kernel};
        REAL_NAME(add_plane)(plan, products + k * plan->source_count, at, sums);
    }
    if (work->sums != work->output) {
        element_storer_of(work->dtype)(
            sums, plan->target_count,
            element_at_mutable(work->dtype, work->output, channel * plan->target_count));
    }
}
