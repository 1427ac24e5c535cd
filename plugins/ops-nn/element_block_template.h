/* Template, see element_block.h. */

/* `count` elements from number `first` on, `stride` apart: in `block`, or where they lie. The
 * elements must be of a dtype that is computed in this real type. */
static inline const REAL *REAL_NAME(read_block)(element_array from, int64_t first, int64_t stride,
                                                int64_t count, REAL *block) {
    if (from.dtype == REAL_DTYPE && stride == 1) {
        return (const REAL *)from.elements + first;
    }
    element_loader_of(from.dtype)(element_at(from.dtype, from.elements, first), stride, count,
                                  block);
    return block;
}

static inline REAL REAL_NAME(read_one)(element_array from, int64_t index) {
    REAL element;
    return *REAL_NAME(read_block)(from, index, 1, 1, &element);
}

/* Where to compute what write_block shall store: the array itself when it can be. */
static inline REAL *REAL_NAME(target_block)(element_array to, int64_t first, int64_t stride,
                                            REAL *block) {
    return to.dtype == REAL_DTYPE && stride == 1 ? (REAL *)to.elements + first : block;
}

/* Stores at most BLOCK_LENGTH elements that were computed where target_block said. */
static inline void REAL_NAME(write_block)(element_array to, int64_t first, int64_t stride,
                                          int64_t count, const REAL *block) {
    if (to.dtype == REAL_DTYPE && stride == 1) {
        return;
    }
    const void *reals = block;
    OTHER_REAL converted[BLOCK_LENGTH];
    if (real_size(to.dtype) != sizeof(REAL)) {
        for (int64_t i = 0; i < count; i++) {
            converted[i] = (OTHER_REAL)block[i];
        }
        reals = converted;
    }
    const element_storer store = element_storer_of(to.dtype);
    const int64_t run = stride == 1 ? count : 1;
    for (int64_t i = 0; i < count; i += run) {
        store((const char *)reals + (size_t)i * real_size(to.dtype), run,
              element_at_mutable(to.dtype, to.elements, first + i * stride));
    }
}

static inline void REAL_NAME(write_one)(element_array to, int64_t index, REAL element) {
    REAL block;
    REAL *target = REAL_NAME(target_block)(to, index, 1, &block);
    *target = element;
    REAL_NAME(write_block)(to, index, 1, 1, target);
}
