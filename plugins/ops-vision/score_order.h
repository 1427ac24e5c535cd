/*
 * Ordering by score without an allocation.
 */
#ifndef OPS_VISION_SCORE_ORDER_H
#define OPS_VISION_SCORE_ORDER_H

#include <tenon/plugin.h>

typedef struct scored {
    double score;  /* not NaN */
    int64_t place; /* where it came from */
} scored;

/* Sorts by falling score; of equal scores the one that stands first stays first. `scratch` has room
 * for as many. */
void score_order(scored *items, scored *scratch, int64_t count);

#endif
