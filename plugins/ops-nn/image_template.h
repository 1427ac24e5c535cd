/* Template, see image.c. */

/* One phase of a row: every `phases`-th element from position `phase` on, zeros in front and
 * behind. `row` is the number of the data's first element in the row. */
static void REAL_NAME(fill_phase)(const image_layout *layout, element_array data, int64_t row,
                                  int64_t phase, REAL *target) {
    const int64_t pad = layout->pad[2];
    const int64_t end = smaller(layout->extents[2], pad + layout->source[2]);
    const int64_t front =
        smaller(layout->phase_extent, divide_up(larger(0, pad - phase), layout->phases));
    const int64_t behind = larger(front, divide_up(larger(0, end - phase), layout->phases));
    if (behind > front) {
        REAL *inner = target + front;
        const int64_t first = row + front * layout->phases + phase - pad;
        const REAL *values =
            REAL_NAME(read_block)(data, first, layout->phases, behind - front, inner);
        if (values != inner) {
            memcpy(inner, values, (size_t)(behind - front) * sizeof(REAL));
        }
    }
    memset(target, 0, (size_t)front * sizeof(REAL));
    memset(target + behind, 0, (size_t)(layout->phase_extent - behind) * sizeof(REAL));
}

static void REAL_NAME(fill_rows)(const image_copying *work, int64_t begin, int64_t end) {
    const image_layout *layout = work->layout;
    for (int64_t i = begin; i < end; i++) {
        const int64_t plane = i / (layout->extents[0] * layout->extents[1]);
        const int64_t z = i / layout->extents[1] % layout->extents[0] - layout->pad[0];
        const int64_t y = i % layout->extents[1] - layout->pad[1];
        REAL *target = (REAL *)work->copy + i * layout->row_size;
        if (z < 0 || z >= layout->source[0] || y < 0 || y >= layout->source[1]) {
            memset(target, 0, (size_t)layout->row_size * sizeof(REAL));
            continue;
        }
        const int64_t row =
            ((plane * layout->source[0] + z) * layout->source[1] + y) * layout->source[2];
        for (int64_t phase = 0; phase < layout->phases; phase++) {
            REAL_NAME(fill_phase)
            (layout, work->data, row, phase, target + phase * layout->phase_extent);
        }
    }
}
