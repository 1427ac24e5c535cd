/* Template, see convolution_columns.c. */

static void REAL_NAME(pack_columns)(const convolution_plan *plan, const REAL *image,
                                    const place_run *run, REAL *columns) {
    enum { WIDTH = TILE_BYTES / sizeof(REAL) };
    if (run->is_contiguous) {
        for (int64_t k = 0; k < plan->depth; k++) {
            memcpy(columns + k * WIDTH, image + run->offsets[0] + plan->offsets[k], TILE_BYTES);
        }
        return;
    }
    for (int64_t k = 0; k < plan->depth; k++) {
        const REAL *elements = image + plan->offsets[k];
        for (int64_t i = 0; i < WIDTH; i++) {
            columns[k * WIDTH + i] = elements[run->offsets[i]];
        }
    }
}
