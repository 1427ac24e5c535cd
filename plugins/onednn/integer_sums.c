#include "integer_sums.h"

/* Processors that compute such sums here have AVX2. */
#if defined(__x86_64__)
#define SUMS_TARGET __attribute__((target("avx2")))
#else
#define SUMS_TARGET
#endif

SUMS_TARGET static inline int32_t corrected(int32_t sum, int32_t zero, int32_t weight,
                                            int32_t bias) {
    return (int32_t)((uint32_t)sum + (uint32_t)bias - (uint32_t)zero * (uint32_t)weight);
}

SUMS_TARGET void correct_sums(int32_t *sums, int64_t count, int32_t zero, const int32_t *weights,
                              const int32_t *biases) {
    for (int64_t i = 0; i < count; i++) {
        sums[i] = corrected(sums[i], zero, weights[i], biases[i]);
    }
}

SUMS_TARGET void quantise_sums(const int32_t *sums, int64_t count, int32_t zero,
                               const int32_t *weights, const int32_t *biases,
                               const float *multipliers, quantised_ends ends,
                               uint8_t *restrict target) {
    const float rounder = 12582912; /* 1.5 * 2^23: to the nearest integer, or the even one of two */
    for (int64_t i = 0; i < count; i++) {
        const int32_t sum = corrected(sums[i], zero, weights[i], biases[i]);
        const float value = (float)sum * multipliers[i];
        const float above = value > ends.lowest ? value : ends.lowest;
        const float within = above < ends.highest ? above : ends.highest;
        const float rounded = (within + rounder) - rounder + ends.zero_point;
        target[i] = (uint8_t)(int32_t)(value == value ? rounded : 0);
    }
}
