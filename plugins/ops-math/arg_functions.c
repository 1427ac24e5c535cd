#include "arg_functions.h"

/* `b` is the best so far. A NaN is better than all but a NaN: it is not less than any. */
#define GREATER_REAL(x, b) (!(x <= b) & (b == b))
#define LESS_REAL(x, b) (!(x >= b) & (b == b))
#define GREATER_INTEGER(x, b) (x > b)
#define LESS_INTEGER(x, b) (x < b)

#define DEFINE_ARG_FUNCTIONS(NAME, SUFFIX, TYPE, IS_BETTER)                                        \
    static void update_##NAME##_##SUFFIX(const void *elements, int64_t index, void *best,          \
                                         int64_t *restrict indices, int64_t count) {               \
        const TYPE *xs = elements;                                                                 \
        TYPE *restrict bests = best;                                                               \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const TYPE x = xs[i];                                                                  \
            const int is_better = IS_BETTER(x, bests[i]);                                          \
            bests[i] = is_better ? x : bests[i];                                                   \
            indices[i] = is_better ? index : indices[i];                                           \
        }                                                                                          \
    }                                                                                              \
    static void scan_##NAME##_##SUFFIX(const void *elements, int64_t index, void *best,            \
                                       int64_t *best_index, int64_t count) {                       \
        const TYPE *xs = elements;                                                                 \
        TYPE found = *(TYPE *)best;                                                                \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const TYPE x = xs[i];                                                                  \
            if (IS_BETTER(x, found)) {                                                             \
                found = x;                                                                         \
                *best_index = index + i;                                                           \
            }                                                                                      \
        }                                                                                          \
        *(TYPE *)best = found;                                                                     \
    }

#define DEFINE_ARG_PAIR(SUFFIX, TYPE, KIND)                                                        \
    DEFINE_ARG_FUNCTIONS(maximum, SUFFIX, TYPE, GREATER_##KIND)                                    \
    DEFINE_ARG_FUNCTIONS(minimum, SUFFIX, TYPE, LESS_##KIND)
DEFINE_ARG_PAIR(f32, float, REAL)
DEFINE_ARG_PAIR(f64, double, REAL)
DEFINE_ARG_PAIR(i32, int32_t, INTEGER)
DEFINE_ARG_PAIR(i64, int64_t, INTEGER)
DEFINE_ARG_PAIR(u64, uint64_t, INTEGER)

#define ALL_TYPES(NAME)                                                                            \
    { NAME##_f32, NAME##_f64, NAME##_i32, NAME##_i64, NAME##_u64 }

const arg_update arg_updates[2][COMPUTE_TYPE_COUNT] = {
    [ARG_MAXIMUM] = ALL_TYPES(update_maximum),
    [ARG_MINIMUM] = ALL_TYPES(update_minimum),
};

const arg_scan arg_scans[2][COMPUTE_TYPE_COUNT] = {
    [ARG_MAXIMUM] = ALL_TYPES(scan_maximum),
    [ARG_MINIMUM] = ALL_TYPES(scan_minimum),
};
