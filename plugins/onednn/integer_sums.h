/*
 * What becomes of the sums of a convolution of 8-bit integers: the part that the data's zero point
 * has in them is taken out, and then they are the result, or are quantised again.
 */
#ifndef ONEDNN_INTEGER_SUMS_H
#define ONEDNN_INTEGER_SUMS_H

#include <stdint.h>

/* Where numbers of an 8-bit dtype end, less the zero point. */
typedef struct quantised_ends {
    float lowest, highest, zero_point;
} quantised_ends;

/* Those of one place, a sum for each of `count` filters. `weights` are the sums of the weights that
 * lie on data there. */
void correct_sums(int32_t *sums, int64_t count, int32_t data_zero, const int32_t *weights);

/* The same, then target[i] = saturate(round((sums[i] + biases[i]) * multipliers[i]) + zero point),
 * rounded as onnx.QLinearConv of the plain kernels is. */
void quantise_sums(const int32_t *sums, int64_t count, int32_t data_zero, const int32_t *weights,
                   const int32_t *biases, const float *multipliers, quantised_ends ends,
                   uint8_t *target);

#endif
