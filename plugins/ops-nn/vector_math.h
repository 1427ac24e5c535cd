/*
 * The exponential family in a form that compilers can vectorise: no branch, no table, no call.
 * Each is within a few units in the last place; NaN stays NaN. In double the C library does it.
 */
#ifndef OPS_NN_VECTOR_MATH_H
#define OPS_NN_VECTOR_MATH_H

#include <math.h>

#include <tenon/plugin/half.h>

/* x, or `limit` with the sign of x where that is nearer to zero; NaN is within. It compares bits,
 * since a comparison of floats could trap, and that keeps compilers from vectorising what hangs on
 * it. */
static inline float bounded_f32(float x, float limit) {
    const uint32_t bits = tn_bits_from_float(x);
    const uint32_t limit_bits = tn_bits_from_float(limit);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t beyond = magnitude - limit_bits <= 0x7f800000u - limit_bits;
    return tn_float_from_bits((bits & 0x80000000u) | (beyond ? limit_bits : magnitude));
}

/* exp(x) = 2^n * exp(r) with n = round(x / ln 2), |r| <= ln(2) / 2. */
static inline float exponential_f32(float x) {
    const float bounded = bounded_f32(x, 104.0f);
    /* Adding 1.5 * 2^23 rounds to an integer, which is then the low bits of the sum. */
    const float shifted = bounded * 1.44269504f + 0x1.8p23f;
    const float n = shifted - 0x1.8p23f;
    /* ln 2 in two parts, so that n times the first is exact. */
    const float r = bounded - n * 0.693359375f + n * 2.12194440e-4f;
    float series = 1.9875691500e-4f;
    series = series * r + 1.3981999507e-3f;
    series = series * r + 8.3334519073e-3f;
    series = series * r + 4.1665795894e-2f;
    series = series * r + 1.6666665459e-1f;
    series = series * r + 5.0000001201e-1f;
    const float power = series * r * r + r + 1.0f;
    /* 2^n as two factors, since n goes from -150 to 150 and a float's exponent does not. */
    const uint32_t exponent = tn_bits_from_float(shifted) - 0x4b400000u + 2u * 127u;
    const uint32_t half = exponent >> 1;
    return power * tn_float_from_bits(half << 23) * tn_float_from_bits((exponent - half) << 23);
}

static inline double exponential_f64(double x) {
    return exp(x);
}

static inline float sigmoid_f32(float x) {
    return 1.0f / (1.0f + exponential_f32(-x));
}

static inline double sigmoid_f64(double x) {
    return 1.0 / (1.0 + exp(-x));
}

/* Near zero a polynomial, since the difference from one would lose all its digits there. */
static inline float hyperbolic_tangent_f32(float x) {
    const float magnitude = fabsf(x);
    const float square = x * x;
    float series = -5.70498872745e-3f;
    series = series * square + 2.06390887954e-2f;
    series = series * square - 5.37397155531e-2f;
    series = series * square + 1.33314422036e-1f;
    series = series * square - 3.33332819422e-1f;
    const float near_zero = series * square * x + x;
    const float far = 1.0f - 2.0f / (exponential_f32(2.0f * magnitude) + 1.0f);
    const uint32_t is_far = tn_bits_from_float(magnitude) > 0x3f200000u ? UINT32_MAX : 0;
    return tn_float_from_bits((tn_bits_from_float(copysignf(far, x)) & is_far) |
                              (tn_bits_from_float(near_zero) & ~is_far));
}

static inline double hyperbolic_tangent_f64(double x) {
    return tanh(x);
}

#endif
