#include "integer_tile.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

static inline int32_t pair_at(const int16_t *elements) {
    int32_t pair;
    memcpy(&pair, elements, sizeof pair);
    return pair;
}

#define TILE_TARGET
#define TILE_NAME multiply_plain
#define ADD_PRODUCTS(sum, a, b) ADD(sum, MULTIPLY_PAIRS(a, b))

#if defined(__AVX512BW__)

#define VECTOR __m512i
#define ZERO _mm512_setzero_si512()
#define LOAD(from) _mm512_loadu_si512(from)
#define STORE(to, value) _mm512_storeu_si512(to, value)
#define BROADCAST(from) _mm512_set1_epi32(pair_at(from))
#define ADD _mm512_add_epi32
#define MULTIPLY_PAIRS _mm512_madd_epi16

#elif defined(__AVX2__)

#define VECTOR __m256i
#define ZERO _mm256_setzero_si256()
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define STORE(to, value) _mm256_storeu_si256((__m256i *)(void *)(to), value)
#define BROADCAST(from) _mm256_set1_epi32(pair_at(from))
#define ADD _mm256_add_epi32
#define MULTIPLY_PAIRS _mm256_madd_epi16

#elif defined(__SSE2__)

#define VECTOR __m128i
#define ZERO _mm_setzero_si128()
#define LOAD(from) _mm_loadu_si128((const __m128i *)(const void *)(from))
#define STORE(to, value) _mm_storeu_si128((__m128i *)(void *)(to), value)
#define BROADCAST(from) _mm_set1_epi32(pair_at(from))
#define ADD _mm_add_epi32
#define MULTIPLY_PAIRS _mm_madd_epi16

#else /* four lanes by the compiler's vectors, whatever the processor has */

typedef int32_t lanes __attribute__((vector_size(16)));
typedef uint32_t bits __attribute__((vector_size(16)));

static inline lanes load_lanes(const int16_t *from) {
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline lanes broadcast_pair(const int16_t *from) {
    const int32_t pair = pair_at(from);
    return (lanes){pair, pair, pair, pair};
}

static inline lanes add_lanes(lanes a, lanes b) {
    return (lanes)((bits)a + (bits)b);
}

/* Each half of a lane is a signed number; the sum of two products stays within int32. */
static inline lanes multiply_pairs(lanes a, lanes b) {
    const lanes low = (lanes)((bits)a << 16) >> 16, other = (lanes)((bits)b << 16) >> 16;
    return (a >> 16) * (b >> 16) + low * other;
}

#define VECTOR lanes
#define ZERO ((lanes){0, 0, 0, 0})
#define LOAD(from) load_lanes(from)
#define STORE(to, value) memcpy(to, &value, sizeof value)
#define BROADCAST(from) broadcast_pair(from)
#define ADD add_lanes
#define MULTIPLY_PAIRS multiply_pairs

#endif

#include "integer_tile_template.h"

#if defined(__AVX512BW__)

#undef TILE_TARGET
#undef TILE_NAME
#undef ADD_PRODUCTS
#define TILE_TARGET __attribute__((target("avx512vnni")))
#define TILE_NAME multiply_vnni
#define ADD_PRODUCTS _mm512_dpwssd_epi32

#include "integer_tile_template.h"

multiply_tile *multiply_tile_select(void) {
    return __builtin_cpu_supports("avx512vnni") ? multiply_vnni : multiply_plain;
}

#else

multiply_tile *multiply_tile_select(void) {
    return multiply_plain;
}

#endif
