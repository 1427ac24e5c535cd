/*
 * Elements of float16, which the library does not compute with on processors: an item converts what
 * it reads, and what it gives, in memory of its own.
 */
#ifndef ONEDNN_HALF_H
#define ONEDNN_HALF_H

#include <stdint.h>

void floats_from_halves(const uint16_t *halves, int64_t count, float *floats);
void halves_from_floats(const float *floats, int64_t count, uint16_t *halves);

#endif
