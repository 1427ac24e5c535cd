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
#define WIDEN(from) _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#define UP(value) _mm512_slli_epi32(value, 16)
#define OR _mm512_or_si512
#define TURN _mm512_xor_si512
#define SUBTRACT _mm512_sub_epi16
#define ADD _mm512_add_epi32
#define MULTIPLY_PAIRS _mm512_madd_epi16

#elif defined(__AVX2__)

#define VECTOR __m256i
#define ZERO _mm256_setzero_si256()
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define STORE(to, value) _mm256_storeu_si256((__m256i *)(void *)(to), value)
#define BROADCAST(from) _mm256_set1_epi32(pair_at(from))
#define WIDEN(from) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(from)))
#define UP(value) _mm256_slli_epi32(value, 16)
#define OR _mm256_or_si256
#define TURN _mm256_xor_si256
#define SUBTRACT _mm256_sub_epi16
#define ADD _mm256_add_epi32
#define MULTIPLY_PAIRS _mm256_madd_epi16

#elif defined(__SSE2__)

static inline __m128i widen_bytes(const uint8_t *from) {
    int32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    const __m128i zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero), zero);
}

#define VECTOR __m128i
#define ZERO _mm_setzero_si128()
#define LOAD(from) _mm_loadu_si128((const __m128i *)(const void *)(from))
#define STORE(to, value) _mm_storeu_si128((__m128i *)(void *)(to), value)
#define BROADCAST(from) _mm_set1_epi32(pair_at(from))
#define WIDEN(from) widen_bytes(from)
#define UP(value) _mm_slli_epi32(value, 16)
#define OR _mm_or_si128
#define TURN _mm_xor_si128
#define SUBTRACT _mm_sub_epi16
#define ADD _mm_add_epi32
#define MULTIPLY_PAIRS _mm_madd_epi16

#else /* four lanes by the compiler's vectors, whatever the processor has */

typedef int32_t lanes __attribute__((vector_size(16)));
typedef uint32_t bits __attribute__((vector_size(16)));
typedef uint16_t halves __attribute__((vector_size(16)));

static inline lanes load_lanes(const int16_t *from) {
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline lanes broadcast_pair(const int16_t *from) {
    const int32_t pair = pair_at(from);
    return (lanes){pair, pair, pair, pair};
}

static inline lanes widen_bytes(const uint8_t *from) {
    return (lanes){from[0], from[1], from[2], from[3]};
}

static inline lanes or_lanes(lanes a, lanes b) {
    return a | b;
}

static inline lanes turn_lanes(lanes a, lanes b) {
    return a ^ b;
}

static inline lanes subtract_halves(lanes a, lanes b) {
    return (lanes)((halves)a - (halves)b);
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
#define WIDEN(from) widen_bytes(from)
#define UP(value) (lanes)((bits)(value) << 16)
#define OR or_lanes
#define TURN turn_lanes
#define SUBTRACT subtract_halves
#define ADD add_lanes
#define MULTIPLY_PAIRS multiply_pairs

#endif

static inline VECTOR pack_pairs(const uint8_t *even, const uint8_t *odd, VECTOR turned,
                                VECTOR zeros) {
    return SUBTRACT(TURN(OR(WIDEN(even), UP(WIDEN(odd))), turned), zeros);
}

void interleave_rows(int64_t pairs, const uint8_t *rows, int64_t stride, uint8_t turned,
                     const int16_t *zeros, int16_t *panel) {
    const int16_t turned_pair[] = {turned, turned};
    const VECTOR all_turned = BROADCAST(turned_pair);
    const VECTOR left_zeros = LOAD(zeros), right_zeros = LOAD(zeros + TILE_COLUMNS);
    for (int64_t pair = 0; pair < pairs; pair++) {
        const uint8_t *even = rows + 2 * pair * stride, *odd = even + stride;
        const VECTOR left = pack_pairs(even, odd, all_turned, left_zeros);
        const VECTOR right =
            pack_pairs(even + TILE_COLUMNS / 2, odd + TILE_COLUMNS / 2, all_turned, right_zeros);
        STORE(panel, left);
        STORE(panel + TILE_COLUMNS, right);
        panel += 2 * TILE_COLUMNS;
    }
}

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
