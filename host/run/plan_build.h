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
    TNI_BUFFER_OUTPUT     /* index: of the graph's outputs */
} tni_buffer_kind;

/* Memory that one value or several values share. */
typedef struct tni_plan_buffer {
    tni_buffer_kind kind;
    uint32_t index;
    tni_buffer_plan plan; /* size and lifetime in steps */
    bool is_mutated;      /* some operator changes it */
} tni_plan_buffer;

/* One output of one node. */
typedef struct tni_plan_value {
    tn_view *view;
    uint64_t size;
    uint32_t buffer;
    uint32_t last_use; /* the last step that reads it; the step that makes it when none does */
} tni_plan_value;

typedef struct tni_plan_builder {
    tni_plan *plan;
    const tn_graph *graph;
    const uint32_t *inputs;
    tn_tensor *const *parameters;
    uint32_t *order; /* what a run needs */
    uint32_t order_count;
    tni_plan_value **values; /* by node, then output; NULL for nodes that are not reached */
    tni_plan_buffer *buffers;
    uint32_t buffer_count;
    uint32_t *workspaces; /* by step: the buffer of its workspace */
    tni_arena scratch;
} tni_plan_builder;

/* Stages, each in its own file or named after it. */
tn_status tni_plan_make_values(tni_plan_builder *builder);
tn_status tni_plan_make_steps(tni_plan_builder *builder);
tn_status tni_plan_assign_buffers(tni_plan_builder *builder);
tn_status tni_plan_prepare_kernels(tni_plan_builder *builder);
tn_status tni_plan_place_buffers(tni_plan_builder *builder);
tn_status tni_plan_emit(tni_plan_builder *builder);

/* False for an absent input, and for one that only training reads. */
static inline bool tni_plan_has_value(const tni_plan_builder *builder, tn_value value) {
    return value.node != TN_NO_NODE && builder->values[value.node] != NULL;
}

static inline tni_plan_value *tni_plan_value_of(const tni_plan_builder *builder, tn_value value) {
    return &builder->values[value.node][value.output];
}

#endif
