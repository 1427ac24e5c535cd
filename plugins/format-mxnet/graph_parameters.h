/* The parameters of a graph, from and to a list of arrays. */
#ifndef FORMAT_MXNET_GRAPH_PARAMETERS_H
#define FORMAT_MXNET_GRAPH_PARAMETERS_H

#include <tenon/plugin.h>

/* Gives the graph's variables their elements. Names are "arg:NAME", "aux:NAME" or NAME alone; an
 * array that no variable asks for is left out with a warning. `path` is for messages. */
tn_status graph_parameters_read(const tn_host *host, tn_graph *graph, const char *path,
                                const void *data, uint64_t size);

/* Writes all parameters to `path`; without any it writes no file. */
tn_status graph_parameters_write(const tn_host *host, const tn_graph *graph, const char *path);

#endif
