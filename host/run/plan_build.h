/* The making of a plan, in stages that share this state; see plan_build.c for their order. */
#ifndef TENON_RUN_PLAN_BUILD_H
#define TENON_RUN_PLAN_BUILD_H

#include "run/memory_plan.h"
#include "run/plan.h"

/* Whose memory a buffer is. */
typedef enum tni_buffer_kind {
    TNI_BUFFER_ARENA,
    TNI_BUFFER_INPUT,     /* index: of the plan's inputs */
    TNI_BUFFER_PARAMETER, /* index: the variable's node number */
    TNI_BUFFER_OUTPUT,    /* index: of the graph's outputs */
    TNI_BUFFER_CONSTANT,  /* index: of the plan's constants */
    TNI_BUFFER_SPARSE     /* index: of the plan's sparse values */
} tni_buffer_kind;

/* Memory that one value or several values share. */
typedef struct tni_plan_buffer {
    tni_buffer_kind kind;
    uint32_t index;
    uint32_t place;
    tni_buffer_plan plan; /* size and lifetime in steps */
    bool is_mutated;      /* some operator changes it */
} tni_plan_buffer;

/* A value as one place sees it. */
typedef struct tni_replica {
    tn_view *view; /* NULL: this place has no use for it */
    uint32_t buffer;
    uint32_t last_use; /* the last step here that reads it; the step that makes it when none does */
} tni_replica;

/* One output of one node. */
typedef struct tni_plan_value {
    uint64_t size;
    uint32_t home; /* the place that makes it */
    uint32_t made; /* the step that makes it; 0 for a variable */
    bool is_used[TNI_PLACE_COUNT];
    bool is_given;      /* made by its kernel: it has no type and no memory in the plan */
    bool is_state;      /* a parameter of the device that a step on the CPU changes */
    bool is_sparse;     /* lives on the CPU alone, and grows as its kernel asks */
    uint32_t constant;  /* of a node with is_known: which of the plan's constants it is */
    uint32_t layout;    /* TN_LAYOUT_… */
    uint32_t reordered; /* the node that gives it in the other layout, or TN_NO_NODE */
    tni_replica at[TNI_PLACE_COUNT];
} tni_plan_value;

typedef struct tni_plan_builder {
    tni_plan *plan;
    const tni_plan_desc *desc;
    const tn_graph *graph;
    uint32_t *order; /* what a run needs; from make_steps on with the nodes that were added */
    uint32_t order_count;
    tn_value *outputs;        /* the graph's, or what they were converted to */
    const tni_entry *reorder; /* the operator that changes layouts, once a kernel asks for one */
    uint32_t most_added;      /* the most nodes that the planner can put in */
    tni_plan_value **values;  /* by node, then output; NULL for nodes that are not reached */
    tni_plan_buffer *buffers;
    uint32_t buffer_count;
    uint32_t *workspaces;      /* by step: the buffer of its workspace */
    unsigned char *is_known;   /* by node of the graph: its elements are known, so it is not run */
    unsigned char *is_refused; /* by node: no kernel of the device could be prepared for it */
    bool must_retry;           /* one more node was refused: the plan is to be made anew */
    tni_arena scratch;
} tni_plan_builder;

/* The stages, in their order. */
tn_status tni_plan_find_known(tni_plan_builder *builder);      /* plan_known.c */
tn_status tni_plan_make_values(tni_plan_builder *builder);     /* plan_values.c */
tn_status tni_plan_make_steps(tni_plan_builder *builder);      /* plan_steps.c */
tn_status tni_plan_make_segments(tni_plan_builder *builder);   /* plan_segments.c */
tn_status tni_plan_take_known(tni_plan_builder *builder);      /* plan_known.c */
tn_status tni_plan_make_views(tni_plan_builder *builder);      /* plan_values.c */
tn_status tni_plan_make_calls(tni_plan_builder *builder);      /* plan_steps.c */
tn_status tni_plan_assign_buffers(tni_plan_builder *builder);  /* plan_buffers.c */
tn_status tni_plan_make_transfers(tni_plan_builder *builder);  /* plan_segments.c */
tn_status tni_plan_prepare_kernels(tni_plan_builder *builder); /* plan_steps.c */
tn_status tni_plan_place_buffers(tni_plan_builder *builder);   /* plan_arena.c */
tn_status tni_plan_emit(tni_plan_builder *builder);            /* plan_emit.c */

/* Of make_steps; plan_layouts.c. The first gives a step, whose kernel and place are chosen, the
 * inputs in the layouts that its kernel wants, the second all outputs of the graph in row-major
 * layout; both add the steps that this takes. */
tn_status tni_plan_lay_out_step(tni_plan_builder *builder, tni_step *step);
tn_status tni_plan_lay_out_outputs(tni_plan_builder *builder);

/* plan_steps.c */
tn_status tni_plan_choose_kernel(tni_plan_builder *builder, tni_step *step);
void tni_plan_append_step(tni_plan_builder *builder, const tni_step *step);

/* The nested plans of a step whose node holds subgraphs, unless its kernel does without; and their
 * end. plan_nested.c */
tn_status tni_plan_make_nested(tni_plan_builder *builder, tni_step *step, const tni_node *node);

/* The graph with conversions to dense and back around the nodes whose storages no kernel takes;
 * NULL where nothing is sparse. (plan_storages.c) */
tn_status tni_plan_convert_storages(const tni_plan_desc *desc, tn_graph **out_graph);

/* Whether the node's elements are known before a run; and whether no step makes them, since they
 * are or since the node is a variable. */
static inline bool tni_plan_is_known(const tni_plan_builder *builder, uint32_t node) {
    return node < builder->graph->node_count && builder->is_known[node];
}
static inline bool tni_plan_is_made(const tni_plan_builder *builder, uint32_t node) {
    return tni_plan_node(builder->plan, node)->op != NULL && !tni_plan_is_known(builder, node);
}

/* The place where sparse values are: the CPU. */
static inline uint32_t tni_plan_sparse_place(const tni_plan *plan) {
    return plan->places[TNI_PLACE_DEVICE].stream == NULL ? TNI_PLACE_DEVICE : TNI_PLACE_HOST;
}

/* Whether only the kernel knows the value's type, and can tell it: nothing else here reads it. */
bool tni_plan_is_given(const tni_plan_builder *builder, tn_value value);
tn_status tni_plan_find_given(tni_plan_builder *builder); /* after the steps */
tn_status tni_plan_give_output(const tn_run_call *call, uint32_t output, tn_tensor *tensor);

/* The number of the plan's input that a variable is, or -1. */
int64_t tni_plan_input_of(const tni_plan_builder *builder, uint32_t node);

/* False for an absent input, and for one that only training reads. */
static inline bool tni_plan_has_value(const tni_plan_builder *builder, tn_value value) {
    return value.node != TN_NO_NODE && builder->values[value.node] != NULL;
}

static inline tni_plan_value *tni_plan_value_of(const tni_plan_builder *builder, tn_value value) {
    return &builder->values[value.node][value.output];
}

/* What the planner adds gives what it is given, laid out in another way. */
static inline const tn_tensor_type *tni_plan_type_of(const tni_plan_builder *builder,
                                                     tn_value value) {
    const tni_node *node = tni_plan_node(builder->plan, value.node);
    return value.node < builder->graph->node_count
               ? &builder->graph->types[value.node][value.output]
               : &builder->graph->types[node->inputs[0].node][node->inputs[0].output];
}

#endif
