/*
 * Graphs that grow by random nodes. Each value is computed as it is added, by an eager call, so
 * that what is valid is known, and so is what the graph must give.
 */
#ifndef TENON_TESTS_RANDOM_NODE_H
#define TENON_TESTS_RANDOM_NODE_H

#include "random_numbers.h"

enum { MAX_VALUES = 64, MAX_NODE_INPUTS = 12, MAX_NODE_OUTPUTS = 8 };

typedef struct known_value {
    tn_value value;
    tn_tensor *tensor;
    tn_tensor *nudged; /* when every value is a little off; NULL where nobody asks */
} known_value;

typedef struct growing_graph {
    tn_runtime *runtime;
    tn_graph *graph;
    random_numbers numbers;
    known_value values[MAX_VALUES];
    uint32_t count;
    int is_steady; /* nodes that make much of a small difference are left out */
} growing_graph;

/* Takes both counts on the tensors over. */
void add_known(growing_graph *g, tn_value value, tn_tensor *tensor, tn_tensor *nudged);

const known_value *pick(growing_graph *g);
tn_shape shape_of(const known_value *value);

/* A parameter, which is not picked by itself. */
known_value add_parameter(growing_graph *g, tn_dtype dtype, const tn_shape *shape);

/* Adds the node if it infers and runs; its visible outputs are picked from then on. Inputs that
 * are missing become parameters of the types that inference tells. Returns whether it did. */
int try_node(growing_graph *g, const char *op, const tn_option *options, uint32_t option_count,
             const known_value *inputs, uint32_t input_count);

/* Tries to add a node of this operator, with drawn attributes and inputs. */
int try_operator(growing_graph *g, const char *op);

/* Why no node of the operator will do: NULL when one may. */
const char *why_not(tn_runtime *runtime, const char *op);

#endif
