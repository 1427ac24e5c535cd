/*
 * Searches for the place of the greatest or the least element, for each compute type, as loops
 * over elements. The first of equal elements is found, or the first NaN.
 */
#ifndef OPS_MATH_ARG_FUNCTIONS_H
#define OPS_MATH_ARG_FUNCTIONS_H

#include "element.h"

typedef enum arg_kind { ARG_MAXIMUM, ARG_MINIMUM } arg_kind;

/* Compares element i, whose index is `index`, with best[i], and where it is better takes it and
 * its index. */
typedef void (*arg_update)(const void *elements, int64_t index, void *best, int64_t *indices,
                           int64_t count);

extern const arg_update arg_updates[2][COMPUTE_TYPE_COUNT];

/* The same along a row: element i has index `index` + i, and there is one best. */
typedef void (*arg_scan)(const void *elements, int64_t index, void *best, int64_t *best_index,
                         int64_t count);

extern const arg_scan arg_scans[2][COMPUTE_TYPE_COUNT];

#endif
