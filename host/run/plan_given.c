/* Outputs whose types only their kernels know: tensors that these give while they run. */
#include "base/error.h"
#include "run/plan_build.h"

bool tni_plan_is_given(const tni_plan_builder *builder, tn_value value) {
    const tn_graph *graph = builder->graph;
    const tni_node *node = graph->nodes[value.node];
    if (node->op == NULL || (node->op->flags & TN_OP_DATA_DEPENDENT) == 0 ||
        tni_type_is_known(&graph->types[value.node][value.output])) {
        return false;
    }
    for (uint32_t i = 0; i < node->use_count; i++) { /* nothing in this plan may read it */
        const tn_use *use = &node->uses[i];
        if (use->node != TN_NO_NODE && use->input != TN_USE_CONTROL &&
            use->output == value.output && tni_graph_runs_node(graph, use->node)) {
            return false;
        }
    }
    return true;
}

tn_status tni_plan_find_given(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->given = tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tni_given));
    if (plan->given == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tn_value value = builder->graph->outputs[i];
        for (uint32_t j = 0; j < plan->step_count; j++) {
            if (tni_plan_value_of(builder, value)->is_given && plan->steps[j].node == value.node) {
                plan->given[plan->given_count++] =
                    (tni_given){.index = i, .step = &plan->steps[j], .output = value.output};
            }
        }
    }
    return TN_OK;
}

void tni_plan_take_given(tni_plan *plan, tn_tensor **tensors) {
    for (uint32_t i = 0; i < plan->given_count; i++) {
        tensors[plan->given[i].index] = plan->given[i].tensor;
        plan->given[i].tensor = NULL;
    }
}

void tni_plan_drop_given(tni_plan *plan) {
    for (uint32_t i = 0; i < plan->given_count; i++) {
        tn_tensor_release(plan->given[i].tensor);
        plan->given[i].tensor = NULL;
    }
}

static tn_status take(tni_given *given, const tn_tensor_type *planned, tn_tensor *tensor) {
    const tn_tensor_type type = tni_tensor_type(tensor);
    tn_tensor_type merged = *planned;
    bool changed = false;
    if (!tni_type_merge(&merged, &type, &changed)) {
        char have[600], want[600];
        return tni_fail(TN_INTERNAL, "the kernel gives %s for output %u, but inference says %s",
                        tni_type_text(&type, have, sizeof have), given->output,
                        tni_type_text(planned, want, sizeof want));
    }
    tn_tensor_retain(tensor);
    tn_tensor_release(given->tensor);
    given->tensor = tensor;
    return TN_OK;
}

tn_status tni_plan_give_output(const tn_run_call *call, uint32_t output, tn_tensor *tensor) {
    const tni_step *step =
        (const tni_step *)(const void *)((const char *)call - offsetof(tni_step, call));
    tni_plan *plan = step->plan;
    if (tensor == NULL || output >= call->output_count || call->outputs[output] != NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "output %u is none that the kernel gives", output);
    }
    for (uint32_t i = 0; i < plan->given_count; i++) {
        tni_given *given = &plan->given[i];
        if (given->step == step && given->output == output) {
            TNI_TRY(take(given, &plan->output_types[given->index], tensor));
        }
    }
    return TN_OK; /* an output that nothing reads */
}

tn_status tni_plan_check_given(const tni_plan *plan) {
    for (uint32_t i = 0; i < plan->given_count; i++) {
        if (plan->given[i].tensor == NULL) {
            const tni_node *node = plan->graph->nodes[plan->given[i].step->node];
            return tni_fail(TN_INTERNAL, "node '%s' (%s): the kernel did not give output %u",
                            node->name, node->entry->entry->name, plan->given[i].output);
        }
    }
    return TN_OK;
}
