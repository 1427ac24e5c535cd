/* Plans within plans: the subgraphs of a node, and running them from its kernel. */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/plan_build.h"

/* The device that the node's attribute `device` names; NULL: where the node itself runs. */
static const char *wanted_device(const tni_node *node) {
    for (uint32_t i = 0; tni_node_is_subgraph(node) && i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, "device") == 0 &&
            node->attributes[i].value[0] != '\0') {
            return node->attributes[i].value;
        }
    }
    return NULL;
}

/* The tensor behind input `input` of the node, if it is a constant of the plan around. */
static tn_tensor *constant_of(const tni_plan_builder *builder, const tni_step *step,
                              const tni_node *node, uint32_t input) {
    if (!tni_node_is_subgraph(node) || input >= node->input_count ||
        node->inputs[input].node == TN_NO_NODE || step->place != TNI_PLACE_DEVICE) {
        return NULL;
    }
    const uint32_t source = node->inputs[input].node;
    if (source >= builder->graph->node_count) {
        return NULL; /* made by the plan: another layout */
    }
    const bool changes = builder->graph->nodes[source]->mutating_use_count > 0;
    return changes ? NULL : builder->desc->parameters[source];
}

/* Gives the plan a constant, on its own device where it has one. */
static tn_status give_constant(tni_nested_plan *nested, uint32_t number, tn_tensor *tensor,
                               tn_tensor **parameters) {
    if (nested->device == NULL) {
        parameters[number] = tensor;
        return TN_OK;
    }
    TNI_TRY(tn_tensor_to_device(tensor, nested->device, &nested->copies[number]));
    parameters[number] = nested->copies[number];
    return TN_OK;
}

static tn_status open_device(tni_plan_builder *builder, const tni_node *node,
                             const tn_graph *subgraph, tni_nested_plan *nested) {
    const char *name = wanted_device(node);
    if (name == NULL) {
        return TN_OK;
    }
    nested->copies =
        tni_arena_allocate(&builder->plan->memory, subgraph->node_count, sizeof *nested->copies);
    if (nested->copies == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    nested->copy_count = subgraph->node_count;
    return tn_device_open(builder->graph->runtime, name, &nested->device);
}

static tn_status make_plan(tni_plan_builder *builder, const tni_step *step, const tni_node *node,
                           const tn_graph *subgraph, tni_nested_plan *nested) {
    tni_arena *scratch = &builder->scratch;
    const uint32_t count = subgraph->node_count;
    tn_device *const device = builder->plan->places[step->place].device;
    uint32_t *inputs = tni_arena_allocate(scratch, count, sizeof *inputs);
    tn_tensor **parameters = tni_arena_allocate(scratch, count, sizeof *parameters);
    uint32_t *given = tni_arena_allocate(&builder->plan->memory, count, sizeof *given);
    if (inputs == NULL || parameters == NULL || given == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(open_device(builder, node, subgraph, nested));
    uint32_t input_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        tn_tensor *tensor = subgraph->nodes[i]->parameter;
        if (tni_node_is_subgraph_input(subgraph->nodes[i])) {
            tensor = constant_of(builder, step, node, nested->input_count);
            if (tensor == NULL) {
                inputs[input_count] = i;
                given[input_count++] = nested->input_count;
            }
            nested->input_count++;
        }
        if (tensor != NULL) {
            TNI_TRY(give_constant(nested, i, tensor, parameters));
        }
    }
    nested->given = given;
    nested->views = tni_arena_allocate(&builder->plan->memory, input_count, sizeof *nested->views);
    const tni_plan_desc desc = {.graph = subgraph,
                                .device = nested->device == NULL ? device : nested->device,
                                .fallback = nested->device == NULL ? NULL : device,
                                .inputs = inputs,
                                .input_count = input_count,
                                .parameters = parameters};
    return nested->views == NULL ? TN_OUT_OF_MEMORY : tni_plan_create(&desc, &nested->plan);
}

tn_status tni_plan_make_nested(tni_plan_builder *builder, tni_step *step, const tni_node *node) {
    tni_plan *plan = builder->plan;
    const tn_kernel *kernel = step->kernel->entry->impl;
    if (node->subgraph_count == 0 || (kernel->flags & TN_KERNEL_COMPILES_SUBGRAPHS) != 0) {
        return TN_OK;
    }
    if ((node->op->flags & TN_OP_DATA_DEPENDENT) != 0) {
        return tni_subgraph_sessions_create(plan, step, node);
    }
    tn_subgraph_runner *runner = tni_arena_allocate(&plan->memory, 1, sizeof *runner);
    if (runner == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    runner->plans = tni_arena_allocate(&plan->memory, node->subgraph_count, sizeof *runner->plans);
    if (runner->plans == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    step->call.subgraphs = runner;
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        runner->count++;
        TNI_TRY(tni_in(make_plan(builder, step, node, node->subgraphs[i], &runner->plans[i]),
                       "subgraph %u", i));
    }
    return TN_OK;
}

void tni_subgraph_runner_finish(tn_subgraph_runner *runner) {
    if (runner != NULL && runner->sessions != NULL) {
        tni_subgraph_sessions_destroy(runner);
        return;
    }
    for (uint32_t i = 0; runner != NULL && i < runner->count; i++) {
        tni_nested_plan *nested = &runner->plans[i];
        tni_plan_destroy(nested->plan);
        for (uint32_t j = 0; j < nested->copy_count; j++) {
            tn_tensor_release(nested->copies[j]);
        }
        tn_device_close(nested->device);
    }
}

static tn_status check_count(const char *what, uint32_t count, uint32_t wanted) {
    return count == wanted ? TN_OK
                           : tni_fail(TN_INVALID_ARGUMENT, "subgraph: %u %ss are given, it has %u",
                                      count, what, wanted);
}

static tn_status check_view(const char *what, uint32_t index, const tn_view *view,
                            const tn_tensor_type *type) {
    if (view != NULL && view->dtype == type->dtype && view->rank == type->shape.rank &&
        memcmp(view->shape, type->shape.extents, (size_t)view->rank * sizeof(int64_t)) == 0) {
        return TN_OK;
    }
    char planned[600];
    return tni_fail(TN_INVALID_ARGUMENT, "subgraph: %s %u must be %s, as it was planned", what,
                    index, tni_type_text(type, planned, sizeof planned));
}

tn_status tni_run_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                           const tn_view *const *inputs, uint32_t input_count,
                           const tn_view *const *outputs, uint32_t output_count) {
    (void)host;
    if (runner == NULL || index >= runner->count) {
        return tni_fail(TN_OUT_OF_RANGE, "the node has no subgraph %u to run", index);
    }
    if (runner->plans == NULL) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "subgraph %u: an operator whose outputs depend on elements calls "
                        "call_subgraph",
                        index);
    }
    const tni_nested_plan *nested = &runner->plans[index];
    tni_plan *plan = nested->plan;
    TNI_TRY(check_count("input", input_count, nested->input_count));
    TNI_TRY(check_count("output", output_count, plan->output_count));
    for (uint32_t i = 0; i < plan->input_count; i++) {
        nested->views[i] = inputs[nested->given[i]];
        TNI_TRY(check_view("input", nested->given[i], nested->views[i], &plan->input_types[i]));
    }
    for (uint32_t i = 0; i < output_count; i++) {
        TNI_TRY(check_view("output", i, outputs[i], &plan->output_types[i]));
    }
    return tni_in(tni_plan_run(plan, nested->views, outputs), "subgraph %u", index);
}
