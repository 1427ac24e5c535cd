/* Template, see convolution_kernel.c. */

/* One row of output, number `row` counting through all channels of all samples. */
static void REAL_NAME(convolve_row)(const convolution_run *work, REAL_NAME(weigh_run) weigh,
                                    int64_t row) {
    const convolution_plan *plan = work->plan;
    const int64_t width = TILE_COLUMNS(sizeof(REAL));
    const int64_t y = row % plan->places[1];
    const int64_t z = row / plan->places[1] % plan->places[0];
    const int64_t channel = row / plan->places[1] / plan->places[0];
    const int64_t first_channel = channel / plan->group_filters * plan->group_channels;
    const int64_t filter = channel % convolution_filters(plan);
    const REAL *source = (const REAL *)work->image + first_channel * plan->image.plane_size +
                         image_offset(&plan->image, z * plan->strides[0], y * plan->strides[1], 0);
    const REAL *weights = (const REAL *)(const void *)work->weights + filter * plan->depth;
    REAL sums[TILE_BYTES / sizeof(REAL)];
    REAL bias = 0;
    if (work->bias != NULL) {
        element_loader_of(plan->dtype)(element_at(plan->dtype, work->bias, filter), 1, 1, &bias);
    }
    for (int64_t x = 0; x < plan->places[2]; x += width) {
        weigh(plan->depth, weights, plan->offsets, source + x, sums);
        for (int64_t i = 0; i < width; i++) {
            sums[i] += bias;
        }
        store_sums(sums, smaller(width, plan->places[2] - x), plan->dtype,
                   element_at_mutable(plan->dtype, work->output, row * plan->places[2] + x));
    }
}
