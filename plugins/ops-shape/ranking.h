/*
 * Sorting without an allocation: elements of any type become keys that compare as unsigned
 * numbers, and keys are sorted together with the places they came from.
 */
#ifndef OPS_SHAPE_RANKING_H
#define OPS_SHAPE_RANKING_H

#include <tenon/plugin.h>

/* Of two with the same key the one with the lower place comes first. */
typedef struct ranked {
    uint64_t key;
    int64_t place;
} ranked;

/* Reads `count` elements, `stride` elements apart, with places 0, 1, … Smaller keys stand for
 * smaller elements, or for larger ones with `descending`. NaN counts as larger than all numbers;
 * -0 and 0 are the same. */
void ranking_load(tn_dtype dtype, const void *source, int64_t stride, int64_t count, int descending,
                  ranked *items);

/* Puts the `kept` first items in order, and leaves the others behind them in any order. `scratch`
 * has room for `count` items. */
void ranking_sort(ranked *items, ranked *scratch, int64_t count, int64_t kept);

#endif
