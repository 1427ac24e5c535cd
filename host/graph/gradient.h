/* Reverse-mode differentiation of one graph, and of the graphs that its nodes stand for. */
#ifndef TENON_GRAPH_GRADIENT_H
#define TENON_GRAPH_GRADIENT_H

#include "graph/graph.h"

/* A graph inside a node that has got further outputs, and what it was before. */
typedef struct tni_replaced_subgraph {
    tn_graph *subgraph, *before;
} tni_replaced_subgraph;

typedef struct tni_backward {
    tn_graph *graph;
    const uint32_t *order; /* the forward nodes only */
    uint32_t count;
    uint32_t forward_nodes;
    tn_value **gradients;      /* by forward node, by output; TN_NO_NODE: nothing flowed yet */
    unsigned char *is_reached; /* by forward node: depends on a variable asked for */
    tni_replaced_subgraph *replaced;
    uint32_t replaced_count, replaced_capacity;
    tni_arena arena;
} tni_backward;

/* Adds to the graph what computes the gradients of the variables, from those of its outputs
 * (TN_NO_NODE: that output takes no part; NULL: ones). On failure the graph is as before. */
tn_status tni_backward_run(tn_graph *graph, const tn_value *output_gradients,
                           const uint32_t *variables, uint32_t count, tn_value *out_gradients);

/* The gradients of the inputs of a node that stands for a subgraph; TN_NO_NODE where none flows. */
tn_status tni_backward_through(tni_backward *work, uint32_t number, tn_value *out_results);

#endif
