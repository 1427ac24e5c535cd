/*
 * Adding the nodes of a gradient. The first failure is kept and the nodes after it are left out, so
 * that a gradient can be written down as the formula it is.
 */
#ifndef OPS_NN_GRADIENT_GRAPH_H
#define OPS_NN_GRADIENT_GRAPH_H

#include <tenon/plugin.h>

typedef struct gradient_graph {
    const tn_gradient_call *call;
    const tn_graph_service *service;
    tn_status status; /* of all nodes so far */
} gradient_graph;

static inline gradient_graph gradient_graph_begin(const tn_gradient_call *call) {
    gradient_graph graph = {call, TN_SERVICE(call->host, graph), TN_OK};
    if (graph.service == NULL) {
        graph.status = tn_fail(call->host, TN_UNAVAILABLE, "the host has no service graph/1");
    }
    return graph;
}

/* The first output of a new node. */
static inline tn_value gradient_node(gradient_graph *graph, const char *op,
                                     const tn_option *attributes, uint32_t attribute_count,
                                     const tn_value *inputs, uint32_t input_count) {
    tn_value value = {TN_NO_NODE, 0};
    if (graph->status == TN_OK) {
        graph->status =
            graph->service->add_node(graph->call->host, graph->call->graph, op, NULL, attributes,
                                     attribute_count, inputs, input_count, &value.node);
    }
    return value;
}

#endif
