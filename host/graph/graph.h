/*
 * The graph as the host holds it. Texts, lists and parsed attributes live in the graph's arena;
 * nodes are added and changed, never moved, so that pointers to them stay valid.
 */
#ifndef TENON_GRAPH_GRAPH_H
#define TENON_GRAPH_GRAPH_H

#include <tenon/graph.h>
#include <tenon/tensor.h>

#include "base/map.h"
#include "base/memory.h"
#include "plugin/plugin_set.h"
#include "tensor/tensor.h"

typedef struct tni_node {
    const char *name;
    const tni_entry *entry; /* of kind op; NULL: a variable */
    const tn_op *op;
    tn_value *inputs;
    uint32_t *places;     /* by input: where it stands among the uses of the node it reads */
    uint32_t input_count; /* connected so far */
    uint32_t arity;       /* wanted */
    /* With TN_OP_SUBGRAPH, those that are not its subgraph's. */
    uint32_t further_input_count, further_output_count;
    uint32_t output_count;
    uint32_t visible_output_count;
    uint32_t mutated_input_count;
    const uint32_t *mutated_inputs;
    tn_option *attributes;
    uint32_t attribute_count;
    uint32_t annotation_count, annotation_capacity;
    tn_option *annotations;
    uint32_t *controls;
    uint32_t control_count, control_capacity;
    uint32_t subgraph_count;
    tn_graph **subgraphs;
    void *parsed; /* the operator's own struct */
    tn_use *uses; /* who reads it, in no particular order: uses.c */
    uint32_t use_count, use_capacity;
    uint32_t mutating_use_count;
    bool removed;  /* a hole: no operator, no inputs, no outputs, and no variable either */
    bool is_dense; /* to infer it as if its operator knew nothing of storages */

    /* variables */
    tn_tensor_type declared;
    tn_tensor *parameter;
} tni_node;

struct tn_graph {
    tn_runtime *runtime;
    tn_graph *parent; /* the graph whose node holds this one, or NULL */
    uint32_t parent_node;
    tni_holder holder; /* on whose behalf plugins are leased */
    tni_plugin_set plugins;
    tni_arena arena;
    tni_node **nodes;
    uint32_t node_count, node_capacity;
    uint32_t hole_count; /* nodes that were removed, until tn_graph_compact */
    tni_map names;       /* of nodes; a value is the node's number plus 1, as a pointer */
    tn_value *outputs;
    uint32_t *output_places;   /* by output, as tni_node's places */
    const char **output_names; /* by output; NULL: the value's name */
    uint32_t output_count;

    /* What follows from the rest; NULL after a change. */
    uint32_t *order;
    uint32_t order_count;
    bool *runs;             /* by node: look.c */
    uint32_t runs_count;    /* how many nodes `runs` has */
    tn_tensor_type **types; /* by node, then by output */
    uint32_t typed_count;   /* how many nodes `types` has */
    tn_tensor ***values;    /* elements known ahead (values.h), as long as `types` and as many */
    uint32_t *value_counts; /* by node: how many `values` has of it */
    uint32_t valued_count;  /* how many nodes `values` has */
    tni_arena types_arena;

    /* While a pass works: changes keep `types` and `runs`, which then lack the new nodes, and what
     * the pass's caller knows of the variables is at hand for another inference. */
    bool keeps_facts;
    const tn_named_type *known;
    uint32_t known_count;
};

static inline bool tni_node_is_variable(const tni_node *node) {
    return node->op == NULL && !node->removed;
}

/* Forgets what follows from the rest. Every function that changes the graph calls it. */
void tni_graph_changed(tn_graph *graph);

/* Takes the nodes from `node_count` on away again; nothing before them may refer to them. */
void tni_graph_truncate(tn_graph *graph, uint32_t node_count);

/* Ends what a node holds outside the arena. */
void tni_node_finish(tni_node *node);

/* Fails when there is no such node, or not any more. */
tn_status tni_graph_check_node(const tn_graph *graph, uint32_t number);

/* Fails when no node may be given this name. */
tn_status tni_graph_check_name(const tn_graph *graph, const char *name);

/* Whether a text can be written down, in JSON: INVALID_ARGUMENT, with `what` in the message, when
 * it is not UTF-8. */
tn_status tni_graph_check_text(const char *what, const char *text);

/* Whether the node changes that input. */
bool tni_node_mutates(const tni_node *node, uint32_t input);

/* Nodes of operators with TN_OP_SUBGRAPH. */
static inline bool tni_node_is_subgraph(const tni_node *node) {
    return node->op != NULL && (node->op->flags & TN_OP_SUBGRAPH) != 0 && node->subgraph_count > 0;
}
/* The variables of a graph that stand for inputs of the node that holds it. */
static inline bool tni_node_is_subgraph_input(const tni_node *node) {
    return tni_node_is_variable(node) && node->parameter == NULL;
}
uint32_t tni_subgraph_input_count(const tn_graph *subgraph);
/* The number of variable `index` of these. */
uint32_t tni_subgraph_input(const tn_graph *subgraph, uint32_t index);
/* Gives the node that stands for the graph, if one does, as many inputs and outputs as it has. */
tn_status tni_graph_tell_parent(tn_graph *subgraph);
/* A new graph that no node holds yet; tni_graph_give_subgraph gives it to one. */
tn_status tni_graph_create_subgraph(tn_graph *graph, tn_graph **out_subgraph);
tn_status tni_graph_give_subgraph(tn_graph *graph, uint32_t node, tn_graph *subgraph);

/* Room for the inputs that the node takes now, in front those that are connected; it had `room`. */
tn_status tni_node_widen(tn_graph *graph, tni_node *node, uint32_t room);
/* Takes away the uses that the node's inputs are, and adds them again, which cannot fail. */
void tni_graph_disconnect_inputs(tn_graph *graph, uint32_t node);
void tni_graph_reconnect_inputs(tn_graph *graph, uint32_t node);

/* The uses of a node follow from the inputs and controls of the others and from the graph's
 * outputs; these functions alone change any of them (uses.c), with room already there in the
 * arrays. */

/* Adds the uses that the node's inputs are, or none. */
tn_status tni_graph_connect_node(tn_graph *graph, uint32_t number);
/* Takes away the uses that the node's inputs and controls are. */
void tni_graph_disconnect_node(tn_graph *graph, uint32_t number);
/* Sets one input. */
tn_status tni_graph_connect(tn_graph *graph, uint32_t number, uint32_t input, tn_value value);
/* Adds the use that a control is. */
tn_status tni_graph_connect_control(tn_graph *graph, uint32_t number, uint32_t before);
/* Sets the outputs; `outputs` and `places` lie in the graph's arena. */
tn_status tni_graph_connect_outputs(tn_graph *graph, tn_value *outputs, uint32_t *places,
                                    uint32_t count);

/* Infers from graph->known, as far as it names variables that are there. */
tn_status tni_graph_infer_known(tn_graph *graph);

/* As tn_graph_create, for a graph that is part of something else. */
tn_status tni_graph_create_for(tn_runtime *runtime, tni_holder holder, tn_graph **out_graph);

/* Whether nodes were removed, here or in a subgraph. */
bool tni_graph_has_holes(const tn_graph *graph);

/* Adds a copy of a node of another graph, with its inputs absent. */
tn_status tni_graph_clone_node(const tni_node *source, tn_graph *graph);

/* A copy with tensors shared, and without holes. */
tn_status tni_graph_clone(const tn_graph *graph, tni_holder holder, tn_graph **out_graph);

/* As tn_graph_infer, but `known` has a type for every variable, in the order of their numbers.
 * `elements`, by node number, has those of variables that are known in host memory; NULL: none. */
tn_status tni_graph_infer_variables(tn_graph *graph, const tn_tensor_type *known,
                                    tn_tensor *const *elements);

/* Forgets what inference found. */
void tni_graph_drop_types(tn_graph *graph);

/* As tn_graph_order, with the failure as a status. */
tn_status tni_graph_order(const tn_graph *graph, const uint32_t **out_order, uint32_t *out_count);

uint32_t tni_graph_variable_count(const tn_graph *graph);

/* Finds which nodes a run needs, once after a change. After a success the look-ups of it
 * (tni_graph_runs_node, tn_graph_variable_kind) cannot fail. */
tn_status tni_graph_find_runs(const tn_graph *graph);

/* Whether a run needs the node: the outputs depend on it, and not only through inputs that are for
 * training (a label, and what prepares it). */
bool tni_graph_runs_node(const tn_graph *graph, uint32_t number);

/* Each becomes what the other is; both stay where they are. */
void tni_graph_exchange(tn_graph *left, tn_graph *right);

/* A change of graphs that a plugin offers, as it is asked for. */
typedef struct tni_change {
    const char *kind; /* TN_KIND_PASS, TN_KIND_PARTITIONER */
    const char *name;
    const tn_option *options;
    uint32_t option_count;
    const tni_entry *entry; /* found by tni_graph_change */
} tni_change;

typedef tn_status (*tni_change_function)(tn_graph *copy, const tni_change *change);

/* Changes a graph as a whole or not at all: `apply` works on a copy whose types are inferred, with
 * `inputs` known; the copy is then checked (structure, inference, outputs, inputs) and takes the
 * graph's place. */
tn_status tni_graph_change(tn_graph *graph, tni_change change, tni_change_function apply,
                           const tn_named_type *inputs, uint32_t input_count);

/* The parts of the `graph` service; host/run adds run_subgraph, compute and find_computable. */
void tni_graph_service_fill(tn_graph_service *service);
void tni_graph_service_fill_edit(tn_graph_service *service);

/* Fails when `value` does not name an output of a node. */
tn_status tni_graph_check_value(const tn_graph *graph, tn_value value);

/* Parses the attributes of a node into the operator's struct and asks for its arity. */
tn_status tni_node_resolve(tn_graph *graph, tni_node *node);

/* Merges `fact` into `known`; false when they contradict. `out_changed` is set, never cleared. */
bool tni_type_merge(tn_tensor_type *known, const tn_tensor_type *fact, bool *out_changed);

/* "float32 (2,3)" */
const char *tni_type_text(const tn_tensor_type *type, char *buffer, size_t size);

tn_tensor_type tni_type_unknown(void);
bool tni_type_is_known(const tn_tensor_type *type);

/* Bytes of a dense tensor of this type; false when it is not known or does not fit 63 bits. */
bool tni_type_byte_size(const tn_tensor_type *type, uint64_t *out_size);

#endif
