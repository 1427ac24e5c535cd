/* What the table of a graph and its drawing share. */
#ifndef TENON_CLI_GRAPH_TEXT_H
#define TENON_CLI_GRAPH_TEXT_H

#include "command.h"

/* Elements of the parameters that go straight into the node. */
uint64_t cli_parameter_count(const tn_graph *graph, const tn_node_info *node);

/* "float32 (1,3)", or nothing. */
void cli_print_type(FILE *file, const tn_graph *graph, tn_value value);

/* In Graphviz's language. */
int cli_print_dot(const tn_runtime *runtime, FILE *file, const tn_graph *graph);

#endif
