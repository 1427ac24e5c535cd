/* Random numbers that are the same everywhere, and what is drawn with them. */
#ifndef TENON_TESTS_RANDOM_NUMBERS_H
#define TENON_TESTS_RANDOM_NUMBERS_H

#include <tenon/tenon.h>

typedef struct random_numbers {
    uint64_t state;
} random_numbers;

random_numbers random_begin(uint32_t seed);

/* From 0 on, below `below`, which is at least 1. */
uint32_t draw(random_numbers *numbers, uint32_t below);

/* A tensor of small numbers: real ones between -1 and 1, all different, or whole ones that an
 * index could be. NULL when it cannot be had. */
tn_tensor *draw_tensor(random_numbers *numbers, tn_runtime *runtime, tn_dtype dtype,
                       const tn_shape *shape);

/* A shape of one to four small extents. */
tn_shape draw_shape(random_numbers *numbers);

#endif
