/* Template, see element_map.c. */

static void REAL_NAME(map)(void *context, int64_t begin, int64_t end) {
    const map_range *range = context;
    REAL from_block[BLOCK_LENGTH];
    REAL to_block[BLOCK_LENGTH];
    for (int64_t first = begin; first < end; first += BLOCK_LENGTH) {
        const int64_t count = block_length(first, end);
        const REAL *x = REAL_NAME(read_block)(range->from, first, 1, count, from_block);
        REAL *y = REAL_NAME(target_block)(range->to, first, 1, to_block);
        range->map->REAL_NAME(apply)(range->map->parameters, x, y, count);
        REAL_NAME(write_block)(range->to, first, 1, count, y);
    }
}
