/* Template, see panels.c. */

/* Neighbours in memory are neighbours in the panel: goes term by term. */
static void REAL_NAME(pack_terms)(const matrix_operand *operand, int64_t depth, int64_t width,
                                  int64_t first, int64_t present, REAL *panel) {
    const element_array from = {(void *)operand->data, operand->dtype};
    for (int64_t k = 0; k < depth; k++) {
        const int64_t position = first * operand->stride + k * operand->depth_stride;
        const REAL *values = REAL_NAME(read_block)(from, position, operand->stride, present, panel);
        if (values != panel && present == TILE_COLUMNS(sizeof(REAL))) {
            memcpy(panel, values, TILE_BYTES);
        } else if (values != panel) {
            memcpy(panel, values, (size_t)present * sizeof(REAL));
        }
        panel += width;
    }
}

/* Neighbours in memory are successive terms: goes row by row, a few terms at a time, so that the
 * part of the panel that is written to stays in the cache. */
static void REAL_NAME(pack_rows)(const matrix_operand *operand, int64_t depth, int64_t width,
                                 int64_t first, int64_t present, REAL *panel) {
    const element_array from = {(void *)operand->data, operand->dtype};
    REAL block[TERMS_AT_ONCE];
    for (int64_t k = 0; k < depth; k += TERMS_AT_ONCE) {
        const int64_t terms = smaller(TERMS_AT_ONCE, depth - k);
        for (int64_t i = 0; i < present; i++) {
            const int64_t position = (first + i) * operand->stride + k;
            const REAL *values = REAL_NAME(read_block)(from, position, 1, terms, block);
            for (int64_t t = 0; t < terms; t++) {
                panel[(k + t) * width + i] = values[t];
            }
        }
    }
}

static void REAL_NAME(pack_panel)(const matrix_operand *operand, int64_t depth, int64_t width,
                                  int64_t first, REAL *panel) {
    const int64_t present = smaller(width, operand->count - first);
    if (operand->depth_stride == 1) {
        REAL_NAME(pack_rows)(operand, depth, width, first, present, panel);
    } else {
        REAL_NAME(pack_terms)(operand, depth, width, first, present, panel);
    }
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t i = present; i < width; i++) {
            panel[k * width + i] = 0;
        }
    }
}
