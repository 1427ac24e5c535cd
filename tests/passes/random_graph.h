/*
 * Random graphs that are valid: nodes of all registered operators that can stand alone (no
 * attribute that must be given, no state, no subgraph), and on purpose those that passes look for:
 * copies, transposes, reshapes, equal nodes, constants, BatchNorm behind a product.
 */
#ifndef TENON_TESTS_RANDOM_GRAPH_H
#define TENON_TESTS_RANDOM_GRAPH_H

#include <tenon/tenon.h>

/* A graph with one input "x" of float32 (2,3,4) and a few outputs; types are inferred. The same
 * seed gives the same graph. NULL with a message on standard error. */
tn_graph *random_graph(tn_runtime *runtime, uint32_t seed);

/* A tensor of numbers between -1 and 1, all different. */
tn_tensor *random_tensor(tn_runtime *runtime, uint32_t seed, int32_t rank, const int64_t *extents);

/* Nodes with an operator that the outputs depend on, or all of them. */
uint32_t count_nodes(const tn_graph *graph, int only_needed);

#endif
