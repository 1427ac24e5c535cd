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

typedef struct tni_instruction {
    tn_status (*run)(const tn_run_call *call);
    const tn_run_call *call;
} tni_instruction;

/* One operator node, in running order. */
typedef struct tni_step {
    uint32_t node;
    const tni_entry *kernel;
    tn_run_call call;
    uint64_t workspace_size;
    bool is_prepared; /* release is due */
    bool is_elided;   /* its output shares its input's memory: nothing to do */
} tni_step;

/* A view whose memory is an input or an output of the graph. */
typedef struct tni_patch {
    tn_view *view;
    uint32_t index;
} tni_patch;

/* An output whose value lives in memory that is not the output's own. */
typedef struct tni_output_copy {
    const tn_view *source;
    uint32_t index;
    uint64_t size;
} tni_output_copy;

typedef struct tni_plan {
    const tn_graph *graph;
    tn_device *device;
    tni_arena memory; /* everything below */
    tni_plugin_set plugins;

    tn_tensor_type *input_types, *output_types;
    uint32_t input_count, output_count;

    tni_instruction *instructions;
    uint32_t instruction_count;
    tni_step *steps;
    uint32_t step_count;
    uint32_t *step_of_instruction;

    tni_patch *input_patches, *output_patches;
    tni_output_copy *output_copies;
    uint32_t input_patch_count, output_patch_count, output_copy_count;

    void *buffer; /* the arena, on the device */
    uint64_t buffer_size;
    tn_plan_info info;
} tni_plan;

/* Makes a plan for a graph whose types are inferred (tni_graph_infer_variables). `inputs` are the
 * numbers of the variables that each run gives; `parameters` has a tensor by node number for every
 * other variable that is read, on `device`. The graph and the parameters must outlive the plan. */
tn_status tni_plan_create(const tn_graph *graph, tn_device *device, const uint32_t *inputs,
                          uint32_t input_count, tn_tensor *const *parameters, tni_plan **out_plan);
void tni_plan_destroy(tni_plan *plan);

/* Runs once on memory of the plan's device. The views must have the plan's types. Allocates
 * nothing. */
tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs, const tn_view *const *outputs);

/* The nested plans of a node that holds subgraphs. */
struct tn_subgraph_runner {
    tni_plan **plans;
    uint32_t count;
};

/* For the `graph` service. */
tn_status tni_run_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                           const tn_view *const *inputs, uint32_t input_count,
                           const tn_view *const *outputs, uint32_t output_count);

#endif
