/*
 * The exponential function and its nearest kin in float, without branches and calls, so that
 * compilers turn loops over them into vector code (with -fno-trapping-math, where that is not what
 * they do anyway). Results are within 4 units in the last place; NaN stays NaN.
 *
 * No part of plugin.h: include it by name.
 */
#ifndef TENON_PLUGIN_EXPONENTIAL_H
#define TENON_PLUGIN_EXPONENTIAL_H

#include <math.h>

#include <tenon/plugin/half.h>

/* x = k * ln(2) + r with |r| <= ln(2) / 2. Adding and subtracting 1.5 * 2^23 rounds to an integer,
 * which then stands in the low bits of the sum. */
#define TN_EXP_ROUNDER_ 0x1.8p23f
#define TN_EXP_LOG2_E_ 1.44269504f
#define TN_EXP_LN2_HIGH_ 0x1.62e4p-1f /* short, so that products with k are exact */
#define TN_EXP_LN2_LOW_ 1.42860682e-6f

/* The sum for k; tn_bits_from_float of it, less that of the rounder, is k. */
static inline float tn_exp_shifted_(float x) {
    return x * TN_EXP_LOG2_E_ + TN_EXP_ROUNDER_;
}

/* exp(r) - 1, by its Taylor series. */
static inline float tn_exp_remainder_(float x, float shifted) {
    const float k = shifted - TN_EXP_ROUNDER_;
    const float r = (x - k * TN_EXP_LN2_HIGH_) - k * TN_EXP_LN2_LOW_;
    float series = 1.0f / 5040;
    series = series * r + 1.0f / 720;
    series = series * r + 1.0f / 120;
    series = series * r + 1.0f / 24;
    series = series * r + 1.0f / 6;
    series = series * r + 1.0f / 2;
    return series * (r * r) + r;
}

/* 2^k is multiplied with in two parts: neither 2^128 nor 2^-150 is a float. */
static inline float tn_exp_f32(float x) {
    const float raised = x < -104 ? -104 : x;
    const float clamped = raised > 89 ? 89 : raised;
    const float shifted = tn_exp_shifted_(clamped);
    const uint32_t biased = /* k + 256 */
        tn_bits_from_float(shifted) - tn_bits_from_float(TN_EXP_ROUNDER_) + 256;
    const uint32_t half = biased / 2;
    const float first = tn_float_from_bits((half - 1) << 23);
    const float second = tn_float_from_bits((biased - half - 1) << 23);
    return (1 + tn_exp_remainder_(clamped, shifted)) * first * second;
}

static inline float tn_sigmoid_f32(float x) {
    return 1 / (1 + tn_exp_f32(-x));
}

/* 2^k for -126 <= k <= 127, of a sum for such a k. */
static inline float tn_exp_power_(float shifted) {
    const uint32_t k = tn_bits_from_float(shifted) - tn_bits_from_float(TN_EXP_ROUNDER_);
    return tn_float_from_bits((k + 127) << 23);
}

/* exp(x) - 1 for x <= 0, which keeps its digits near 0. */
static inline float tn_expm1_below_0_f32(float x) {
    const float raised = x < -20 ? -20 : x; /* -1, rounded, from there on */
    const float shifted = tn_exp_shifted_(raised);
    const float power = tn_exp_power_(shifted);
    return power * tn_exp_remainder_(raised, shifted) + (power - 1);
}

/* With e = exp(2|x|) - 1, which keeps its digits near 0: e / (e + 2). */
static inline float tn_tanh_f32(float x) {
    const float magnitude = fabsf(x);
    const float doubled = 2 * (magnitude > 10 ? 10 : magnitude);
    const float shifted = tn_exp_shifted_(doubled);
    const float power = tn_exp_power_(shifted);
    const float e = power * tn_exp_remainder_(doubled, shifted) + (power - 1);
    return copysignf(e / (e + 2), x);
}

/* Up to 1, x times a polynomial of x squared; beyond, 1 - exp(-p(x)), p a polynomial that is near
 * the logarithm of 1 / erfc, until that is nothing beside 1. */
static inline float tn_erf_f32(float x) {
    const float magnitude = fabsf(x);
    const float squared = x * x;
    float ratio = -9.641519e-06f;
    ratio = ratio * squared + 0.00011256948f;
    ratio = ratio * squared - 0.0008482829f;
    ratio = ratio * squared + 0.0052209455f;
    ratio = ratio * squared - 0.0268654f;
    ratio = ratio * squared + 0.11283782f;
    ratio = ratio * squared - 0.37612638f;
    ratio = ratio * squared + 1.1283792f;
    const float bounded = magnitude > 4 ? 4 : magnitude;
    float power = 2.168685e-05f;
    power = power * bounded - 0.00044133636f;
    power = power * bounded + 0.004204562f;
    power = power * bounded - 0.025208257f;
    power = power * bounded + 0.10841858f;
    power = power * bounded + 0.6332199f;
    power = power * bounded + 1.1295785f;
    power = power * bounded - 0.00018804023f;
    const float beyond = copysignf(1 - tn_exp_f32(-power), x);
    return magnitude > 1 ? beyond : ratio * x;
}

#endif
