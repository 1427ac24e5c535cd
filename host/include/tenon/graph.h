/*
 * Graphs: nodes with operators, variables, parameters, outputs. Built by hand, read from a model
 * file, looked at, verified, written.
 *
 * Nodes are numbered from 0 in the order they were added. A *variable* is a node without an
 * operator: an input, or with a tensor bound to it a parameter, or where some operator changes it
 * an auxiliary state. All functions are [serial] by graph.
 */
#ifndef TENON_GRAPH_H
#define TENON_GRAPH_H

#include <tenon/plugin/host.h>
#include <tenon/plugin/kernel.h>
#include <tenon/plugin/operator.h>
#include <tenon/runtime.h>

TN_API tn_status tn_graph_create(tn_runtime *runtime, tn_graph **out_graph);
TN_API void tn_graph_destroy(tn_graph *graph);

/* Reads a model through the format plugin that recognises the file; Tenon's own JSON needs none.
 * `format` (may be NULL) names one; `options` are that format's. */
TN_API tn_status tn_graph_read(tn_runtime *runtime, const char *path, const char *format,
                               const tn_option *options, uint32_t option_count,
                               tn_graph **out_graph);

/* Writes a model; the format follows from the name's ending, or is `format`. A name that ends in
 * ".json" and belongs to no other format is Tenon's own JSON. */
TN_API tn_status tn_graph_write(const tn_graph *graph, const char *path, const char *format,
                                const tn_option *options, uint32_t option_count);

/* Tenon's own JSON (docs/formats.md), without parameters' elements. Reading what was written and
 * writing it again gives the same bytes. The text is freed with tn_text_free. */
TN_API tn_status tn_graph_to_json(const tn_graph *graph, char **out_text);
TN_API tn_status tn_graph_from_json(tn_runtime *runtime, const char *text, size_t size,
                                    tn_graph **out_graph);
TN_API void tn_text_free(char *text);

/* Building. As the functions of the same names in tn_graph_service (tenon/plugin/host.h). */
TN_API tn_status tn_graph_add_variable(tn_graph *graph, const char *name,
                                       const tn_tensor_type *type, uint32_t *out_node);
TN_API tn_status tn_graph_add_node(tn_graph *graph, const char *op, const char *name,
                                   const tn_option *attributes, uint32_t attribute_count,
                                   const tn_value *inputs, uint32_t input_count,
                                   uint32_t *out_node);
TN_API tn_status tn_graph_complete_inputs(tn_graph *graph, uint32_t node);
TN_API tn_status tn_graph_add_control(tn_graph *graph, uint32_t node, uint32_t before);
TN_API tn_status tn_graph_annotate(tn_graph *graph, uint32_t node, const char *name,
                                   const char *value);
TN_API tn_status tn_graph_add_subgraph(tn_graph *graph, uint32_t node, tn_graph **out_subgraph);
TN_API tn_status tn_graph_set_outputs(tn_graph *graph, const tn_value *outputs, uint32_t count);
TN_API tn_status tn_graph_name_output(tn_graph *graph, uint32_t index, const char *name);
TN_API tn_status tn_graph_set_parameter(tn_graph *graph, const char *name, tn_tensor *tensor);

/* Changing. As in tn_graph_service: a node that is removed leaves a hole, so that the others keep
 * their numbers; tn_graph_node of it is TN_NOT_FOUND. tn_graph_compact closes the holes and numbers
 * the nodes anew. Sessions and model files take a graph with holes as if it had none. */
TN_API tn_status tn_graph_replace_uses(tn_graph *graph, tn_value from, tn_value to);
TN_API tn_status tn_graph_set_input(tn_graph *graph, uint32_t node, uint32_t input, tn_value value);
TN_API tn_status tn_graph_remove_node(tn_graph *graph, uint32_t node);
TN_API tn_status tn_graph_set_attribute(tn_graph *graph, uint32_t node, const char *name,
                                        const char *value);
TN_API tn_status tn_graph_rename(tn_graph *graph, uint32_t node, const char *name);
TN_API tn_status tn_graph_add_parameter(tn_graph *graph, const char *name, tn_tensor *tensor,
                                        uint32_t *out_node);
TN_API tn_status tn_graph_set_variable(tn_graph *graph, uint32_t node, const tn_tensor_type *type,
                                       tn_tensor *tensor);
TN_API tn_status tn_graph_compact(tn_graph *graph);

/* Looking. */
TN_API tn_status tn_graph_uses(const tn_graph *graph, uint32_t node, const tn_use **out_uses,
                               uint32_t *out_count);
TN_API uint32_t tn_graph_node_count(const tn_graph *graph);
TN_API tn_status tn_graph_node(const tn_graph *graph, uint32_t node, tn_node_info *out_info);
TN_API uint32_t tn_graph_find_node(const tn_graph *graph, const char *name);
TN_API const char *tn_graph_input_name(const tn_graph *graph, uint32_t node, uint32_t input);
TN_API int32_t tn_graph_input_is_mutated(const tn_graph *graph, uint32_t node, uint32_t input);
TN_API const tn_value *tn_graph_outputs(const tn_graph *graph, uint32_t *out_count);
/* "conv0" for the only output of a variable, "conv0_output" for a node's; with several outputs
 * "split0_output2". Lives until the next call on this thread. */
TN_API const char *tn_graph_value_name(const tn_graph *graph, tn_value value);
/* What sessions and files call an output: the name it was given, or else its value's. Lives until
 * the next call on this thread, or until the graph changes. */
TN_API const char *tn_graph_output_name(const tn_graph *graph, uint32_t index);
TN_API tn_tensor *tn_graph_parameter(const tn_graph *graph, uint32_t node);

/* TN_VARIABLE_… (tenon/plugin/host.h): what a variable is. */
TN_API uint32_t tn_graph_variable_kind(const tn_graph *graph, uint32_t node);

/* The nodes that the outputs depend on, each after those it depends on; `out_count` receives how
 * many. Lives until the graph changes. NULL with an error text when there is a cycle. */
TN_API const uint32_t *tn_graph_order(const tn_graph *graph, uint32_t *out_count);

/* Checks the structure: inputs complete, no cycles, outputs set, subgraphs likewise.
 * Names the first thing that is wrong. */
TN_API tn_status tn_graph_verify(const tn_graph *graph);

/* Inference to a fixed point, in both directions, from what variables know, from the parameters'
 * tensors, and from `inputs` (by name; may be NULL). The result stays with the graph until it
 * changes. Types that stay unknown are no failure: see tn_graph_type. A contradiction is, and names
 * the node. */
typedef struct tn_named_type {
    const char *name;
    tn_tensor_type type;
} tn_named_type;

TN_API tn_status tn_graph_infer(tn_graph *graph, const tn_named_type *inputs, uint32_t input_count);
TN_API tn_status tn_graph_type(const tn_graph *graph, tn_value value, tn_tensor_type *out_type);

/* Adds nodes that compute the gradient of the sum of the graph's outputs with respect to
 * `variables`, and writes which values hold it (node TN_NO_NODE: it is zero). UNSUPPORTED names an
 * operator on the way that has no gradient. */
TN_API tn_status tn_graph_add_gradient(tn_graph *graph, const uint32_t *variables, uint32_t count,
                                       tn_value *out_gradients);

/* Operators. */
TN_API uint32_t tn_op_count(const tn_runtime *runtime);
/* Names in alphabetical order; live as long as their plugins. */
TN_API const char *tn_op_name(const tn_runtime *runtime, uint32_t index);
/* NULL when there is none. Lives as long as its plugin; `out_plugin` (may be NULL) is its name. */
TN_API const tn_op *tn_op_find(const tn_runtime *runtime, const char *name,
                               const char **out_plugin);
/* The kernels of an operator: names and targets, "dot.cpu" "cpu"; how many there are. */
TN_API uint32_t tn_op_kernel_count(const tn_runtime *runtime, const char *op);
TN_API tn_status tn_op_kernel(const tn_runtime *runtime, const char *op, uint32_t index,
                              const char **out_name, const tn_kernel **out_kernel);

#endif
