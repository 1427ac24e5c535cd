/*
 * What becomes of sums of products of 8-bit integers: the part that a zero point has in them is
 * taken out, and then they are the result, or are quantised again.
 */
#ifndef ONEDNN_INTEGER_SUMS_H
#define ONEDNN_INTEGER_SUMS_H

#include <stdint.h>

/* Where numbers of an 8-bit dtype end, less the zero point. */
typedef struct quantised_ends {
    float lowest, highest, zero_point;
} quantised_ends;

/* sums[i] += biases[i] - zero * weights[i] */
void correct_sums(int32_t *sums, int64_t count, int32_t zero, const int32_t *weights,
                  const int32_t *biases);

/* target[i] = saturate(round((sums[i] + biases[i] - zero * weights[i]) * multipliers[i]) + zero
 * point), rounded as the plain kernels do. */
void quantise_sums(const int32_t *sums, int64_t count, int32_t zero, const int32_t *weights,
                   const int32_t *biases, const float *multipliers, quantised_ends ends,
                   uint8_t *target);

#endif
