/* Template, see convolution_kernel.c. */

/* One channel of one sample's output, number `channel` counting through the samples. */
static void REAL_NAME(convolve_channel)(const convolution_run *work, REAL_NAME(weigh_run) weigh,
                                        int64_t channel) {
    enum { WIDTH = TILE_BYTES / sizeof(REAL) };
    const convolution_plan *plan = work->plan;
    const int64_t filter = channel % convolution_filters(plan);
    const int64_t sample_group = channel / plan->group_filters;
    const REAL *weights = (const REAL *)work->weights + filter * plan->depth;
    const REAL *image =
        (const REAL *)work->image + sample_group * plan->group_channels * plan->image.plane_size;
    const int64_t columns = plan->places[2];
    REAL bias = 0;
    if (work->bias != NULL) {
        element_loader_of(plan->dtype)(element_at(plan->dtype, work->bias, filter), 1, 1, &bias);
    }
    for (int64_t row = 0; row < plan->places[0] * plan->places[1]; row++) {
        const REAL *source =
            image + image_offset(&plan->image, row / plan->places[1] * plan->strides[0],
                                 row % plan->places[1] * plan->strides[1], 0);
        const int64_t first = (channel * plan->places[0] * plan->places[1] + row) * columns;
        for (int64_t x = 0; x < columns; x += WIDTH) {
            REAL sums[WIDTH];
            weigh(plan->depth, weights, plan->offsets, source + x, sums);
            for (int64_t i = 0; i < WIDTH; i++) {
                sums[i] += bias;
            }
            store_sums(sums, smaller(WIDTH, columns - x), plan->dtype,
                       element_at_mutable(plan->dtype, work->output, first + x));
        }
    }
}
