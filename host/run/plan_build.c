/*
 * Makes a plan, stage by stage: values, a kernel and a place for every node, segments, views,
 * calls, buffers; then the kernels prepare, which say how much scratch memory they want; then
 * addresses and instructions.
 */
#include "run/plan_build.h"

#include <string.h>

#include "base/error.h"
#include "tensor/sparse.h"

/* The nodes that a run needs, in the graph's order. */
static tn_status list_nodes(tni_plan_builder *builder) {
    const uint32_t *order;
    uint32_t count;
    TNI_TRY(tni_graph_order(builder->graph, &order, &count));
    TNI_TRY(tni_graph_find_runs(builder->graph));
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

/* Every input of a node can want another layout, and so can every output of the graph. */
static tn_status prepare_layouts(tni_plan_builder *builder) {
    const tn_graph *graph = builder->graph;
    builder->outputs = tni_arena_allocate(&builder->scratch, graph->output_count, sizeof(tn_value));
    if (builder->outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (graph->output_count > 0) {
        memcpy(builder->outputs, graph->outputs, graph->output_count * sizeof(tn_value));
    }
    builder->most_added = graph->output_count;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        builder->most_added += graph->nodes[builder->order[i]]->input_count;
    }
    return TN_OK;
}

static tn_status copy_types(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    const tn_graph *graph = builder->graph;
    plan->input_count = builder->desc->input_count;
    plan->output_count = graph->output_count;
    plan->input_types =
        tni_arena_allocate(&plan->memory, plan->input_count, sizeof(tn_tensor_type));
    plan->output_types =
        tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tn_tensor_type));
    if (plan->input_types == NULL || plan->output_types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        plan->input_types[i] = graph->types[builder->desc->inputs[i]][0];
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tn_value value = graph->outputs[i];
        plan->output_types[i] = graph->types[value.node][value.output];
    }
    return TN_OK;
}

static tn_status open_places(tni_plan *plan, const tni_plan_desc *desc) {
    tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    device->device = desc->device;
    if (tni_device_is_host_addressable(desc->device)) {
        return TN_OK; /* the one place there is */
    }
    plan->places[TNI_PLACE_HOST].device = desc->fallback;
    return tni_stream_create(desc->device, &device->stream);
}

static tn_status build(tni_plan_builder *builder) {
    TNI_TRY(open_places(builder->plan, builder->desc));
    TNI_TRY(list_nodes(builder));
    TNI_TRY(tni_plan_find_known(builder));
    TNI_TRY(prepare_layouts(builder));
    TNI_TRY(copy_types(builder));
    TNI_TRY(tni_plan_make_values(builder));
    TNI_TRY(tni_plan_make_steps(builder));
    TNI_TRY(tni_plan_find_given(builder));
    TNI_TRY(tni_plan_make_segments(builder));
    TNI_TRY(tni_plan_take_known(builder));
    TNI_TRY(tni_plan_make_views(builder));
    TNI_TRY(tni_plan_make_calls(builder));
    TNI_TRY(tni_plan_assign_buffers(builder));
    TNI_TRY(tni_plan_make_transfers(builder));
    TNI_TRY(tni_plan_prepare_kernels(builder));
    TNI_TRY(tni_plan_place_buffers(builder));
    TNI_TRY(tni_plan_emit(builder));
    return tni_segment_tasks_create(builder->plan);
}

/* Tries once. `out_retry` is set when it failed and another try would do better. */
static tn_status try_create(const tni_plan_desc *desc, unsigned char *is_refused, bool *out_retry,
                            tni_plan **out_plan) {
    tni_plan *plan = tni_allocate(1, sizeof *plan);
    if (plan == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plan->graph = desc->graph;
    tni_plan_builder builder = {
        .plan = plan, .desc = desc, .graph = desc->graph, .is_refused = is_refused};
    const tn_status status = build(&builder);
    *out_retry = builder.must_retry;
    tni_arena_finish(&builder.scratch);
    if (status != TN_OK) {
        tni_plan_destroy(plan);
        return status;
    }
    *out_plan = plan;
    return TN_OK;
}

static tn_status create_for(const tni_plan_desc *desc, tni_plan **out_plan) {
    unsigned char *is_refused = tni_allocate(desc->graph->node_count, 1);
    if (is_refused == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status;
    bool retry;
    do { /* each further try has one more node on the CPU */
        retry = false;
        status = try_create(desc, is_refused, &retry, out_plan);
    } while (status != TN_OK && retry);
    tni_free(is_refused);
    return status;
}

/* A plan of a graph of its own, which has more nodes than the one it was made from. */
static tn_status create_converted(const tni_plan_desc *desc, tn_graph *graph, tni_plan **out_plan) {
    tn_tensor **parameters = tni_allocate(graph->node_count, sizeof(tn_tensor *));
    if (parameters == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        parameters[i] =
            i < desc->graph->node_count ? desc->parameters[i] : graph->nodes[i]->parameter;
    }
    tni_plan_desc converted = *desc;
    converted.graph = graph;
    converted.parameters = parameters;
    const tn_status status = create_for(&converted, out_plan);
    tni_free(parameters);
    return status;
}

tn_status tni_plan_create(const tni_plan_desc *desc, tni_plan **out_plan) {
    tn_graph *graph;
    TNI_TRY(tni_plan_convert_storages(desc, &graph));
    if (graph == NULL) {
        return create_for(desc, out_plan);
    }
    const tn_status status = create_converted(desc, graph, out_plan);
    if (status != TN_OK) {
        tn_graph_destroy(graph);
        return status;
    }
    (*out_plan)->own_graph = graph;
    return TN_OK;
}

static void destroy_step(tni_step *step) {
    const tn_kernel *kernel = step->kernel->entry->impl;
    if (step->is_prepared && kernel->release != NULL) {
        kernel->release(step->call.host, step->call.state);
    }
    tni_subgraph_runner_finish(step->call.subgraphs);
}

static void free_borders(tni_plan *plan, const tni_border *borders, uint32_t count) {
    for (uint32_t i = 0; borders != NULL && i < count; i++) {
        if (borders[i].own != NULL) {
            tni_device_free(plan->places[TNI_PLACE_DEVICE].device, borders[i].own, borders[i].size);
        }
    }
}

/* Whatever is queued ends before its memory and kernels go. */
static void destroy_places(tni_plan *plan) {
    tni_plan_drop_recordings(plan);
    tni_stream_destroy(plan->places[TNI_PLACE_DEVICE].stream);
    free_borders(plan, plan->input_borders, plan->input_count);
    free_borders(plan, plan->output_borders, plan->output_count);
    for (uint32_t i = 0; i < TNI_PLACE_COUNT; i++) {
        if (plan->places[i].buffer != NULL) {
            tni_device_free(plan->places[i].device, plan->places[i].buffer,
                            plan->places[i].buffer_size);
        }
    }
}

void tni_plan_destroy(tni_plan *plan) {
    if (plan == NULL) {
        return;
    }
    tni_segment_tasks_destroy(plan);
    tni_plan_drop_given(plan);
    destroy_places(plan);
    tni_plan_drop_known(plan);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        destroy_step(&plan->steps[i]);
    }
    for (uint32_t i = 0; plan->sparse != NULL && i < plan->sparse_count; i++) {
        tni_sparse_destroy(plan->sparse[i]);
    }
    tni_plugin_set_finish(&plan->plugins, TNI_HOLDER_SESSION);
    tn_graph_destroy(plan->own_graph);
    tni_arena_finish(&plan->memory);
    tni_free(plan);
}
