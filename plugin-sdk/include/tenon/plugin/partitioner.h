/*
 * Kind "partitioner", version 1: carves subgraphs out of a graph and has an operator of its choice
 * compute each. The entry's name is what the user writes: `--partition oplist:ops=relu|dot`.
 *
 * A partitioner has strategies that run in order, each on what the one before has left. A strategy
 * says which nodes it wants in one of two ways: it gives each node a group (find_supported), or the
 * host asks a selector node by node while a subgraph grows. The host then sees to it that
 *   - subgraphs are convex: putting each in place of its nodes makes no cycle, for all together
 *     [TN-REQ-080];
 *     what would make one is split (find_supported) or grown again without it (selector);
 *   - their order and names depend on graph, partitioner and options alone [TN-REQ-081];
 *   - a value that several nodes of a subgraph read is one input of it (dedup_subgraph=False: one
 *     for each), and every value that is read outside is an output;
 *   - nodes that no subgraph takes stay as they are.
 * Never part of a subgraph are nodes with controls, nodes that a control names, nodes that a run
 * does not need, and nodes that read a label (operator.h: training_inputs).
 *
 * Options of the host's that every partitioner has [TN-REQ-084]: min_nodes (1), the fewest nodes
 * that make a subgraph; dedup_subgraph (True, unless the strategy says otherwise).
 */
#ifndef TENON_PLUGIN_PARTITIONER_H
#define TENON_PLUGIN_PARTITIONER_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

typedef struct tn_strategy tn_strategy;

/* Groups of nodes. A number from 0 on names one; subgraphs are connected nodes of one group. */
#define TN_GROUP_NONE (-2) /* the node stays where it is */
#define TN_GROUP_ANY (-1)  /* it goes with any group next to it, or with others like it */

/* What a strategy knows when it begins. Nodes are looked at through the `graph` service; types are
 * known as far as the user gave shapes. */
typedef struct tn_strategy_call {
    uint32_t struct_size;
    uint32_t given_count;
    const tn_host *host;
    const tn_strategy *strategy; /* the one that is asked */
    const void *options;         /* the parsed struct */
    const tn_option *given;      /* the options as given, without the host's own */
    const tn_graph *graph;
    int32_t *groups; /* find_supported: by node number; on entry all TN_GROUP_NONE */
    void *selector;  /* out of create; on entry NULL */
} tn_strategy_call;

/*
 * Chooses nodes one after the other. In the order of running, each node that no subgraph has yet is
 * offered to `select`; if it is taken, the nodes that it reads are offered to select_input and
 * those that read it to select_output, breadth first, and so on from each that is taken. The nodes
 * gathered go to `filter`; then `reset`, and the next begins.
 */
typedef struct tn_selector {
    uint32_t struct_size;
    uint32_t reserved;
    /* [serial] Required. Once a strategy. */
    tn_status (*create)(tn_strategy_call *call);
    /* [serial] Required. `out_selected` is 0 on entry. */
    tn_status (*select)(const tn_host *host, void *selector, uint32_t node, int32_t *out_selected);
    /* [serial] `node` is taken; its neighbour is offered. NULL: none is taken. */
    tn_status (*select_input)(const tn_host *host, void *selector, uint32_t node,
                              uint32_t input_node, int32_t *out_selected);
    tn_status (*select_output)(const tn_host *host, void *selector, uint32_t node,
                               uint32_t output_node, int32_t *out_selected);
    /* [serial] `keep` is 1 for each node on entry; those set to 0 are left out. NULL: all stay. */
    tn_status (*filter)(const tn_host *host, void *selector, const uint32_t *nodes, uint32_t count,
                        int32_t *keep);
    /* [serial] Forgets the nodes gathered: before the next, and before a subgraph that would have
     * made a cycle grows again without the nodes in the way. NULL: nothing to forget. */
    void (*reset)(const tn_host *host, void *selector);
    /* [serial] NULL: nothing to free. */
    void (*destroy)(const tn_host *host, void *selector);
} tn_selector;

#define TN_SELECTOR_SIZE TN_STRUCT_END(tn_selector, destroy)

/* One subgraph, before it is put in place. */
typedef struct tn_review_call {
    uint32_t struct_size;
    uint32_t given_count;
    const tn_host *host;
    const tn_strategy *strategy;
    const void *options;
    const tn_option *given;
    /* The whole graph, with the subgraphs of this strategy that were accepted so far in place. Its
     * parameters are the arguments with their data (graph service: parameter). */
    const tn_graph *graph;
    /* The subgraph. Its variables come first, in the order of the inputs: number i stands for
     * inputs[i]. Types are inferred as far as they are known. A variable has the name of the
     * variable it stands for, or of the value. A review may annotate its nodes, and changes nothing
     * else. */
    tn_graph *subgraph;
    const tn_value *inputs;  /* in `graph` */
    const tn_value *outputs; /* in `graph`: the value that each output of the subgraph is */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t index; /* the how-many-eth subgraph of the strategy, from 0 */
    int32_t accept; /* out; on entry 1. 0 leaves the graph as it is. */
    /* [callback] Gives the node that takes the subgraph's place an attribute; texts are copied. An
     * attribute that the operator does not know is an error of the partitioner. */
    tn_status (*set_attribute)(struct tn_review_call *call, const char *name, const char *value);
    void *context; /* the host's */
} tn_review_call;

/* Gives every use an input of its own, unless the user asks for dedup_subgraph=True. */
#define TN_STRATEGY_INPUT_PER_USE 1u

struct tn_strategy {
    uint32_t struct_size;
    uint32_t flags; /* TN_STRATEGY_… */
    const char *name;
    const char *doc;
    /* The operator of the node that takes a subgraph's place, with TN_OP_SUBGRAPH (operator.h);
     * NULL: `subgraph`, which runs it. */
    const char *subgraph_op;

    /* [any] One of the two, not both. */
    tn_status (*find_supported)(tn_strategy_call *call);
    const tn_selector *selector;

    /* [any] NULL: every subgraph is accepted. What is rejected stays as it was [TN-REQ-082]. */
    tn_status (*review)(tn_review_call *call);

    /* The plugin's own: functions that serve several strategies find it through `strategy` of the
     * call. */
    const void *context;
};

#define TN_STRATEGY_SIZE TN_STRUCT_END(tn_strategy, context)

/* Takes options that its table does not name; they are in `given`. */
#define TN_PARTITIONER_FREE_OPTIONS 1u

typedef struct tn_partitioner {
    uint32_t struct_size;
    uint32_t flags;  /* TN_PARTITIONER_… */
    const char *doc; /* what it carves out; the first sentence stands in lists */

    const tn_attribute *options;
    uint32_t option_count;
    uint32_t option_stride; /* TN_ATTRIBUTE_STRIDE */
    uint64_t options_size;  /* sizeof the struct that the host fills in; 0 with no options */

    const tn_strategy *const *strategies; /* at least one [TN-REQ-083] */
    uint32_t strategy_count;
    uint32_t reserved;
} tn_partitioner;

#define TN_PARTITIONER_VERSION 1u
#define TN_PARTITIONER_SIZE TN_STRUCT_END(tn_partitioner, reserved)
#define TN_ENTRY_PARTITIONER(NAME, IMPL)                                                           \
    { TN_KIND_PARTITIONER, NAME, TN_PARTITIONER_VERSION, 0, IMPL }

#endif
