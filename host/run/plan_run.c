/* Running a plan: the hot path of the library. */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/profile.h"

static tn_status run_failed(const tni_plan *plan, uint32_t instruction, tn_status status) {
    const tni_step *step = &plan->steps[plan->step_of_instruction[instruction]];
    const tni_node *node = tni_plan_node(plan, step->node);
    return tni_in(tni_error_complete(status), "node '%s' (%s)", node->name,
                  node->entry->entry->name);
}

tn_status tni_plan_run_instructions(const tni_plan *plan, uint32_t first, uint32_t count) {
    if (__builtin_expect(plan->profile != NULL, 0)) {
        uint32_t failed = first;
        const tn_status status = tni_profile_run(plan, first, count, &failed);
        return status == TN_OK ? TN_OK : run_failed(plan, failed, status);
    }
    const tni_instruction *instructions = plan->instructions + first;
    for (uint32_t i = 0; i < count; i++) {
        const tn_status status = instructions[i].run(instructions[i].call);
        if (__builtin_expect(status != TN_OK, 0)) {
            return run_failed(plan, first + i, status);
        }
    }
    return TN_OK;
}

static void patch(const tni_patch *patches, uint32_t count, const tn_view *const *views) {
    for (uint32_t i = 0; i < count; i++) {
        patches[i].view->data = views[patches[i].index]->data;
        patches[i].view->byte_offset = views[patches[i].index]->byte_offset;
    }
}

/* On the CPU: everything is where the kernels want it, but for outputs that share memory. */
static tn_status run_local(tni_plan *plan, const tn_view *const *inputs,
                           const tn_view *const *outputs) {
    patch(plan->input_patches, plan->input_patch_count, inputs);
    patch(plan->output_patches, plan->output_patch_count, outputs);
    TNI_TRY(tni_plan_run_instructions(plan, 0, plan->instruction_count));
    for (uint32_t i = 0; i < plan->output_copy_count; i++) {
        const tni_output_copy *copy = &plan->output_copies[i];
        if (copy->size > 0) {
            memmove(tn_data(outputs[copy->index]), tn_data(copy->source), copy->size);
        }
    }
    return TN_OK;
}

tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs,
                       const tn_view *const *outputs) {
    return plan->places[TNI_PLACE_DEVICE].stream == NULL
               ? run_local(plan, inputs, outputs)
               : tni_plan_run_remote(plan, inputs, outputs);
}

static tn_status check_views(const char *what, const tn_view *const *views, uint32_t count,
                             const tn_tensor_type *types, uint32_t wanted) {
    if (count != wanted) {
        return tni_fail(TN_INVALID_ARGUMENT, "subgraph: %u %ss are given, it has %u", count, what,
                        wanted);
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool same = views[i] != NULL && views[i]->dtype == types[i].dtype &&
                          views[i]->rank == types[i].shape.rank &&
                          memcmp(views[i]->shape, types[i].shape.extents,
                                 (size_t)views[i]->rank * sizeof(int64_t)) == 0;
        if (!same) {
            char planned[600];
            return tni_fail(TN_INVALID_ARGUMENT, "subgraph: %s %u must be %s, as it was planned",
                            what, i, tni_type_text(&types[i], planned, sizeof planned));
        }
    }
    return TN_OK;
}

tn_status tni_run_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                           const tn_view *const *inputs, uint32_t input_count,
                           const tn_view *const *outputs, uint32_t output_count) {
    (void)host;
    if (runner == NULL || index >= runner->count) {
        return tni_fail(TN_OUT_OF_RANGE, "the node has no subgraph %u", index);
    }
    tni_plan *plan = runner->plans[index];
    TNI_TRY(check_views("input", inputs, input_count, plan->input_types, plan->input_count));
    TNI_TRY(check_views("output", outputs, output_count, plan->output_types, plan->output_count));
    return tni_in(tni_plan_run(plan, inputs, outputs), "subgraph %u", index);
}
