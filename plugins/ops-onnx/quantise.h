/*
 * Numbers as 8-bit integers, and the tensors that say how: scales and zero points.
 */
#ifndef OPS_ONNX_QUANTISE_H
#define OPS_ONNX_QUANTISE_H

#include <tenon/plugin.h>

/* Whether a dtype is int8 or uint8. */
TN_INLINE_ int is_byte(tn_dtype dtype) {
    return dtype == TN_I8 || dtype == TN_U8;
}

/* An int8 with its sign's bit turned is a uint8 that is 128 more, so that one
 * loop serves both. */
TN_INLINE_ uint8_t sign_bit(tn_dtype dtype) {
    return dtype == TN_I8 ? 0x80 : 0;
}

/* Where numbers of an 8-bit dtype end, less the zero point. */
typedef struct quantised_range {
    float lowest, highest, zero_point;
} quantised_range;

TN_INLINE_ quantised_range quantised_range_of(tn_dtype dtype, int32_t zero_point) {
    const float lowest = dtype == TN_I8 ? -128 : 0;
    const float zero = (float)zero_point;
    return (quantised_range){lowest - zero, lowest + 255 - zero, zero};
}

/* Rounds to the nearest integer, of two equally near ones to the even one, adds the zero point and
 * keeps the result within the range; NaN becomes 0. The sum with 1.5 * 2^23 rounds, in loops that
 * any processor vectorises. */
TN_INLINE_ uint8_t quantise(float value, quantised_range range) {
    const float rounder = 12582912;
    const float above = value > range.lowest ? value : range.lowest;
    const float within = above < range.highest ? above : range.highest;
    const float rounded = (within + rounder) - rounder + range.zero_point;
    return (uint8_t)(int32_t)(value == value ? rounded : 0);
}

/* Element `index` of a tensor of zero points or scales, of which there may be one for all. An
 * absent zero point is 0. */
int32_t zero_point_at(const tn_view *view, int64_t index);
float scale_at(const tn_view *view, int64_t index);

/* target[i] = saturate(round(values[i] / scale) + zero point) */
void quantise_floats(const float *values, int64_t count, float scale, quantised_range range,
                     uint8_t *target);

/* target[i] = saturate(round((sums[i] + bias) * multiplier) + zero point) */
void requantise(const int32_t *sums, int64_t count, int32_t bias, float multiplier,
                quantised_range range, uint8_t *target);

#endif
