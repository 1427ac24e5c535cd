/*
 * Filling memory with one element, and the element that a number makes in a dtype.
 */
#ifndef OPS_SHAPE_FILL_H
#define OPS_SHAPE_FILL_H

#include <tenon/plugin.h>

/* Writes `count` copies of the element of `size` bytes (1, 2, 4 or 8). */
void fill_elements(const tn_host *host, void *target, int64_t count, const void *element,
                   size_t size);

/* Writes `value` as one element. Integers take the part before the point, modulo their width. */
void element_from_double(tn_dtype dtype, double value, void *element);

/* The same for a whole number. */
void element_from_integer(tn_dtype dtype, int64_t value, void *element);

/* The nearest int64 towards zero; beyond the range its end, and the lowest one for NaN. */
int64_t integer_from_double(double value);

#endif
