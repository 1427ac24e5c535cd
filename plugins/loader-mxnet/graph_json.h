/*
 * Graphs as extension libraries read and write them: MXNet's symbol JSON, with the restrictions of
 * the small parser that is compiled into every library.
 */
#ifndef LOADER_MXNET_GRAPH_JSON_H
#define LOADER_MXNET_GRAPH_JSON_H

#include <tenon/plugin.h>

/* A graph's text, and which node of the graph each entry of its list stands for. */
struct graph_json {
    char *text;
    uint32_t *nodes; /* the graph's number of each node in the text */
    uint32_t node_count;
};

/* `version` is the library's. UNSUPPORTED for texts that the library cannot read. On success it
 * must be destroyed. */
tn_status graph_json_write(const tn_host *host, const tn_graph *graph, int version,
                           struct graph_json *out_json);
/* The same for a graph that a node stands for. Libraries take the node's inputs for the variables
 * in the order of the text, so that these come first, all of them, in the graph's order. */
tn_status graph_json_write_subgraph(const tn_host *host, const tn_graph *subgraph, int version,
                                    struct graph_json *out_json);
void graph_json_destroy(const tn_host *host, struct graph_json *json);

/* How long the object at `text` is, found by its braces, as libraries of version 7 end it with
 * nothing: 0 when it does not end within `limit`. */
size_t graph_json_length(const char *text, size_t limit);

#endif
