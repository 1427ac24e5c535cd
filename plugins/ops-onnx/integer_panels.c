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

/* Two rows of a panel that is not full, of which the second may be absent. */
static void interleave_rest(const uint8_t *even, const uint8_t *odd, uint8_t turned,
                            const int16_t *zeros, int64_t present, int16_t *pairs) {
    memset(pairs, 0, 2 * TILE_COLUMNS * sizeof *pairs);
    for (int64_t j = 0; j < present; j++) {
        pairs[2 * j] = (int16_t)((even[j] ^ turned) - zeros[2 * j]);
        pairs[2 * j + 1] = odd == NULL ? 0 : (int16_t)((odd[j] ^ turned) - zeros[2 * j]);
    }
}

/* Two for each column of a panel. */
static void read_zeros(const byte_matrix *matrix, int64_t first, int64_t present, int16_t *zeros) {
    const int is_single = matrix->zero_point == NULL || tn_element_count(matrix->zero_point) == 1;
    int16_t zero = 0;
    for (int64_t j = 0; j < present; j++) {
        zero = is_single && j > 0 ? zero : zero_of(matrix, first + j);
        zeros[2 * j] = zeros[2 * j + 1] = zero;
    }
}

static void pack_right_panel(const byte_matrix *matrix, int64_t first, int64_t present,
                             int16_t *panel) {
    const uint8_t turned = sign_bit(matrix->dtype);
    const uint8_t *from = (const uint8_t *)matrix->elements + first;
    const int64_t whole = present == TILE_COLUMNS ? matrix->rows / 2 : 0;
    int16_t zeros[2 * TILE_COLUMNS] = {0};
    read_zeros(matrix, first, present, zeros);
    interleave_rows(whole, from, matrix->stride, turned, zeros, panel);
    for (int64_t k = 2 * whole; k < matrix->rows; k += 2) {
        const uint8_t *even = from + k * matrix->stride;
        const uint8_t *odd = k + 1 < matrix->rows ? even + matrix->stride : NULL;
        interleave_rest(even, odd, turned, zeros, present, panel + k * TILE_COLUMNS);
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
