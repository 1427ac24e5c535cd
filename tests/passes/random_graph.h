/*
 * Random graphs that are valid: nodes of all registered operators, with attributes drawn by their
 * tables, and on purpose what passes look for: copies, transposes, reshapes, equal nodes,
 * constants, chains of element-wise nodes, BatchNorm behind a product.
 */
#ifndef TENON_TESTS_RANDOM_GRAPH_H
#define TENON_TESTS_RANDOM_GRAPH_H

#include <tenon/tenon.h>

enum { RANDOM_OUTPUTS = 4 };

/* A graph with one input "x" of float32 (2,3,4), and what it gives for `input` by eager calls. */
typedef struct random_graph {
    tn_graph *graph; /* types are inferred */
    tn_tensor *input;
    tn_tensor *outputs[RANDOM_OUTPUTS];
} random_graph;

/* In a steady graph a small difference in the input makes a small difference in each value, so
 * that rounding can be told from being wrong. */
enum { GRAPH_OF_ANY, GRAPH_STEADY };

/* The same seed gives the same graph. A failure is written to standard error. */
int random_graph_create(tn_runtime *runtime, uint32_t seed, int kind, random_graph *out);
void random_graph_destroy(random_graph *made);

/* A tensor of numbers between -1 and 1, all different. */
tn_tensor *random_tensor(tn_runtime *runtime, uint32_t seed, int32_t rank, const int64_t *extents);

/* Nodes with an operator that the outputs depend on, or all of them. */
uint32_t count_nodes(const tn_graph *graph, int only_needed);

/* How many rounds a test does: TENON_TEST_ROUNDS when it is set. */
uint32_t random_rounds(uint32_t otherwise);

#endif
