/* Attributes of an operator, drawn by its table: types, choices, ranges and defaults. */
#ifndef TENON_TESTS_RANDOM_ATTRIBUTES_H
#define TENON_TESTS_RANDOM_ATTRIBUTES_H

#include "random_numbers.h"

enum { MAX_OPTIONS = 24, OPTION_SIZE = 64 };

typedef struct random_attributes {
    tn_option options[MAX_OPTIONS];
    uint32_t count;
    char texts[MAX_OPTIONS][OPTION_SIZE];
} random_attributes;

/* Draws those that must be given and some of the others. Lists are of the shapes that operators
 * ask for: as long as `shape` has axes, a permutation of them, a shape. Returns 0 when the table
 * asks for something that cannot be made up. */
int draw_attributes(random_numbers *numbers, const tn_op *op, const tn_shape *shape,
                    random_attributes *out);

#endif
