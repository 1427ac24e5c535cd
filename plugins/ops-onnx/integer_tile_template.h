/* Template, see integer_tile.c. Sums are variables rather than an array, which compilers would keep
 * in memory. */

#define TILE_ROW(i)                                                                                \
    factor = BROADCAST(rows + 2 * i);                                                              \
    left##i = ADD_PRODUCTS(left##i, factor, left);                                                 \
    right##i = ADD_PRODUCTS(right##i, factor, right);
#define STORE_ROW(i)                                                                               \
    STORE(sums + i * stride, left##i);                                                             \
    STORE(sums + i * stride + TILE_COLUMNS / 2, right##i);

TILE_TARGET
static void TILE_NAME(int64_t pairs, const int16_t *rows, const int16_t *columns, int32_t *sums,
                      int64_t stride) {
    VECTOR left0 = ZERO, left1 = ZERO, left2 = ZERO, left3 = ZERO, left4 = ZERO, left5 = ZERO;
    VECTOR right0 = ZERO, right1 = ZERO, right2 = ZERO, right3 = ZERO, right4 = ZERO, right5 = ZERO;
    for (int64_t pair = 0; pair < pairs; pair++) {
        const VECTOR left = LOAD(columns), right = LOAD(columns + TILE_COLUMNS);
        VECTOR factor;
        TILE_ROW(0)
        TILE_ROW(1)
        TILE_ROW(2)
        TILE_ROW(3)
        TILE_ROW(4)
        TILE_ROW(5)
        rows += 2 * TILE_ROWS;
        columns += 2 * TILE_COLUMNS;
    }
    STORE_ROW(0)
    STORE_ROW(1)
    STORE_ROW(2)
    STORE_ROW(3)
    STORE_ROW(4)
    STORE_ROW(5)
}

#undef TILE_ROW
#undef STORE_ROW
