/* What the parts of the importer share: the model, and the scope that is being built. */
#ifndef FORMAT_ONNX_READER_H
#define FORMAT_ONNX_READER_H

#include <onnx.pb-c.h>

#include "name_map.h"

/* The whole file. */
struct onnx_reader {
    const tn_host *host;
    const Onnx__ModelProto *model;
    const char *path; /* of the file; NULL: the bytes came from memory */
    uint32_t depth;   /* of functions and graphs inside each other */
};

/* A graph, or a function's body, whose nodes are being added to `graph`. */
struct onnx_scope {
    struct onnx_reader *reader;
    tn_graph *graph;
    struct name_map values; /* by the names of this scope */
    const char *path;       /* "graph", "graph.node[3].attribute[0].g", "functions[0]" */
    Onnx__OperatorSetIdProto *const *opset_import;
    size_t opset_import_count;
    /* A function's body: the node that calls it, in whose scope its attributes are, and the names
     * of the function's nodes begin with this. */
    const struct onnx_node *caller;
    const Onnx__FunctionProto *function;
    const char *name_prefix; /* "" for a graph */
};

void onnx_scope_finish(struct onnx_scope *scope);

/* The version of a domain's operators in this scope, or 0 when the model does not import it. */
int64_t onnx_scope_version(const struct onnx_scope *scope, const char *domain);

/* Adds all nodes of a list to the scope's graph. */
tn_status onnx_read_nodes(struct onnx_scope *scope, Onnx__NodeProto *const *nodes, size_t count);

/* The value that a name stands for; `where` begins the message. */
tn_status onnx_scope_find(const struct onnx_scope *scope, const char *where, const char *name,
                          tn_value *out_value);

/* A name for a node or variable of the graph that is free: `wanted`, or with a number behind. */
const char *onnx_free_name(const struct onnx_scope *scope, const char *wanted, char *buffer,
                           size_t size);

/* A variable with these elements. */
tn_status onnx_add_parameter(struct onnx_scope *scope, const char *wanted_name, tn_tensor *tensor,
                             tn_value *out_value);

/* The elements of a value when it is a constant of the graph, else NULL. */
const tn_view *onnx_value_view(const struct onnx_scope *scope, tn_value value);

/* What graphs inside a node take from the scope around them. */
struct onnx_captures {
    uint32_t count;
    const char **names; /* borrowed texts; the list is freed by onnx_captures_finish */
    tn_value *values;   /* in the scope around */
};

/* Of all graphs among the node's attributes, each name once. */
tn_status onnx_find_captures(const struct onnx_scope *scope, const char *path,
                             const Onnx__NodeProto *node, struct onnx_captures *captures);
void onnx_captures_finish(const tn_host *host, struct onnx_captures *captures);

/* Reads a graph into `graph`: its inputs become variables, then, of what it captures from `outer`,
 * whatever is not a constant there, in their order. `outer` is NULL for the model's graph. */
tn_status onnx_read_graph(struct onnx_reader *reader, const Onnx__GraphProto *proto,
                          const char *path, const struct onnx_scope *outer,
                          const struct onnx_captures *captures, tn_graph *graph);

/* The function that serves an operator, or NULL. */
const Onnx__FunctionProto *onnx_find_function(const struct onnx_reader *reader, const char *domain,
                                              const char *name, uint32_t *out_index);
/* Adds the function's body in place of the node. */
tn_status onnx_inline_function(struct onnx_node *node, const Onnx__FunctionProto *function,
                               uint32_t index);

/* One model, checked, into an empty graph. `path` may be NULL. */
tn_status onnx_read_model(const tn_host *host, const Onnx__ModelProto *model, const char *path,
                          tn_graph *graph);

#endif
