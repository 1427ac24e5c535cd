/*
 * The inner loops of convolutions of channels-last images: a few places of the output at a time,
 * for as many filters or channels as a few vectors hold. What lies under the kernel is reached by
 * a table of pointers to pixels, so that padding, steps and distances cost nothing here.
 */
#ifndef OPS_NN_CHANNELS_LAST_TILES_H
#define OPS_NN_CHANNELS_LAST_TILES_H

#include <stdint.h>

/* Elements of a vector. The plugin is built for several processors. */
#if defined(__AVX512F__)
#define VECTOR_LANES 16
#elif defined(__AVX2__)
#define VECTOR_LANES 8
#else
#define VECTOR_LANES 4
#endif

#define TILE_PLACES 6
#define TILE_FILTERS (2 * VECTOR_LANES)

/* How many filters a block has that begins where `rest` are left. */
static inline int64_t block_filters(int64_t rest) {
    return rest > VECTOR_LANES ? TILE_FILTERS : VECTOR_LANES;
}

/* For each element under the kernel, the pixels that lie under it at the places of a tile. */
typedef const float *const *pixel_table; /* TILE_PLACES for each element */

/* What becomes of a tile's sums: each is added to its bias and its addend, brought between the
 * bounds, and stored. */
typedef struct tile_target {
    float *output;       /* of the first place and filter */
    const float *addend; /* in the same order, or NULL */
    int64_t stride;      /* from one place to the next */
    const float *bias;   /* of the first filter, or NULL */
    float lowest, highest;
    int64_t places, filters; /* that there are; the rest of the tile goes nowhere */
} tile_target;

/* Sums over `taps` elements and the channels `first` to `first + depth`. The weights of a block of
 * `filters`, which block_filters gave, lie side by side for each channel of each element. */
void multiply_tile(pixel_table pixels, int64_t taps, int64_t first, int64_t depth,
                   const float *weights, int64_t filters, const tile_target *target);

/* Sums of VECTOR_LANES channels from `first` on, each by itself. The weights of an element lie
 * `stride` apart. */
void weigh_tile(pixel_table pixels, int64_t taps, int64_t first, const float *weights,
                int64_t stride, const tile_target *target);

#endif
