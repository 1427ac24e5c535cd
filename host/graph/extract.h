/* Parts of a graph as graphs of their own. */
#ifndef TENON_GRAPH_EXTRACT_H
#define TENON_GRAPH_EXTRACT_H

#include "graph/graph.h"

/* A part: what it reads from outside are variables, in the order of `borders`. */
typedef struct tni_part {
    tn_graph *graph;
    tn_value *borders;   /* of the source; in an arena of the caller's */
    uint32_t *variables; /* their numbers in `graph` */
    uint32_t border_count;
} tni_part;

/* A graph of the nodes with `is_in` (by number) and the given outputs, all values of the source.
 * Parameters, and what is known ahead of values (values.h), come along as parameters. Types come
 * along where they are known. */
tn_status tni_graph_extract(const tn_graph *source, const unsigned char *is_in,
                            const tn_value *outputs, uint32_t output_count, tni_holder holder,
                            tni_arena *arena, tni_part *out_part);

/* As tn_graph_add_node of the same operator and attributes, with subgraphs and annotations; all
 * inputs are absent. */
tn_status tni_graph_copy_node(const tni_node *source, tn_graph *graph, uint32_t *out_number);

#endif
