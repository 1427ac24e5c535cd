#include "channels_last_tiles.h"

#include <string.h>

#if defined(__FMA__)
#include <immintrin.h>
#endif

typedef float vector
    __attribute__((vector_size(VECTOR_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* Rounded once where the processor can, as every library of products does. */
#if defined(__FMA__) && VECTOR_LANES == 16
#define MULTIPLY_ADD(x, y, sum) ((vector)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum)))
#elif defined(__FMA__) && VECTOR_LANES == 8
#define MULTIPLY_ADD(x, y, sum) ((vector)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#else
#define MULTIPLY_ADD(x, y, sum) ((x) * (y) + (sum))
#endif

#define ALWAYS_INLINE __attribute__((always_inline)) inline

typedef int32_t mask __attribute__((vector_size(VECTOR_LANES * sizeof(int32_t))));

static ALWAYS_INLINE vector load(const float *source, int64_t count) {
    if (count >= VECTOR_LANES) {
        return *(const vector *)source;
    }
    vector loaded = {0};
    memcpy(&loaded, source, (size_t)count * sizeof(float));
    return loaded;
}

static ALWAYS_INLINE vector choose(mask which, vector yes, vector no) {
    return (vector)((which & (mask)yes) | (~which & (mask)no));
}

/* The sums of one place for the filters from `filter` on. NaN stays NaN. */
static ALWAYS_INLINE void store(const tile_target *target, int64_t place, int64_t filter,
                                vector sums) {
    const vector zero = {0};
    const vector lowest = target->lowest + zero, highest = target->highest + zero;
    const int64_t count = target->filters - filter, offset = place * target->stride + filter;
    if (target->bias != NULL) {
        sums += load(target->bias + filter, count);
    }
    if (target->addend != NULL) {
        sums += load(target->addend + offset, count);
    }
    sums = choose(sums < lowest, lowest, sums);
    sums = choose(sums > highest, highest, sums);
    if (count >= VECTOR_LANES) {
        *(vector *)(target->output + offset) = sums;
    } else {
        memcpy(target->output + offset, &sums, (size_t)count * sizeof(float));
    }
}

/* Terms that are summed by themselves before they are added to the rest: a long sum of one term
 * after the other loses bits that some networks need. */
#define TERMS_AT_ONCE 128

/* `vectors` is a constant, 1 or 2, wherever this is put in: the sums of one run are in registers.
 */
static ALWAYS_INLINE void multiply(pixel_table pixels, int64_t taps, int64_t first, int64_t depth,
                                   const float *weights, const int vectors,
                                   const tile_target *target) {
    const vector zero = {0};
    vector low_sums[TILE_PLACES] = {{0}}, high_sums[TILE_PLACES] = {{0}};
    for (int64_t tap = 0, channel = 0; tap < taps;) {
        vector low[TILE_PLACES] = {{0}}, high[TILE_PLACES] = {{0}};
        for (int64_t rest = TERMS_AT_ONCE; rest > 0 && tap < taps;) {
            const float *const *pixel = pixels + tap * TILE_PLACES;
            const int64_t end = depth - channel < rest ? depth : channel + rest;
            rest -= end - channel;
            for (; channel < end; channel++) {
                const vector left = *(const vector *)weights;
                const vector right = *(const vector *)(weights + (vectors - 1) * VECTOR_LANES);
                for (int place = 0; place < TILE_PLACES; place++) {
                    const vector element = pixel[place][first + channel] - zero;
                    low[place] = MULTIPLY_ADD(element, left, low[place]);
                    if (vectors == 2) {
                        high[place] = MULTIPLY_ADD(element, right, high[place]);
                    }
                }
                weights += vectors * VECTOR_LANES;
            }
            if (channel == depth) {
                channel = 0;
                tap++;
            }
        }
        for (int place = 0; place < TILE_PLACES; place++) {
            low_sums[place] += low[place];
            high_sums[place] += high[place];
        }
    }
    for (int place = 0; place < TILE_PLACES && place < target->places; place++) {
        store(target, place, 0, low_sums[place]);
        if (vectors == 2) {
            store(target, place, VECTOR_LANES, high_sums[place]);
        }
    }
}

void multiply_tile(pixel_table pixels, int64_t taps, int64_t first, int64_t depth,
                   const float *weights, int64_t filters, const tile_target *target) {
    if (filters == TILE_FILTERS) {
        multiply(pixels, taps, first, depth, weights, 2, target);
    } else {
        multiply(pixels, taps, first, depth, weights, 1, target);
    }
}

void weigh_tile(pixel_table pixels, int64_t taps, int64_t first, const float *weights,
                int64_t stride, const tile_target *target) {
    vector sums[TILE_PLACES] = {{0}};
    for (int64_t tap = 0; tap < taps; tap++, pixels += TILE_PLACES, weights += stride) {
        const vector weight = *(const vector *)weights;
        for (int place = 0; place < TILE_PLACES; place++) {
            const vector elements = *(const vector *)(pixels[place] + first);
            sums[place] = MULTIPLY_ADD(weight, elements, sums[place]);
        }
    }
    for (int place = 0; place < TILE_PLACES && place < target->places; place++) {
        store(target, place, 0, sums[place]);
    }
}
