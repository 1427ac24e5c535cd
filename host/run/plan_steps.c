/* The steps of a plan: a kernel and a place for each node, its call, and its preparation. */
#include <tenon/plugin/sparse.h>

#include "base/error.h"
#include "run/kernel_choice.h"
#include "run/plan_build.h"

/* An input that the operator changes must be memory that lasts: a variable. */
static tn_status check_mutation(const tni_plan_builder *builder, const tni_node *node) {
    for (uint32_t i = 0; i < node->mutated_input_count; i++) {
        const uint32_t input = node->mutated_inputs[i];
        if (input < node->input_count && node->inputs[input].node != TN_NO_NODE &&
            builder->graph->nodes[node->inputs[input].node]->op != NULL) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "input %u is changed by the operator, so it must be a variable", input);
        }
    }
    return TN_OK;
}

/* The kernel on the plan's device, or, where that has none, on the CPU. */
static tn_status choose_for(tni_plan_builder *builder, tni_step *step, const tni_node *node,
                            const tni_kernel_inputs *inputs) {
    tni_plan *plan = builder->plan;
    const tn_tensor_type *outputs = tni_plan_type_of(builder, (tn_value){step->node, 0});
    tni_kernel_choice choice = {0};
    tn_status status = TN_UNSUPPORTED;
    for (uint32_t place = 0; status == TN_UNSUPPORTED && place < TNI_PLACE_COUNT; place++) {
        const bool is_refused = place == TNI_PLACE_DEVICE &&
                                step->node < builder->graph->node_count &&
                                builder->is_refused[step->node];
        if (plan->places[place].device != NULL && !is_refused) {
            step->place = place;
            status = tni_kernel_choose(plan->places[place].device, node, inputs, outputs,
                                       builder->desc->tuning, &plan->memory, &choice);
        }
    }
    TNI_TRY(status);
    step->kernel = choice.entry;
    step->attributes = choice.attributes;
    step->tuned = choice.tuned;
    return tni_plugin_set_add(&plan->plugins, choice.entry->plugin, TNI_HOLDER_SESSION);
}

tn_status tni_plan_choose_kernel(tni_plan_builder *builder, tni_step *step) {
    const tni_node *node = tni_plan_node(builder->plan, step->node);
    tni_arena arena = {0};
    tni_kernel_inputs inputs;
    tn_status status = tni_kernel_inputs_of(builder->graph, node, &arena, &inputs);
    if (status == TN_OK) {
        status = choose_for(builder, step, node, &inputs);
    }
    tni_arena_finish(&arena);
    return status;
}

void tni_plan_append_step(tni_plan_builder *builder, const tni_step *step) {
    tni_step *added = &builder->plan->steps[builder->plan->step_count++];
    *added = *step;
    added->plan = builder->plan;
    builder->order[builder->order_count++] = step->node;
}

static tn_status make_step(tni_plan_builder *builder, uint32_t number) {
    const tni_node *node = builder->graph->nodes[number];
    tni_step step = {.node = number, .inputs = node->inputs};
    TNI_TRY(check_mutation(builder, node));
    TNI_TRY(tni_plan_choose_kernel(builder, &step));
    TNI_TRY(tni_plan_lay_out_step(builder, &step));
    tni_plan_append_step(builder, &step);
    return TN_OK;
}

tn_status tni_plan_make_steps(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    const uint32_t *listed = builder->order;
    const uint32_t count = builder->order_count;
    const size_t most = (size_t)count + builder->most_added;
    plan->steps = tni_arena_allocate(&plan->memory, most, sizeof(tni_step));
    builder->order = tni_arena_allocate(&builder->scratch, most, sizeof(uint32_t));
    builder->order_count = 0;
    if (plan->steps == NULL || builder->order == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tni_node *node = builder->graph->nodes[listed[i]];
        if (!tni_plan_is_made(builder, listed[i])) {
            builder->order[builder->order_count++] = listed[i];
        } else {
            TNI_TRY(tni_in(make_step(builder, listed[i]), "node '%s' (%s)", node->name,
                           node->entry->entry->name));
        }
    }
    return tni_plan_lay_out_outputs(builder);
}

static tn_status describe_storages(tni_plan_builder *builder, tni_step *step,
                                   const tni_node *node) {
    tni_arena *memory = &builder->plan->memory;
    uint32_t *inputs = tni_arena_allocate(memory, node->input_count, sizeof *inputs);
    uint32_t *outputs = tni_arena_allocate(memory, node->output_count, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        inputs[i] = tni_plan_has_value(builder, value) ? tni_plan_type_of(builder, value)->storage
                                                       : TN_STORAGE_DENSE;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = tni_plan_type_of(builder, (tn_value){step->node, i})->storage;
        step->makes_sparse = step->makes_sparse || tn_storage_is_sparse(outputs[i]);
    }
    step->call.input_storages = inputs;
    step->call.output_storages = outputs;
    return TN_OK;
}

static tn_status make_call(tni_plan_builder *builder, tni_step *step, const tni_node *node) {
    tni_plan *plan = builder->plan;
    const tn_view **inputs = tni_arena_allocate(&plan->memory, node->input_count, sizeof *inputs);
    const tn_view **outputs =
        tni_arena_allocate(&plan->memory, node->output_count, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = tni_plan_has_value(builder, step->inputs[i])
                        ? tni_plan_value_of(builder, step->inputs[i])->at[step->place].view
                        : NULL;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = builder->values[step->node][i].at[step->place].view;
    }
    step->call = (tn_run_call){.struct_size = sizeof step->call,
                               .input_count = node->input_count,
                               .output_count = node->output_count,
                               .subgraph_count = node->subgraph_count,
                               .host = &step->kernel->plugin->host,
                               .attributes = step->attributes,
                               .inputs = inputs,
                               .outputs = outputs,
                               .stream = plan->places[step->place].stream,
                               .give_output = tni_plan_give_output};
    return describe_storages(builder, step, node);
}

tn_status tni_plan_make_calls(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        tni_step *step = &builder->plan->steps[i];
        TNI_TRY(make_call(builder, step, tni_plan_node(builder->plan, step->node)));
    }
    return TN_OK;
}

static tn_status prepare_step(tni_plan_builder *builder, tni_step *step) {
    const tni_node *node = tni_plan_node(builder->plan, step->node);
    const tn_kernel *kernel = step->kernel->entry->impl;
    tni_kernel_inputs inputs;
    TNI_TRY(tni_plan_make_nested(builder, step, node));
    if (kernel->prepare == NULL || step->is_elided) {
        return TN_OK;
    }
    TNI_TRY(tni_kernel_inputs_of(builder->graph, node, &builder->scratch, &inputs));
    tn_prepare_call call = {.struct_size = sizeof call,
                            .input_count = step->call.input_count,
                            .output_count = step->call.output_count,
                            .subgraph_count = step->call.subgraph_count,
                            .host = step->call.host,
                            .op = node->entry->entry->name,
                            .attributes = step->attributes,
                            .inputs = step->call.inputs,
                            .outputs = step->call.outputs,
                            .device = builder->plan->places[step->place].device,
                            .kernel = kernel,
                            .subgraphs = (const tn_graph *const *)node->subgraphs,
                            .output_types = tni_plan_type_of(builder, (tn_value){step->node, 0}),
                            .input_storages = step->call.input_storages,
                            .output_storages = step->call.output_storages,
                            .input_values = inputs.values};
    tni_error_clear();
    const tn_status status = tni_in(tni_error_complete(kernel->prepare(&call)), "prepare");
    if (status == TN_UNSUPPORTED && step->place == TNI_PLACE_DEVICE &&
        step->node < builder->graph->node_count &&
        builder->plan->places[TNI_PLACE_HOST].device != NULL) {
        /* Only now is it known that the device lacks something: the node is the CPU's. */
        builder->is_refused[step->node] = 1;
        builder->must_retry = true;
    }
    TNI_TRY(status);
    step->call.state = call.state;
    step->workspace_size = call.workspace_size;
    step->is_prepared = true;
    return TN_OK;
}

tn_status tni_plan_prepare_kernels(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        tni_step *step = &builder->plan->steps[i];
        const tni_node *node = tni_plan_node(builder->plan, step->node);
        TNI_TRY(tni_in(prepare_step(builder, step), "node '%s' (%s)", node->name,
                       node->entry->entry->name));
    }
    return TN_OK;
}
