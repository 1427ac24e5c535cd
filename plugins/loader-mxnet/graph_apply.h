/* Makes a graph what a library's text says: nodes are known by their names. */
#ifndef LOADER_MXNET_GRAPH_APPLY_H
#define LOADER_MXNET_GRAPH_APPLY_H

#include <tenon/plugin.h>

/* A tensor for a variable that the text may name. */
struct new_parameter {
    const char *name;
    tn_tensor *tensor;
};

/* `size` bytes of JSON. A node that is there already keeps what the text does not speak of; one
 * that the text leaves out is removed. CORRUPT says what is wrong with the text. */
tn_status graph_apply(const tn_host *host, tn_graph *graph, const char *text, size_t size,
                      const struct new_parameter *parameters, uint32_t parameter_count);

#endif
