/*
 * The exponential function and its nearest kin in f32, without branches and calls, so that
 * compilers turn loops over them into vector code. Results are within 4 units in the last place.
 */
#ifndef OPS_MATH_EXPONENTIAL_H
#define OPS_MATH_EXPONENTIAL_H

#include <math.h>

#include <tenon/plugin.h>

/* x = k * ln(2) + r with |r| <= ln(2) / 2. Adding and subtracting 1.5 * 2^23 rounds to an integer,
 * which then stands in the low bits of the sum. */
#define EXPONENT_ROUNDER 0x1.8p23f
#define LOG2_E 1.44269504f
#define LN2_HIGH 0x1.62e4p-1f /* short, so that products with k are exact */
#define LN2_LOW 1.42860682e-6f

/* The sum for k; tn_bits_from_float of it, less that of the rounder, is k. */
static inline float shifted_exponent(float x) {
    return x * LOG2_E + EXPONENT_ROUNDER;
}

/* exp(r) - 1, by its Taylor series. */
static inline float exp_of_remainder_minus_1(float x, float shifted) {
    const float k = shifted - EXPONENT_ROUNDER;
    const float r = (x - k * LN2_HIGH) - k * LN2_LOW;
    float series = 1.0f / 5040;
    series = series * r + 1.0f / 720;
    series = series * r + 1.0f / 120;
    series = series * r + 1.0f / 24;
    series = series * r + 1.0f / 6;
    series = series * r + 1.0f / 2;
    return series * (r * r) + r;
}

/* 2^k is multiplied with in two parts: neither 2^128 nor 2^-150 is a float. */
static inline float exponential(float x) {
    const float raised = x < -104 ? -104 : x;
    const float clamped = raised > 89 ? 89 : raised;
    const float shifted = shifted_exponent(clamped);
    const uint32_t biased = /* k + 256 */
        tn_bits_from_float(shifted) - tn_bits_from_float(EXPONENT_ROUNDER) + 256;
    const uint32_t half = biased / 2;
    const float first = tn_float_from_bits((half - 1) << 23);
    const float second = tn_float_from_bits((biased - half - 1) << 23);
    return (1 + exp_of_remainder_minus_1(clamped, shifted)) * first * second;
}

static inline float logistic(float x) {
    return 1 / (1 + exponential(-x));
}

/* 2^k for -126 <= k <= 127, of a sum for such a k. */
static inline float power_of_shifted(float shifted) {
    const uint32_t k = tn_bits_from_float(shifted) - tn_bits_from_float(EXPONENT_ROUNDER);
    return tn_float_from_bits((k + 127) << 23);
}

/* exp(x) - 1 for x <= 0, which keeps its digits near 0. */
static inline float exponential_minus_1_below_0(float x) {
    const float raised = x < -20 ? -20 : x; /* -1, rounded, from there on */
    const float shifted = shifted_exponent(raised);
    const float power = power_of_shifted(shifted);
    return power * exp_of_remainder_minus_1(raised, shifted) + (power - 1);
}

/* With e = exp(2|x|) - 1, which keeps its digits near 0: e / (e + 2). */
static inline float hyperbolic_tangent(float x) {
    const float magnitude = fabsf(x);
    const float doubled = 2 * (magnitude > 10 ? 10 : magnitude);
    const float shifted = shifted_exponent(doubled);
    const float power = power_of_shifted(shifted);
    const float e = power * exp_of_remainder_minus_1(doubled, shifted) + (power - 1);
    return copysignf(e / (e + 2), x);
}

/* Up to 1, x times a polynomial of x squared; beyond, 1 - exp(-p(x)), p a polynomial that is near
 * the logarithm of 1 / erfc, until that is nothing beside 1. */
static inline float error_function(float x) {
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
    const float beyond = copysignf(1 - exponential(-power), x);
    return magnitude > 1 ? beyond : ratio * x;
}

#endif
