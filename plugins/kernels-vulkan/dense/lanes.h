/* How many invocations share a row, for shaders with lanes.glsl. */
#ifndef KERNELS_VULKAN_DENSE_LANES_H
#define KERNELS_VULKAN_DENSE_LANES_H

#include "kernels.h"

#define LANES_MOST 256u

/* A workgroup's 256 invocations do this many rows. */
static inline uint64_t lane_groups(int64_t rows, uint32_t lanes) {
    return (uint64_t)divide_up(rows, (int64_t)(LANES_MOST / lanes));
}

/* Rows of `length` elements: about four each, when they lie side by side. Elements that are apart
 * are better read row beside row, as long as a loop may be that long and there are enough rows to
 * fill a device. `passes` is how often a row is read. */
static inline uint32_t lanes_for(int64_t length, int is_contiguous, int64_t rows, int64_t passes) {
    const int64_t longest = PROGRAM_MAX_LOOPS / larger(1, passes);
    uint32_t lanes = 1;
    const int64_t each = is_contiguous || rows < 4096 ? 4 : longest;
    while (lanes < LANES_MOST && length / lanes > each) {
        lanes *= 2;
    }
    return lanes;
}

/* The longest row that lanes_for has an answer for. */
#define LANES_LONGEST(PASSES) ((int64_t)LANES_MOST * PROGRAM_MAX_LOOPS / (PASSES))

#endif
