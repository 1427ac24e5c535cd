/* One node of a library's text, made a node of the graph. */
#ifndef LOADER_MXNET_APPLY_NODE_H
#define LOADER_MXNET_APPLY_NODE_H

#include <jansson.h>

#include <tenon/plugin.h>

#include "graph_apply.h"

/* A graph and the text of what it is to be, on their way to each other. */
struct application {
    const tn_host *host;
    const tn_graph_service *graphs;
    tn_graph *graph;
    const json_t *root, *nodes;
    uint32_t count;            /* nodes of the text */
    uint32_t output_count;     /* that the graph had */
    const char **output_names; /* of the nodes that made the outputs before; NULL: a variable */
    uint32_t *built;           /* the graph's number of each; TN_NO_NODE before it has one */
    char *is_kept;             /* for each node that the graph had */
    uint32_t old_count;        /* of these */
    const struct new_parameter *parameters;
    uint32_t parameter_count;
};

static inline const char *text_of(const json_t *node, const char *key) {
    return json_string_value(json_object_get(node, key));
}

static inline const json_t *inputs_of(const json_t *node) {
    return json_object_get(node, "inputs");
}

static inline int is_variable(const json_t *node) {
    return strcmp(text_of(node, "op"), "null") == 0;
}

static inline tn_status node_info(const struct application *work, uint32_t node,
                                  tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    return work->graphs->node_info(work->host, work->graph, node, out_info);
}

/* Makes node `old` what the text says, its inputs apart, where it can stay; whether it can.
 * TN_NO_NODE stands for no node. */
tn_status apply_to_node(const struct application *work, const json_t *node, uint32_t old,
                        int *out_stays);
/* A new node with the attributes of the text, and all its inputs absent. `old` is the one in whose
 * place it is, or TN_NO_NODE. */
tn_status add_node_of(const struct application *work, const json_t *node, uint32_t old,
                      uint32_t *out_node);
/* Annotations of the text onto the node; for a variable every attribute is one. */
tn_status annotate(const struct application *work, const json_t *node, uint32_t old,
                   uint32_t built);

#endif
