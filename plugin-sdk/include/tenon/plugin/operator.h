/*
 * Kind "op", version 1: what an operator means. Its inputs, outputs and attributes, inference of
 * types in both directions, and its gradient. Nothing here computes with elements: that is a
 * kernel's part (kernel.h). The entry's name is the operator's name.
 *
 * All functions of an operator are pure: they depend on their arguments alone, may be called from
 * any thread, at any time, and as often as the host likes [TN-REQ-030].
 */
#ifndef TENON_PLUGIN_OPERATOR_H
#define TENON_PLUGIN_OPERATOR_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

typedef struct tn_op tn_op;

#define TN_MAX_MUTATED_INPUTS 256

/* How many inputs and outputs a node has, given its attributes. */
typedef struct tn_arity_call {
    uint32_t struct_size;
    uint32_t connected_inputs; /* in: how many inputs the node has been given so far */
    const tn_host *host;
    const void *attributes; /* in: the operator's own struct, parsed */
    /* out; on entry the operator's input_name_count. With TN_OP_SUBGRAPH: how many inputs follow
     * those of the subgraph; on entry none. */
    uint32_t input_count;
    /* out; on entry the operator's output_name_count. With TN_OP_SUBGRAPH: how many outputs follow
     * those of the subgraph; on entry none. */
    uint32_t output_count;
    /* out; on entry 0: all of them. Those that a user sees. With TN_OP_SUBGRAPH: not read, they are
     * those of the subgraph. */
    uint32_t visible_output_count;
    /* out; the inputs that this node changes. On entry those of the operator, in an array with room
     * for TN_MAX_MUTATED_INPUTS. */
    uint32_t mutated_input_count;
    uint32_t *mutated_inputs;
    const tn_op *op;
} tn_arity_call;

/* One round of inference at one node. */
typedef struct tn_infer_call {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t subgraph_count;
    const tn_host *host;
    const void *attributes;
    /* In and out, both directions: read what is known, fill in what follows from it. A fact that
     * is known already may be made more precise, never changed: that is an error of the graph.
     * The helpers in helpers.h (tn_infer_…) do this and word the error. An absent input has
     * rank TN_UNKNOWN and dtype 0, and stays so. */
    tn_tensor_type *inputs;
    tn_tensor_type *outputs;
    /* The input's elements when they are known: it is a constant, or, for one of the operator's
     * value_inputs, the host could compute it ahead. Else NULL. In host memory. */
    const tn_view *const *input_values;
    /* The node's subgraphs: subgraph_inputs[s] are the types of its variables without tensors, to
     * be filled in here from what the node's inputs tell; subgraph_outputs[s] are its outputs as
     * the host has inferred them so far. Both are called for again until nothing changes. */
    tn_tensor_type *const *subgraph_inputs;
    const tn_tensor_type *const *subgraph_outputs;
    const uint32_t *subgraph_input_counts;
    const uint32_t *subgraph_output_counts;
    const tn_op *op;
} tn_infer_call;

/* Builds the gradient of one node by adding nodes through the `graph` service. */
typedef struct tn_gradient_call {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t node; /* the forward node */
    const tn_host *host;
    const void *attributes;
    tn_graph *graph;                  /* add nodes here */
    const tn_value *inputs;           /* the forward node's inputs */
    const tn_value *outputs;          /* the forward node's outputs */
    const tn_value *output_gradients; /* node TN_NO_NODE: that output takes no part */
    tn_value *input_gradients;        /* out; on entry all TN_NO_NODE: no gradient flows */
    const tn_op *op;
} tn_gradient_call;

/* Keeps something from run to run (a counter, a random state): never merged with an equal node,
 * never computed ahead of time, and each session has its own. */
#define TN_OP_STATEFUL 1u
/* Takes any number of inputs at least input_name_count; those beyond are named "argN". */
#define TN_OP_VARIADIC 2u
/* Output extents may depend on the elements of the inputs in a way that only a run finds out: then
 * inference leaves them unknown, and the kernel makes the output (give_output in kernel.h). Such a
 * kernel may allocate, and runs its subgraphs with call_subgraph: they need not have one type for
 * ever, and inference says nothing of one that does not fit, since it may never run. */
#define TN_OP_DATA_DEPENDENT 4u
/* A loss: its gradient does not ask for an output gradient. */
#define TN_OP_LOSS 8u
/* A node stands for the one subgraph that it holds: its inputs are the subgraph's variables without
 * a tensor, in their order, its outputs the subgraph's outputs, whose names they have, and after
 * either as many more as `arity` asks for; it changes what the subgraph changes. The host infers
 * through the subgraph, and then calls `infer`, which may be NULL. Without `gradient` the host
 * differentiates the subgraph: the node may get further outputs, which the gradient reads. Goes
 * with TN_OP_VARIADIC, one output name and a subgraph_count of 1 [TN-REQ-085]. */
#define TN_OP_SUBGRAPH 16u
/* What it computes follows from the inputs' types alone; their elements are not read. */
#define TN_OP_READS_TYPES 32u
/* `infer` knows of storages: it is told those of the inputs and says those of the outputs, which
 * are dense where it says nothing. To an operator without this flag every tensor is dense: the host
 * converts sparse inputs [TN-REQ-110]. */
#define TN_OP_SPARSE 64u

struct tn_op {
    uint32_t struct_size;
    uint32_t flags;  /* TN_OP_… */
    const char *doc; /* what it computes, a paragraph or two */

    const tn_attribute *attributes;
    uint32_t attribute_count;
    uint32_t attribute_stride; /* TN_ATTRIBUTE_STRIDE */
    uint64_t attributes_size;  /* sizeof the struct that the host fills in; 0 with no attributes */

    const char *const *input_names;
    const char *const *output_names;
    uint32_t input_name_count;
    uint32_t output_name_count;

    /* Indices of inputs that the operator changes (auxiliary states, optimiser weights). The
     * variables behind them are the graph's auxiliary states. */
    const uint32_t *mutated_inputs;
    /* Indices of inputs that only training reads (labels): running a graph does not demand them. */
    const uint32_t *training_inputs;
    uint32_t mutated_input_count;
    uint32_t training_input_count;
    uint32_t subgraph_count; /* how many graphs a node of this operator holds */
    uint32_t reserved;

    /* [any] NULL: as many as there are names. Also the place to refuse attributes that do not fit
     * together. */
    tn_status (*arity)(tn_arity_call *call);

    /* [any] Required, but for TN_OP_SUBGRAPH. */
    tn_status (*infer)(tn_infer_call *call);

    /* [any] NULL: not differentiable. */
    tn_status (*gradient)(tn_gradient_call *call);

    /* Indices of inputs that a node may leave absent: their view is then a NULL pointer. Any other
     * input is always there. */
    const uint32_t *optional_inputs;
    uint32_t optional_input_count;
    uint32_t value_input_count;

    /* The plugin's own: functions that serve several operators find it through `op` of the call. */
    const void *context;

    /* Indices of inputs whose elements inference reads (a shape, pads, a number of repetitions):
     * the host sees to it that input_values has them where they can be known before the run. */
    const uint32_t *value_inputs;
};

#define TN_OP_VERSION 1u
#define TN_OP_SIZE TN_STRUCT_END(tn_op, value_inputs)
#define TN_ENTRY_OP(NAME, IMPL)                                                                    \
    { TN_KIND_OP, NAME, TN_OP_VERSION, 0, IMPL }

#endif
