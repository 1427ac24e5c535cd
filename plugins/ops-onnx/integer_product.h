/*
 * Products of matrices of 8-bit integers with zero points, exact in int32, and what makes 8-bit
 * integers of them again.
 */
#ifndef OPS_ONNX_INTEGER_PRODUCT_H
#define OPS_ONNX_INTEGER_PRODUCT_H

#include <tenon/plugin.h>

/* result[i][j] = the sum over k of left[i][k] * right[k][j], all row-major. */
void integer_product(const tn_host *host, const int16_t *left, const int16_t *right,
                     int32_t *result, int64_t rows, int64_t columns, int64_t depth);

/* Widens `count` elements of int8 or uint8, less a zero point. */
void widen_elements(tn_dtype dtype, const void *elements, int64_t first, int64_t count,
                    int32_t zero_point, int16_t *out_values);

/* Element `index` of a tensor of zero points or scales, of which there may be one for all. An
 * absent zero point is 0. */
int32_t zero_point_at(const tn_view *view, int64_t index);
float scale_at(const tn_view *view, int64_t index);

/* target[i] = saturate(round(sums[i] * multiplier) + zero_point) */
void requantize(const int32_t *sums, int64_t count, float multiplier, int32_t zero_point,
                tn_dtype dtype, void *target, int64_t first);

/* Whether a dtype is int8 or uint8. */
TN_INLINE_ int is_byte(tn_dtype dtype) {
    return dtype == TN_I8 || dtype == TN_U8;
}

#endif
