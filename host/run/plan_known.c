/*
 * Values whose elements are known before a run: what follows from constants and from types, as
 * shapes do. They are constants of the plan. Nodes that make nothing else are not run, and neither
 * is what only they read.
 */
#include "base/error.h"
#include "graph/values.h"
#include "run/plan_build.h"

static bool is_known(const tn_graph *graph, uint32_t number) {
    const tni_node *node = graph->nodes[number];
    bool all = node->op != NULL;
    for (uint32_t i = 0; all && i < node->output_count; i++) {
        all = tni_values_find(graph, (tn_value){number, i}) != NULL;
    }
    return all;
}

static void need_sources(const tni_plan_builder *builder, const tni_node *node,
                         unsigned char *is_needed) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t source = node->inputs[i].node;
        if (source != TN_NO_NODE && tni_graph_runs_node(builder->graph, source)) {
            is_needed[source] = 1;
        }
    }
    for (uint32_t i = 0; i < node->control_count; i++) {
        is_needed[node->controls[i]] = 1;
    }
}

tn_status tni_plan_find_known(tni_plan_builder *builder) {
    const tn_graph *graph = builder->graph;
    unsigned char *is_needed = tni_arena_allocate(&builder->scratch, graph->node_count, 1);
    builder->is_known = tni_arena_allocate(&builder->scratch, graph->node_count, 1);
    if (is_needed == NULL || builder->is_known == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        is_needed[graph->outputs[i].node] = 1;
    }
    for (uint32_t i = builder->order_count; i-- > 0;) {
        const uint32_t number = builder->order[i];
        builder->is_known[number] = is_known(graph, number);
        if (is_needed[number] && !builder->is_known[number]) {
            need_sources(builder, graph->nodes[number], is_needed);
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        if (is_needed[builder->order[i]]) {
            builder->order[kept++] = builder->order[i];
        }
    }
    builder->order_count = kept;
    return TN_OK;
}

static uint32_t count_known(const tni_plan_builder *builder) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        if (tni_plan_is_known(builder, builder->order[i])) {
            count += tni_plan_node(builder->plan, builder->order[i])->output_count;
        }
    }
    return count;
}

tn_status tni_plan_take_known(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    const uint32_t count = count_known(builder);
    plan->constants = tni_arena_allocate(&plan->memory, count, sizeof(tni_constant));
    if (plan->constants == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        const uint32_t outputs =
            tni_plan_is_known(builder, number) ? tni_plan_node(plan, number)->output_count : 0;
        for (uint32_t j = 0; j < outputs; j++) {
            tni_plan_value *value = &builder->values[number][j];
            tni_constant *constant = &plan->constants[plan->constant_count];
            tn_tensor *elements = tni_values_find(builder->graph, (tn_value){number, j});
            value->constant = plan->constant_count++;
            tn_tensor_retain(elements);
            constant->at[TNI_PLACE_HOST] = elements;
            if (plan->places[TNI_PLACE_DEVICE].stream == NULL) {
                tn_tensor_retain(elements);
                constant->at[TNI_PLACE_DEVICE] = elements;
            } else if (value->is_used[TNI_PLACE_DEVICE]) {
                TNI_TRY(tn_tensor_to_device(elements, plan->places[TNI_PLACE_DEVICE].device,
                                            &constant->at[TNI_PLACE_DEVICE]));
            }
        }
    }
    return TN_OK;
}

void tni_plan_drop_known(tni_plan *plan) {
    for (uint32_t i = 0; i < plan->constant_count; i++) {
        for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
            tn_tensor_release(plan->constants[i].at[place]);
        }
    }
}
