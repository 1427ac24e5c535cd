/* Elements that are known before a run: of parameters, of inputs that are given with them, and of
 * what follows from those and from types. Inference reads them where an operator says so. */
#ifndef TENON_GRAPH_VALUES_H
#define TENON_GRAPH_VALUES_H

#include "graph/graph.h"

/* Finds which values inference would read the elements of: `out_wanted`, by node, in `arena`. */
tn_status tni_values_find_wanted(const tn_graph *graph, const uint32_t *order, uint32_t count,
                                 tni_arena *arena, unsigned char **out_wanted);

/* Begins with the elements of variables that are given (by node number; NULL: none). */
tn_status tni_values_begin(tn_graph *graph, tn_tensor *const *given);

/* Runs the node once if its outputs' types and all that it reads are known. */
tn_status tni_values_compute(tn_graph *graph, uint32_t number, bool *out_computed);

/* The elements of a value, borrowed, or NULL. */
tn_tensor *tni_values_find(const tn_graph *graph, tn_value value);

void tni_values_drop(tn_graph *graph);

#endif
