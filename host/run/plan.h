/*
 * A plan: one graph with fixed types on one device, ready to run. Views, calls and memory are made
 * once; a run patches the views of inputs and outputs and walks a flat array of instructions.
 */
#ifndef TENON_RUN_PLAN_H
#define TENON_RUN_PLAN_H

#include <tenon/plugin/kernel.h>
#include <tenon/session.h>

#include "device/device.h"
#include "graph/graph.h"
#include "run/tuning.h"

typedef struct tni_profile tni_profile;

typedef struct tni_instruction {
    tn_status (*run)(const tn_run_call *call);
    const tn_run_call *call;
} tni_instruction;

/* Where a plan runs: on the session's device, and, for nodes that no kernel of that device can
 * compute, on the CPU. On a session of the CPU itself the second place is not used. */
enum { TNI_PLACE_DEVICE, TNI_PLACE_HOST, TNI_PLACE_COUNT };

typedef struct tni_place {
    tn_device *device;
    tn_stream *stream; /* NULL where the host's own threads compute */
    void *buffer;      /* the arena */
    uint64_t buffer_size;
} tni_place;

/* One operator node, in running order. */
typedef struct tni_step {
    struct tni_plan *plan;
    uint32_t node;          /* tni_plan_node */
    const tn_value *inputs; /* the node's, or what they were converted to */
    uint32_t place;
    uint32_t segment;
    const tni_entry *kernel;
    const void *attributes; /* as the kernel sees them */
    tn_run_call call;
    uint64_t workspace_size;
    bool is_prepared;  /* release is due */
    bool makes_sparse; /* one of its outputs is not dense */
    bool is_elided;    /* its output shares its input's memory: nothing to do */
    bool is_in_place;  /* the first output is written over input `overwritten` */
    uint32_t overwritten;
    tni_tuned tuned;
} tni_step;

/* An output whose type is only known when its kernel has run, and what that has given. */
typedef struct tni_given {
    uint32_t index; /* of the plan's outputs */
    const tni_step *step;
    uint32_t output; /* of the step */
    tn_tensor *tensor;
} tni_given;

/* A value whose elements are known before any run, in each place that reads it. */
typedef struct tni_constant {
    tn_tensor *at[TNI_PLACE_COUNT];
} tni_constant;

/* A view whose memory the caller gives for a run. */
typedef struct tni_patch {
    tn_view *view;
    uint32_t index;
} tni_patch;

/* Bytes that cross from one place to the other. */
typedef struct tni_transfer {
    const tn_view *source, *target;
    uint64_t size;
} tni_transfer;

/* Steps that follow one another in one place. What they need from the other place is brought before
 * them, what the other needs of them is sent after them. */
typedef struct tni_segment {
    uint32_t place;
    uint32_t first_step, step_count;
    uint32_t first_instruction, instruction_count;
    tni_transfer *in, *out;
    uint32_t in_count, out_count;
    bool can_record;
    void *recording; /* of its instructions; NULL: none yet */
    uint32_t *after; /* the segments that come before it: of its place, and those it hears from */
    uint32_t after_count;
} tni_segment;

/* An output whose value lies in memory that is not the output's own: it is copied at the end. */
typedef struct tni_output_copy {
    const tn_view *source;
    uint32_t index;
    bool is_sparse;
    uint64_t size;
} tni_output_copy;

/* On a device: where an input or output lies in a run. Memory that the caller gives on the device
 * is used as it is; for what the caller gives in host memory the plan has memory of its own. */
typedef struct tni_border {
    void *data; /* of the run before; what is recorded holds only for the same addresses */
    uint64_t offset;
    void *own; /* made by the first run that needs it */
    uint64_t size;
    bool is_used;
} tni_border;

typedef struct tni_plan {
    const tn_graph *graph;
    tn_graph *own_graph; /* with conversions between storages; NULL where there is no need */
    tni_place places[TNI_PLACE_COUNT];
    tni_arena memory; /* everything below */
    tni_plugin_set plugins;
    tni_node **added; /* nodes that the planner put in; their numbers follow the graph's */
    uint32_t added_count;

    tn_tensor_type *input_types, *output_types;
    uint32_t input_count, output_count;

    tni_instruction *instructions;
    uint32_t instruction_count;
    tni_step *steps;
    uint32_t step_count;
    uint32_t *step_of_instruction;
    tni_segment *segments;
    uint32_t segment_count;
    struct tni_segment_tasks *tasks; /* NULL where one segment follows the other anyway */
    tni_transfer *returns;           /* states that the CPU has changed, back to the device */
    uint32_t return_count;

    tni_patch *input_patches, *output_patches;
    tni_output_copy *output_copies;
    uint32_t input_patch_count, output_patch_count, output_copy_count;
    tni_given *given;
    uint32_t given_count;
    tni_constant *constants;
    uint32_t constant_count;
    /* On a device: the sparse inputs, which the CPU reads where they are. */
    tni_patch *sparse_patches;
    uint32_t sparse_patch_count;
    struct tni_sparse **sparse; /* values of the plan's own that are sparse */
    uint32_t sparse_count;
    tni_border *input_borders, *output_borders; /* on a device */
    uint32_t same_runs; /* how many runs in a row have had these addresses */

    tni_profile *profile;     /* NULL: this run is not timed */
    tn_step_time *step_names; /* by instruction, without times; made by the first timed run */

    tn_plan_info info;
} tni_plan;

/* What a plan is made from. */
typedef struct tni_plan_desc {
    const tn_graph *graph; /* with inferred types (tni_graph_infer_variables) */
    tn_device *device;
    tn_device *fallback;    /* the CPU, for what `device` cannot compute; may be NULL */
    const uint32_t *inputs; /* the numbers of the variables that each run gives */
    uint32_t input_count;
    tn_tensor *const *parameters; /* by node number, on `device`, for every other variable read */
    const tn_tuning *tuning;      /* NULL: kernels are chosen by rank */
} tni_plan_desc;

/* The node of a step. */
static inline const tni_node *tni_plan_node(const tni_plan *plan, uint32_t number) {
    return number < plan->graph->node_count ? plan->graph->nodes[number]
                                            : plan->added[number - plan->graph->node_count];
}

/* The graph and the parameters must outlive the plan. */
tn_status tni_plan_create(const tni_plan_desc *desc, tni_plan **out_plan);
void tni_plan_destroy(tni_plan *plan);

/* An instruction for a step with sparse outputs: runs the kernel and checks what it made. */
tn_status tni_plan_run_sparse(const tn_run_call *call);

/* An output that is copied when all has run; `target` is the caller's. */
tn_status tni_plan_copy_sparse(const tn_view *source, const tn_view *target);

/* Runs once. The views must have the plan's types and lie on its device or in host memory.
 * Allocates nothing once the plan has run. */
tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs, const tn_view *const *outputs);

/* Forgets what is recorded; the next runs record it again. */
void tni_plan_drop_recordings(tni_plan *plan);

/* Running on a device other than the CPU. */
tn_status tni_plan_run_remote(tni_plan *plan, const tn_view *const *inputs,
                              const tn_view *const *outputs);

/* One segment, in the calling thread; the stream is nobody else's meanwhile. */
tn_status tni_plan_run_segment(tni_plan *plan, tni_segment *segment);

/* Makes the segments tasks of the scheduler's, if some of them could run at the same time. */
tn_status tni_segment_tasks_create(tni_plan *plan);
void tni_segment_tasks_destroy(tni_plan *plan);
/* Runs all segments as tasks and waits for them. */
tn_status tni_segment_tasks_run(tni_plan *plan);

/* Instructions `first` up to `first + count`, in the calling thread. */
tn_status tni_plan_run_instructions(const tni_plan *plan, uint32_t first, uint32_t count);

/* The plan of one subgraph. Inputs that are constants of the plan around it are so in it too, and
 * are not given to a run. */
typedef struct tni_nested_plan {
    tni_plan *plan;
    uint32_t input_count;  /* of the subgraph */
    const uint32_t *given; /* by input of the plan: which input of the subgraph it is */
    const tn_view **views; /* those of a run */
    tn_device *device;     /* opened for this plan, or NULL */
    tn_tensor **copies;    /* of constants, on that device; by node */
    uint32_t copy_count;
} tni_nested_plan;

/* Whether the kernels gave all that they had to; and what they gave, moved to `tensors` by number
 * of the plan's output, or dropped. A run that succeeds leaves it to be taken, one that fails drops
 * it. */
tn_status tni_plan_check_given(const tni_plan *plan);
void tni_plan_take_given(tni_plan *plan, tn_tensor **tensors);
void tni_plan_drop_given(tni_plan *plan);

/* The end of the plan's constants. */
void tni_plan_drop_known(tni_plan *plan);

/* The subgraphs of a node, by number: plans, or, for an operator with TN_OP_DATA_DEPENDENT,
 * sessions, which plan for types as they come. */
struct tn_subgraph_runner {
    tni_nested_plan *plans;
    tn_session **sessions;
    uint32_t count;
};

/* Makes the sessions for a step, on the device where that runs; subgraph_sessions.c. */
tn_status tni_subgraph_sessions_create(tni_plan *plan, tni_step *step, const tni_node *node);
void tni_subgraph_sessions_destroy(tn_subgraph_runner *runner);

void tni_subgraph_runner_finish(tn_subgraph_runner *runner);

/* For the `graph` service. */
tn_status tni_run_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                           const tn_view *const *inputs, uint32_t input_count,
                           const tn_view *const *outputs, uint32_t output_count);
tn_status tni_call_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                            const tn_view *const *inputs, uint32_t input_count, tn_tensor **outputs,
                            uint32_t output_count);

#endif
