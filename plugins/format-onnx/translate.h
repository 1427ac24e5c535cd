/*
 * For the files map_*.c: what a translation sees of one ONNX node, and how it builds what the node
 * stands for. A translation gives every output of the node a value (onnx_set_output) and reads
 * every attribute that the operator has; attributes that nobody read are an error of the model.
 */
#ifndef FORMAT_ONNX_TRANSLATE_H
#define FORMAT_ONNX_TRANSLATE_H

#include "reader.h"

/* The node that is being translated. */
struct onnx_node {
    const tn_host *host;
    struct onnx_scope *scope;
    const Onnx__NodeProto *proto;
    const struct onnx_mapping *mapping;
    const char *path;       /* "graph.node[3]" */
    const char *name;       /* what the nodes made of it are called after */
    int64_t version;        /* of the operator set in force */
    unsigned char *is_read; /* by attribute */
};

/* A row of a family's table. Of the rows of one operator that with the highest `since` up to the
 * operator set in force counts, so that each range of versions can have a row of its own. */
struct onnx_mapping {
    const char *op;
    int64_t since;
    tn_status (*translate)(struct onnx_node *node);
    const char *target;   /* for onnx_same: the operator; NULL: "onnx." and the name */
    uint32_t input_count; /* for onnx_same: optional inputs at the end up to here are absent */
};

/* The node as it is: inputs and outputs in their order, attributes by their names (int, float,
 * string and lists as texts; element types of the attributes `to` and `dtype` by Tenon's names). */
tn_status onnx_same(struct onnx_node *node);

/* Inputs. */
uint32_t onnx_input_count(const struct onnx_node *node);
/* False for an input that is left out, at the end or by an empty name. */
int onnx_has_input(const struct onnx_node *node, uint32_t index);
/* INVALID_ARGUMENT when it is left out. */
tn_status onnx_input(const struct onnx_node *node, uint32_t index, tn_value *out_value);
/* The same, and TN_NO_NODE when it is left out. */
tn_status onnx_optional_input(const struct onnx_node *node, uint32_t index, tn_value *out_value);
/* All inputs in their order; memory for them is the caller's. */
tn_status onnx_inputs(const struct onnx_node *node, tn_value *values, uint32_t count);
/* The elements when the input is a constant of the model; NULL when it is not, or left out. */
const tn_view *onnx_constant(const struct onnx_node *node, uint32_t index);
/* The constant input as int64 numbers (from int32 or int64); up to `capacity`. Sets `out_known` to
 * 0 when it is not a constant. */
tn_status onnx_constant_ints(const struct onnx_node *node, uint32_t index, int64_t *values,
                             uint32_t capacity, uint32_t *out_count, int *out_known);

/* Attributes: each with the type that it must have. A wrong type is INVALID_ARGUMENT with the
 * attribute's path. Those that are not there leave `out` at what it is given as `absent`. */
int onnx_has_attribute(const struct onnx_node *node, const char *name);
tn_status onnx_int(struct onnx_node *node, const char *name, int64_t absent, int64_t *out);
tn_status onnx_float(struct onnx_node *node, const char *name, double absent, double *out);
/* Into `buffer`; a longer text is INVALID_ARGUMENT. */
tn_status onnx_text(struct onnx_node *node, const char *name, const char *absent, char *buffer,
                    size_t size);
/* One text or a list of them, as elements of a TN_STRING tensor; to be freed by tn_free. */
tn_status onnx_strings(struct onnx_node *node, const char *name, const char ***out_strings,
                       uint32_t *out_count);
/* NULL and 0 when absent. */
tn_status onnx_ints(struct onnx_node *node, const char *name, const int64_t **out_values,
                    uint32_t *out_count);
tn_status onnx_floats(struct onnx_node *node, const char *name, const float **out_values,
                      uint32_t *out_count);
/* NULL when absent; otherwise the caller has a count. */
tn_status onnx_attribute_tensor(struct onnx_node *node, const char *name, tn_tensor **out_tensor);
tn_status onnx_attribute_sparse_tensor(struct onnx_node *node, const char *name,
                                       tn_tensor **out_tensor);
void onnx_release_tensor(const struct onnx_node *node, tn_tensor *tensor);
/* The graph of an attribute: required. */
tn_status onnx_attribute_graph(struct onnx_node *node, const char *name,
                               const Onnx__GraphProto **out_graph, char *path, size_t path_size);
/* An element type as a number (Cast's `to`): required to be one that Tenon has; 0 when absent. */
tn_status onnx_dtype(struct onnx_node *node, const char *name, tn_dtype *out);
/* An attribute that means nothing to inference. */
void onnx_ignore(struct onnx_node *node, const char *name);

/* Attributes of the node to be made. */
enum { ONNX_MAX_OPTIONS = 24 };

struct onnx_options {
    const tn_host *host;
    uint32_t count;
    tn_option items[ONNX_MAX_OPTIONS];
    char *texts[ONNX_MAX_OPTIONS]; /* owned */
    tn_status status;              /* of the first addition that failed */
};

/* Additions keep a failure for onnx_add_node, so that they need no check of their own. */
struct onnx_options onnx_options(const struct onnx_node *node);
void onnx_option_int(struct onnx_options *options, const char *name, int64_t value);
void onnx_option_float(struct onnx_options *options, const char *name, double value);
void onnx_option_text(struct onnx_options *options, const char *name, const char *value);
void onnx_option_ints(struct onnx_options *options, const char *name, const int64_t *values,
                      uint32_t count);
void onnx_option_floats(struct onnx_options *options, const char *name, const float *values,
                        uint32_t count);

/* All attributes that were not read yet, by their own names. */
tn_status onnx_copy_attributes(struct onnx_node *node, struct onnx_options *options);
void onnx_options_finish(struct onnx_options *options);

/* Adds a node of a Tenon operator and takes the options over: they are freed, also on failure.
 * `options` may be NULL. The first node of a translation has the ONNX node's name. */
tn_status onnx_add_node(struct onnx_node *node, const char *op, struct onnx_options *options,
                        const tn_value *inputs, uint32_t input_count, uint32_t *out_number);
/* The same for its output 0. */
tn_status onnx_add(struct onnx_node *node, const char *op, struct onnx_options *options,
                   const tn_value *inputs, uint32_t input_count, tn_value *out_value);
/* A constant that the translation makes. */
tn_status onnx_add_constant(struct onnx_node *node, tn_dtype dtype, int32_t rank,
                            const int64_t *extents, const void *elements, tn_value *out_value);

uint32_t onnx_output_count(const struct onnx_node *node);
/* Whether something may read the output: it has a name. */
int onnx_has_output(const struct onnx_node *node, uint32_t index);
/* What the node's output `index` is from now on; more outputs than the node has are ignored. */
tn_status onnx_set_output(struct onnx_node *node, uint32_t index, tn_value value);
/* Adds a node and makes its output 0 the node's only output. */
tn_status onnx_finish(struct onnx_node *node, const char *op, struct onnx_options *options,
                      const tn_value *inputs, uint32_t input_count);

/* `onnx_fail(node, TN_UNSUPPORTED, "text", …)`: with the node's path, operator and name. */
#define onnx_fail(node, status, ...)                                                               \
    (onnx_set_error(node, status, __VA_ARGS__), (tn_status)(status))
TN_PRINTF_(3, 4)
void onnx_set_error(const struct onnx_node *node, tn_status status, const char *format, ...);

#endif
