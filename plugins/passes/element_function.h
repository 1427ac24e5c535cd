/* Which operators compute each element by itself, and how fused_elementwise names what they do. */
#ifndef PASSES_ELEMENT_FUNCTION_H
#define PASSES_ELEMENT_FUNCTION_H

#include "work.h"

/* How many numbers an operator brings along at most. */
#define ELEMENT_NUMBERS 2

typedef struct element_function {
    const char *name; /* as tenon/plugin/elementwise.h has it */
    uint32_t value_count;
    int is_stretched; /* two values of different shapes are stretched to one */
    int number_first; /* a number is the first of two operands */
    uint32_t number_count;
    const char *numbers[ELEMENT_NUMBERS]; /* as texts; live until the graph changes */
} element_function;

/* Returns 0 for a node that is none of these. */
int find_element_function(const tn_node_info *info, element_function *out);

#endif
