#include "integer_panels.h"

#include "quantise.h"

static int64_t panels_size(int64_t count, int64_t depth, int64_t width) {
    return (count + width - 1) / width * width * (depth + depth % 2);
}

int64_t left_panels_size(int64_t count, int64_t depth) {
    return panels_size(count, depth, TILE_ROWS);
}

int64_t right_panels_size(int64_t count, int64_t depth) {
    return panels_size(count, depth, TILE_COLUMNS);
}

static int16_t zero_of(const byte_matrix *matrix, int64_t index) {
    return (int16_t)(zero_point_at(matrix->zero_point, matrix->first_zero + index) +
                     sign_bit(matrix->dtype));
}

void pack_left(const byte_matrix *matrix, int16_t *panels) {
    const uint8_t turned = sign_bit(matrix->dtype);
    const int64_t depth = matrix->columns, size = left_panels_size(1, depth);
    memset(panels, 0, (size_t)left_panels_size(matrix->rows, depth) * sizeof *panels);
    for (int64_t row = 0; row < matrix->rows; row++) {
        const uint8_t *from = (const uint8_t *)matrix->elements + row * matrix->stride;
        int16_t *to = panels + row / TILE_ROWS * size + row % TILE_ROWS * 2;
        const int16_t zero = zero_of(matrix, row);
        for (int64_t k = 0; k < depth; k++) {
            to[k / 2 * (2 * TILE_ROWS) + k % 2] = (int16_t)((from[k] ^ turned) - zero);
        }
    }
}

/* Two rows of a full panel. */
static void interleave(const uint8_t *even, const uint8_t *odd, uint8_t turned,
                       const int16_t *zeros, int16_t *restrict pairs) {
    for (int j = 0; j < TILE_COLUMNS; j++) {
        pairs[2 * j] = (int16_t)((even[j] ^ turned) - zeros[j]);
        pairs[2 * j + 1] = (int16_t)((odd[j] ^ turned) - zeros[j]);
    }
}

/* What is left over: `present` columns, and an odd row that may be absent. */
static void interleave_rest(const uint8_t *even, const uint8_t *odd, uint8_t turned,
                            const int16_t *zeros, int64_t present, int16_t *pairs) {
    memset(pairs, 0, 2 * TILE_COLUMNS * sizeof *pairs);
    for (int64_t j = 0; j < present; j++) {
        pairs[2 * j] = (int16_t)((even[j] ^ turned) - zeros[j]);
        pairs[2 * j + 1] = odd == NULL ? 0 : (int16_t)((odd[j] ^ turned) - zeros[j]);
    }
}

static void pack_right_panel(const byte_matrix *matrix, int64_t first, int64_t present,
                             int16_t *panel) {
    const uint8_t turned = sign_bit(matrix->dtype);
    const uint8_t *from = (const uint8_t *)matrix->elements + first;
    const int is_single = matrix->zero_point == NULL || tn_element_count(matrix->zero_point) == 1;
    int16_t zeros[TILE_COLUMNS];
    for (int64_t j = 0; j < present; j++) {
        zeros[j] = is_single && j > 0 ? zeros[0] : zero_of(matrix, first + j);
    }
    for (int64_t k = 0; k < matrix->rows; k += 2) {
        const uint8_t *even = from + k * matrix->stride;
        const uint8_t *odd = k + 1 < matrix->rows ? even + matrix->stride : NULL;
        if (present == TILE_COLUMNS && odd != NULL) {
            interleave(even, odd, turned, zeros, panel);
        } else {
            interleave_rest(even, odd, turned, zeros, present, panel);
        }
        panel += 2 * TILE_COLUMNS;
    }
}

void pack_right(const byte_matrix *matrix, int64_t first, int64_t count, int16_t *panels) {
    const int64_t size = right_panels_size(1, matrix->rows);
    for (int64_t done = 0; done < count; done += TILE_COLUMNS) {
        const int64_t left = count - done;
        pack_right_panel(matrix, first + done, left < TILE_COLUMNS ? left : TILE_COLUMNS,
                         panels + done / TILE_COLUMNS * size);
    }
}
