#include "half.h"

#include <tenon/plugin.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

enum { UNKNOWN, ABSENT, PRESENT };

/* Compilers disagree on whether __builtin_cpu_supports knows f16c. Asked once, as virtual machines
 * answer slowly. */
static int has_conversion(void) {
    static _Atomic int known = UNKNOWN;
    if (known == UNKNOWN) {
        unsigned a, b, c, d;
        known =
            __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0
                ? PRESENT
                : ABSENT;
    }
    return known == PRESENT;
}

__attribute__((target("avx,f16c"))) static int64_t widen(const uint16_t *halves, int64_t count,
                                                         float *floats) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(floats + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                         (const __m128i *)(const void *)&halves[i])));
    }
    return i;
}

__attribute__((target("avx,f16c"))) static int64_t narrow(const float *floats, int64_t count,
                                                          uint16_t *halves) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128((__m128i *)(void *)&halves[i],
                         _mm256_cvtps_ph(_mm256_loadu_ps(floats + i), _MM_FROUND_TO_NEAREST_INT));
    }
    return i;
}

#else

static int has_conversion(void) {
    return 0;
}

static int64_t widen(const uint16_t *halves, int64_t count, float *floats) {
    (void)halves, (void)count, (void)floats;
    return 0;
}

static int64_t narrow(const float *floats, int64_t count, uint16_t *halves) {
    (void)halves, (void)count, (void)floats;
    return 0;
}

#endif

void floats_from_halves(const uint16_t *halves, int64_t count, float *floats) {
    for (int64_t i = has_conversion() ? widen(halves, count, floats) : 0; i < count; i++) {
        floats[i] = tn_float_from_f16(halves[i]);
    }
}

void halves_from_floats(const float *floats, int64_t count, uint16_t *halves) {
    for (int64_t i = has_conversion() ? narrow(floats, count, halves) : 0; i < count; i++) {
        halves[i] = tn_f16_from_float(floats[i]);
    }
}
