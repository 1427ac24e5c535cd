/* A graph's parameters as the named arrays that libraries are given. */
#ifndef LOADER_MXNET_GRAPH_ARRAYS_H
#define LOADER_MXNET_GRAPH_ARRAYS_H

#include <tenon/plugin.h>

#include "calls.h"

/* Arguments and auxiliary states. Names and elements stay the graph's. */
struct graph_arrays {
    struct call_arrays arguments, auxiliaries;
    void *memory;
};

tn_status graph_arrays_create(const tn_host *host, const tn_graph *graph,
                              struct graph_arrays *out_arrays);
void graph_arrays_destroy(const tn_host *host, struct graph_arrays *arrays);

#endif
