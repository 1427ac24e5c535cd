/*
 * Writing models: nodes of Tenon's operators as nodes of ONNX's, of operator set 17. For the files
 * write_*.c: what they see of one node, and how they build.
 */
#ifndef FORMAT_ONNX_WRITER_H
#define FORMAT_ONNX_WRITER_H

#include "bytes.h"

enum { ONNX_NAME_SIZE = 600 };

struct onnx_writer {
    const tn_host *host;
    const tn_graph *graph;
    struct bytes_out nodes; /* of the GraphProto, as fields */
};

/* The node that is being written. */
struct written_node {
    struct onnx_writer *writer;
    const tn_node_info *info;
    const struct write_rule *rule;
    uint32_t number;
    uint32_t made; /* values in between so far */
};

struct write_rule {
    const char *op;
    tn_status (*write)(struct written_node *node);
    const char *target; /* the ONNX operator, for those that only have another name */
};

/* The rule for an operator, or NULL. */
const struct write_rule *find_write_rule(const char *op);

#define write_fail(node, status, ...) (write_error(node, status, __VA_ARGS__), (tn_status)(status))
TN_PRINTF_(3, 4)
void write_error(const struct written_node *node, tn_status status, const char *format, ...);

/* The node's attributes by a table, as the operator has them (those that the table lacks are
 * ignored). `out` is a struct of `size` bytes; release with release_attributes. */
tn_status parse_attributes(const struct written_node *node, const tn_attribute *table,
                           uint32_t count, void *out, uint64_t size);
void release_attributes(const struct written_node *node, const tn_attribute *table, uint32_t count,
                        void *out);

/* What follows for a value from the graph alone. */
tn_tensor_type known_type(const struct onnx_writer *writer, tn_value value);

/* What the graph calls its output number `index`, unless something else is called so: then "". */
const char *output_name(const struct onnx_writer *writer, uint32_t index);

/* Names of values, those of the graph's outputs as the graph has them: of an input, of an output,
 * of one in between. */
const char *input_value(const struct written_node *node, uint32_t input, char *name);
const char *output_value(const struct written_node *node, uint32_t output, char *name);
const char *between_value(struct written_node *node, char *name);
const char *value_name(const struct onnx_writer *writer, tn_value value, char *name);

/* An ONNX node: begin, attributes, end. `inputs` ends with NULL; "" is an absent one. */
struct bytes_out begin_node(const struct written_node *node, const char *op,
                            const char *const *inputs, const char *output);
void add_output(struct bytes_out *made, const char *output);
void attribute_int(struct bytes_out *made, const char *name, int64_t value);
void attribute_float(struct bytes_out *made, const char *name, double value);
void attribute_text(struct bytes_out *made, const char *name, const char *value);
void attribute_ints(struct bytes_out *made, const char *name, const int64_t *values,
                    uint32_t count);
void end_node(struct written_node *node, struct bytes_out *made);

/* A node without attributes. */
void write_plain(struct written_node *node, const char *op, const char *const *inputs,
                 const char *output);
/* These elements; a vector of int64; or a number of the dtype of the value `like`, as a value in
 * between. */
const char *constant_view(struct written_node *node, const tn_view *view, char *name);
const char *constant_ints(struct written_node *node, const int64_t *values, uint32_t count,
                          char *name);
const char *constant_like(struct written_node *node, double value, tn_value like, char *name);

/* A TensorProto. */
struct bytes_out tensor_message(const tn_host *host, const char *name, const tn_view *view);

tn_status onnx_write_model(const tn_host *host, const tn_graph *graph, const char *path);

#endif
