/*
 * Makes a plan: a view for every value, a kernel for every node, memory for every value, then the
 * instructions. Kernels prepare before memory is placed, since they say how much scratch memory
 * they want.
 */
#include "run/plan_build.h"

#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/kernel_choice.h"

static tn_view *make_view(tni_plan *plan, const tn_tensor_type *type) {
    tn_view *view = tni_arena_allocate(&plan->memory, 1, sizeof *view);
    int64_t *extents =
        tni_arena_allocate(&plan->memory, (size_t)type->shape.rank + 1, sizeof *extents);
    if (view == NULL || extents == NULL) {
        return NULL;
    }
    memcpy(extents, type->shape.extents, (size_t)type->shape.rank * sizeof *extents);
    *view = (tn_view){.device = plan->device->id,
                      .rank = type->shape.rank,
                      .dtype = type->dtype,
                      .shape = extents};
    return view;
}

static tn_status unknown_type(const tn_graph *graph, tn_value value, const tn_tensor_type *type) {
    char text[600];
    return tni_fail(TN_INVALID_ARGUMENT,
                    "the type of %s is not known (%s): give the types of the inputs it depends on",
                    tn_graph_value_name(graph, value), tni_type_text(type, text, sizeof text));
}

static bool is_given(const tni_plan_builder *builder, uint32_t node) {
    for (uint32_t i = 0; i < builder->plan->input_count; i++) {
        if (builder->inputs[i] == node) {
            return true;
        }
    }
    return builder->parameters[node] != NULL;
}

static tn_status make_value(tni_plan_builder *builder, tn_value value) {
    const tn_graph *graph = builder->graph;
    const tni_node *node = graph->nodes[value.node];
    const tn_tensor_type *type = &graph->types[value.node][value.output];
    tni_plan_value *made = tni_plan_value_of(builder, value);
    if (node->op == NULL && !is_given(builder, value.node)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "variable '%s' has no value: it is neither an input of the run nor a "
                        "parameter",
                        node->name);
    }
    if (!tni_type_is_known(type)) {
        return unknown_type(graph, value, type);
    }
    if (!tni_type_byte_size(type, &made->size)) {
        return tni_fail_memory(UINT64_MAX);
    }
    made->view = make_view(builder->plan, type);
    return made->view == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

tn_status tni_plan_make_values(tni_plan_builder *builder) {
    const tn_graph *graph = builder->graph;
    builder->values =
        tni_arena_allocate(&builder->scratch, graph->node_count, sizeof *builder->values);
    if (builder->values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        const uint32_t outputs = graph->nodes[number]->output_count;
        builder->values[number] =
            tni_arena_allocate(&builder->scratch, outputs, sizeof(tni_plan_value));
        if (builder->values[number] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < outputs; j++) {
            TNI_TRY(make_value(builder, (tn_value){number, j}));
        }
    }
    return TN_OK;
}

static tn_status fill_call(tni_plan_builder *builder, tni_step *step, const tni_node *node) {
    tni_plan *plan = builder->plan;
    const tn_view **inputs = tni_arena_allocate(&plan->memory, node->input_count, sizeof *inputs);
    const tn_view **outputs =
        tni_arena_allocate(&plan->memory, node->output_count, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = tni_plan_has_value(builder, node->inputs[i])
                        ? tni_plan_value_of(builder, node->inputs[i])->view
                        : NULL;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = builder->values[step->node][i].view;
    }
    step->call = (tn_run_call){
        .struct_size = sizeof step->call,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .subgraph_count = node->subgraph_count,
        .host = &step->kernel->plugin->host,
        .attributes = node->parsed,
        .inputs = inputs,
        .outputs = outputs,
        .stream = plan->device->flags & TN_DEVICE_HOST_ADDRESSABLE ? NULL : plan->device->stream};
    return TN_OK;
}

static tn_status choose_kernel(tni_plan_builder *builder, tni_step *step, const tni_node *node) {
    const tn_graph *graph = builder->graph;
    tni_arena arena = {0};
    tn_tensor_type *inputs = tni_arena_allocate(&arena, node->input_count, sizeof *inputs);
    tn_status status = inputs == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        inputs[i] =
            value.node == TN_NO_NODE ? tni_type_unknown() : graph->types[value.node][value.output];
    }
    if (status == TN_OK) {
        tni_kernel_choice choice = {NULL, NULL};
        status = tni_kernel_choose(builder->plan->device, node, inputs, graph->types[step->node],
                                   &builder->plan->memory, &choice);
        step->kernel = choice.entry;
        step->call.attributes = choice.attributes;
    }
    if (status == TN_OK) {
        status =
            tni_plugin_set_add(&builder->plan->plugins, step->kernel->plugin, TNI_HOLDER_SESSION);
    }
    tni_arena_finish(&arena);
    return status;
}

/* An input that the operator changes must be memory that lasts: a variable. */
static tn_status check_mutation(const tni_plan_builder *builder, const tni_node *node) {
    for (uint32_t i = 0; i < node->op->mutated_input_count; i++) {
        const uint32_t input = node->op->mutated_inputs[i];
        if (input < node->input_count && node->inputs[input].node != TN_NO_NODE &&
            builder->graph->nodes[node->inputs[input].node]->op != NULL) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "input %u is changed by the operator, so it must be a variable", input);
        }
    }
    return TN_OK;
}

tn_status tni_plan_make_steps(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->steps = tni_arena_allocate(&plan->memory, builder->order_count, sizeof(tni_step));
    if (plan->steps == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const tni_node *node = builder->graph->nodes[builder->order[i]];
        if (node->op == NULL) {
            continue;
        }
        tni_step *step = &plan->steps[plan->step_count];
        step->node = builder->order[i];
        tn_status status = check_mutation(builder, node);
        if (status == TN_OK) {
            status = choose_kernel(builder, step, node);
        }
        if (status == TN_OK) {
            status = fill_call(builder, step, node);
        }
        TNI_TRY(tni_in(status, "node '%s' (%s)", node->name, node->entry->entry->name));
        plan->step_count++;
    }
    return TN_OK;
}

static tn_status make_runner(tni_plan_builder *builder, tni_step *step, const tni_node *node) {
    tni_plan *plan = builder->plan;
    if (node->subgraph_count == 0) {
        return TN_OK;
    }
    tn_subgraph_runner *runner = tni_arena_allocate(&plan->memory, 1, sizeof *runner);
    if (runner == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    runner->plans = tni_arena_allocate(&plan->memory, node->subgraph_count, sizeof(tni_plan *));
    step->call.subgraphs = runner;
    for (uint32_t i = 0; runner->plans != NULL && i < node->subgraph_count; i++) {
        const tn_graph *subgraph = node->subgraphs[i];
        tni_arena *scratch = &builder->scratch;
        uint32_t *inputs = tni_arena_allocate(scratch, subgraph->node_count, sizeof *inputs);
        tn_tensor **parameters =
            tni_arena_allocate(scratch, subgraph->node_count, sizeof *parameters);
        if (inputs == NULL || parameters == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        uint32_t count = 0;
        for (uint32_t j = 0; j < subgraph->node_count; j++) {
            parameters[j] = subgraph->nodes[j]->parameter;
            if (subgraph->nodes[j]->op == NULL && parameters[j] == NULL) {
                inputs[count++] = j;
            }
        }
        TNI_TRY(tni_in(
            tni_plan_create(subgraph, plan->device, inputs, count, parameters, &runner->plans[i]),
            "subgraph %u", i));
        runner->count++;
    }
    return runner->plans == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

static tn_status prepare_step(tni_plan_builder *builder, tni_step *step) {
    const tni_node *node = builder->graph->nodes[step->node];
    const tn_kernel *kernel = step->kernel->entry->impl;
    TNI_TRY(make_runner(builder, step, node));
    if (kernel->prepare == NULL || step->is_elided) {
        return TN_OK;
    }
    tn_prepare_call call = {.struct_size = sizeof call,
                            .input_count = step->call.input_count,
                            .output_count = step->call.output_count,
                            .subgraph_count = step->call.subgraph_count,
                            .host = step->call.host,
                            .op = node->entry->entry->name,
                            .attributes = step->call.attributes,
                            .inputs = step->call.inputs,
                            .outputs = step->call.outputs,
                            .device = builder->plan->device};
    tni_error_clear();
    TNI_TRY(tni_in(tni_error_complete(kernel->prepare(&call)), "prepare"));
    step->call.state = call.state;
    step->workspace_size = call.workspace_size;
    step->is_prepared = true;
    return TN_OK;
}

tn_status tni_plan_prepare_kernels(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        tni_step *step = &builder->plan->steps[i];
        const tni_node *node = builder->graph->nodes[step->node];
        TNI_TRY(tni_in(prepare_step(builder, step), "node '%s' (%s)", node->name,
                       node->entry->entry->name));
    }
    return TN_OK;
}

static tn_status copy_types(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    const tn_graph *graph = builder->graph;
    plan->output_count = graph->output_count;
    plan->input_types =
        tni_arena_allocate(&plan->memory, plan->input_count, sizeof(tn_tensor_type));
    plan->output_types =
        tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tn_tensor_type));
    if (plan->input_types == NULL || plan->output_types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        plan->input_types[i] = graph->types[builder->inputs[i]][0];
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tn_value value = graph->outputs[i];
        plan->output_types[i] = graph->types[value.node][value.output];
    }
    return TN_OK;
}

/* The nodes that a run needs, in the graph's order. */
static tn_status list_nodes(tni_plan_builder *builder) {
    const uint32_t *order;
    uint32_t count;
    TNI_TRY(tni_graph_order(builder->graph, &order, &count));
    TNI_TRY(tni_graph_find_uses(builder->graph));
    builder->order = tni_arena_allocate(&builder->scratch, count, sizeof(uint32_t));
    if (builder->order == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tni_graph_runs_node(builder->graph, order[i])) {
            builder->order[builder->order_count++] = order[i];
        }
    }
    return TN_OK;
}

static tn_status build(tni_plan_builder *builder) {
    TNI_TRY(list_nodes(builder));
    TNI_TRY(copy_types(builder));
    TNI_TRY(tni_plan_make_values(builder));
    TNI_TRY(tni_plan_make_steps(builder));
    TNI_TRY(tni_plan_assign_buffers(builder));
    TNI_TRY(tni_plan_prepare_kernels(builder));
    TNI_TRY(tni_plan_place_buffers(builder));
    return tni_plan_emit(builder);
}

tn_status tni_plan_create(const tn_graph *graph, tn_device *device, const uint32_t *inputs,
                          uint32_t input_count, tn_tensor *const *parameters, tni_plan **out_plan) {
    tni_plan *plan = tni_allocate(1, sizeof *plan);
    if (plan == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plan->graph = graph;
    plan->device = device;
    plan->input_count = input_count;
    tni_plan_builder builder = {
        .plan = plan, .graph = graph, .inputs = inputs, .parameters = parameters};
    const tn_status status = build(&builder);
    tni_arena_finish(&builder.scratch);
    if (status != TN_OK) {
        tni_plan_destroy(plan);
        return status;
    }
    *out_plan = plan;
    return TN_OK;
}

static void destroy_step(tni_step *step) {
    const tn_kernel *kernel = step->kernel->entry->impl;
    if (step->is_prepared && kernel->release != NULL) {
        kernel->release(step->call.host, step->call.state);
    }
    for (uint32_t i = 0; step->call.subgraphs != NULL && i < step->call.subgraphs->count; i++) {
        tni_plan_destroy(step->call.subgraphs->plans[i]);
    }
}

void tni_plan_destroy(tni_plan *plan) {
    if (plan == NULL) {
        return;
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        destroy_step(&plan->steps[i]);
    }
    if (plan->buffer != NULL) {
        tni_device_free(plan->device, plan->buffer, plan->buffer_size);
    }
    tni_plugin_set_finish(&plan->plugins, TNI_HOLDER_SESSION);
    tni_arena_finish(&plan->memory);
    tni_free(plan);
}
