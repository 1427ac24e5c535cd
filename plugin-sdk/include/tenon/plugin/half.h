/*
 * Conversions between float and the 16-bit floating types, which C has no arithmetic for. Rounding
 * is to nearest, ties to even; NaN stays NaN; values beyond the range become infinity.
 */
#ifndef TENON_PLUGIN_HALF_H
#define TENON_PLUGIN_HALF_H

#include <stdint.h>
#include <string.h>

static inline float tn_float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t tn_bits_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* IEEE 754 binary16 to float; exact. */
static inline float tn_float_from_f16(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t exponent = (half >> 10) & 0x1fu;
    const uint32_t fraction = half & 0x3ffu;
    if (exponent == 0x1fu) {
        return tn_float_from_bits(sign | 0x7f800000u | (fraction << 13));
    }
    if (exponent == 0) { /* zero and subnormals: fraction * 2^-24 */
        const float magnitude = (float)fraction * 0x1p-24f;
        return tn_float_from_bits(tn_bits_from_float(magnitude) | sign);
    }
    return tn_float_from_bits(sign | ((exponent + 112u) << 23) | (fraction << 13));
}

static inline uint16_t tn_f16_from_float(float value) {
    const uint32_t bits = tn_bits_from_float(value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    }
    if (magnitude >= 0x477ff000u) { /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) { /* below 2^-14: let the adder round to a multiple of 2^-24 */
        const float shifted = tn_float_from_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (tn_bits_from_float(shifted) - 0x3f000000u));
    }
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

/* bfloat16: the upper half of a float. */
static inline float tn_float_from_bf16(uint16_t half) {
    return tn_float_from_bits((uint32_t)half << 16);
}

static inline uint16_t tn_bf16_from_float(float value) {
    const uint32_t bits = tn_bits_from_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)((bits >> 16) | 0x40u);
    }
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif
