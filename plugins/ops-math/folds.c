#include "folds.h"

#include <math.h>

/* Independent accumulators for the parts of a row: the compiler keeps them in vector registers,
 * and a long sum loses fewer digits. */
#define LANES 8

/* `a` is the accumulator, `x` an element, and in MERGE another accumulator. */
#define DEFINE_FOLD(FOLD, SUFFIX, TYPE, ACCUMULATOR, START, STEP, MERGE)                           \
    static void FOLD##_into_one_##SUFFIX(void *accumulator, const void *elements, int64_t count) { \
        const TYPE *xs = elements;                                                                 \
        ACCUMULATOR *total = accumulator;                                                          \
        int64_t i = 0;                                                                             \
        if (count >= LANES) {                                                                      \
            ACCUMULATOR lanes[LANES];                                                              \
            for (int lane = 0; lane < LANES; lane++) {                                             \
                lanes[lane] = START;                                                               \
            }                                                                                      \
            for (; i + LANES <= count; i += LANES) {                                               \
                for (int lane = 0; lane < LANES; lane++) {                                         \
                    const ACCUMULATOR a = lanes[lane];                                             \
                    const TYPE x = xs[i + lane];                                                   \
                    lanes[lane] = STEP;                                                            \
                }                                                                                  \
            }                                                                                      \
            for (int lane = 0; lane < LANES; lane++) {                                             \
                const ACCUMULATOR a = *total;                                                      \
                const ACCUMULATOR x = lanes[lane];                                                 \
                *total = MERGE;                                                                    \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            const ACCUMULATOR a = *total;                                                          \
            const TYPE x = xs[i];                                                                  \
            *total = STEP;                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void FOLD##_into_each_##SUFFIX(void *accumulators, const void *elements,                \
                                          int64_t count) {                                         \
        const TYPE *restrict xs = elements;                                                        \
        ACCUMULATOR *restrict totals = accumulators;                                               \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const ACCUMULATOR a = totals[i];                                                       \
            const TYPE x = xs[i];                                                                  \
            totals[i] = STEP;                                                                      \
        }                                                                                          \
    }

/* A fold whose elements are taken in like accumulators. */
#define DEFINE_UNIFORM_FOLD(FOLD, SUFFIX, TYPE, ACCUMULATOR, START, STEP)                          \
    DEFINE_FOLD(FOLD, SUFFIX, TYPE, ACCUMULATOR, START, STEP, STEP)

/* log(exp(a) + exp(x)) without leaving the range of numbers. */
static double add_exponentials(double a, double x) {
    const double greater = a > x ? a : x, lesser = a > x ? x : a;
    if (lesser == -INFINITY || greater == INFINITY) {
        return a != a || x != x ? a + x : greater; /* infinities have no difference */
    }
    return greater + log1p(exp(lesser - greater));
}

/* A NaN is the maximum and the minimum, once it is met: neither comparison holds for it. */
#define DEFINE_REAL_FOLDS(SUFFIX, TYPE)                                                            \
    DEFINE_UNIFORM_FOLD(sum, SUFFIX, TYPE, double, 0, a + x)                                       \
    DEFINE_UNIFORM_FOLD(product, SUFFIX, TYPE, double, 1, (a * x))                                 \
    DEFINE_FOLD(sum_without_nan, SUFFIX, TYPE, double, 0, x != x ? a : a + x, a + x)               \
    DEFINE_FOLD(product_without_nan, SUFFIX, TYPE, double, 1, x != x ? a : a * x, (a * x))         \
    DEFINE_UNIFORM_FOLD(maximum, SUFFIX, TYPE, double, -INFINITY, !(x <= a) && a == a ? x : a)     \
    DEFINE_UNIFORM_FOLD(minimum, SUFFIX, TYPE, double, INFINITY, !(x >= a) && a == a ? x : a)      \
    DEFINE_FOLD(sum_of_magnitudes, SUFFIX, TYPE, double, 0, a + fabs(x), a + x)                    \
    DEFINE_FOLD(sum_of_squares, SUFFIX, TYPE, double, 0, a + (double)x * (double)x, a + x)         \
    DEFINE_UNIFORM_FOLD(log_of_exponentials, SUFFIX, TYPE, double, -INFINITY,                      \
                        add_exponentials(a, (double)x))
DEFINE_REAL_FOLDS(f32, float)
DEFINE_REAL_FOLDS(f64, double)

#define WRAPPING_SUM(a, x) ((uint64_t)a + (uint64_t)x)
#define WRAPPING_PRODUCT(a, x) ((uint64_t)a * (uint64_t)x)

#define DEFINE_INTEGER_FOLDS(SUFFIX, TYPE, ACCUMULATOR, LOWEST, HIGHEST)                           \
    DEFINE_UNIFORM_FOLD(sum, SUFFIX, TYPE, ACCUMULATOR, 0, (ACCUMULATOR)WRAPPING_SUM(a, x))        \
    DEFINE_UNIFORM_FOLD(product, SUFFIX, TYPE, ACCUMULATOR, 1,                                     \
                        (ACCUMULATOR)WRAPPING_PRODUCT(a, x))                                       \
    DEFINE_UNIFORM_FOLD(maximum, SUFFIX, TYPE, ACCUMULATOR, LOWEST, x > a ? x : a)                 \
    DEFINE_UNIFORM_FOLD(minimum, SUFFIX, TYPE, ACCUMULATOR, HIGHEST, x < a ? x : a)
DEFINE_INTEGER_FOLDS(i32, int32_t, int64_t, INT64_MIN, INT64_MAX)
DEFINE_INTEGER_FOLDS(i64, int64_t, int64_t, INT64_MIN, INT64_MAX)
DEFINE_INTEGER_FOLDS(u64, uint64_t, uint64_t, 0, UINT64_MAX)

#define FOLD_OF(FOLD, SUFFIX, FIELD, START)                                                        \
    { {.FIELD = START}, FOLD##_into_one_##SUFFIX, FOLD##_into_each_##SUFFIX }
#define REAL_FOLDS(FOLD, START) FOLD_OF(FOLD, f32, f64, START), FOLD_OF(FOLD, f64, f64, START)
#define INTEGER_FOLDS(FOLD, LOWEST_START, UNSIGNED_START)                                          \
    FOLD_OF(FOLD, i32, i64, LOWEST_START), FOLD_OF(FOLD, i64, i64, LOWEST_START),                  \
        FOLD_OF(FOLD, u64, u64, UNSIGNED_START)

/* The norms have no integer folds: integers go through f64. There is no NaN among integers. */
const fold folds[FOLD_COUNT][COMPUTE_TYPE_COUNT] = {
    [FOLD_sum] = {REAL_FOLDS(sum, 0), INTEGER_FOLDS(sum, 0, 0)},
    [FOLD_product] = {REAL_FOLDS(product, 1), INTEGER_FOLDS(product, 1, 1)},
    [FOLD_sum_without_nan] = {REAL_FOLDS(sum_without_nan, 0), INTEGER_FOLDS(sum, 0, 0)},
    [FOLD_product_without_nan] = {REAL_FOLDS(product_without_nan, 1), INTEGER_FOLDS(product, 1, 1)},
    [FOLD_maximum] = {REAL_FOLDS(maximum, -INFINITY), INTEGER_FOLDS(maximum, INT64_MIN, 0)},
    [FOLD_minimum] = {REAL_FOLDS(minimum, INFINITY), INTEGER_FOLDS(minimum, INT64_MAX, UINT64_MAX)},
    [FOLD_sum_of_magnitudes] = {REAL_FOLDS(sum_of_magnitudes, 0)},
    [FOLD_sum_of_squares] = {REAL_FOLDS(sum_of_squares, 0)},
    [FOLD_log_of_exponentials] = {REAL_FOLDS(log_of_exponentials, -INFINITY)},
};

compute_type accumulator_type(compute_type type) {
    switch (type) {
    case COMPUTE_F32:
    case COMPUTE_F64: return COMPUTE_F64;
    case COMPUTE_U64: return COMPUTE_U64;
    default: return COMPUTE_I64;
    }
}
