/*
 * Kinds of places of a convolution: those where the same weights lie on data, the others on
 * padding. For each kind the sums of such weights, by filter.
 */
#ifndef ONEDNN_INTEGER_KINDS_H
#define ONEDNN_INTEGER_KINDS_H

#include "onednn.h"
#include "split.h"

typedef struct place_kinds {
    int64_t rows, row_places; /* of the first spatial axis, and places within a row */
    int64_t filters;
    int64_t count_in_row;
    int32_t *of_rows, *of_places;
    int32_t *weights; /* by kind of row, kind of place within, filter */
} place_kinds;

/* `data` and `output` are the convolution's, `weight` int8, or uint8 around 128. When the zero
 * point is known to be 0 (`is_zero`), all places are of one kind, whose sums are 0. To be
 * destroyed, on failure too. */
tn_status place_kinds_create(const tn_host *host, const window_shape *window, const tn_view *data,
                             const tn_view *output, const tn_view *weight, int is_zero,
                             place_kinds *out);
void place_kinds_destroy(const tn_host *host, place_kinds *kinds);

#endif
