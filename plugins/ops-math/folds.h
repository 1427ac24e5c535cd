/*
 * Folds: ways to take many numbers together into one, for each compute type, as loops over
 * elements. Floats are accumulated in f64 and integers in 64 bits, where sums and products wrap
 * around.
 */
#ifndef OPS_MATH_FOLDS_H
#define OPS_MATH_FOLDS_H

#include "element.h"

/* X(fold) */
#define FOLDS(X)                                                                                   \
    X(sum)                                                                                         \
    X(product)                                                                                     \
    X(sum_without_nan)                                                                             \
    X(product_without_nan)                                                                         \
    X(maximum)                                                                                     \
    X(minimum)                                                                                     \
    X(sum_of_magnitudes)                                                                           \
    X(sum_of_squares)                                                                              \
    X(log_of_exponentials)

typedef enum fold_kind {
#define FOLD_ENUM(FOLD) FOLD_##FOLD,
    FOLDS(FOLD_ENUM)
#undef FOLD_ENUM
        FOLD_COUNT
} fold_kind;

typedef struct fold {
    compute_value start; /* what no elements give, of the accumulators' compute type */
    /* Takes all elements into the one accumulator. */
    void (*into_one)(void *accumulator, const void *elements, int64_t count);
    /* Takes each element into the accumulator at the same place. */
    void (*into_each)(void *accumulators, const void *elements, int64_t count);
} fold;

/* By the compute type of the elements. */
extern const fold folds[FOLD_COUNT][COMPUTE_TYPE_COUNT];

/* The compute type of the accumulators. */
compute_type accumulator_type(compute_type type);

#endif
