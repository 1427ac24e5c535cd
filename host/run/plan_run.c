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
        if (copy->is_sparse) {
            TNI_TRY(tni_plan_copy_sparse(copy->source, outputs[copy->index]));
        } else if (copy->size > 0) {
            memmove(tn_data(outputs[copy->index]), tn_data(copy->source), copy->size);
        }
    }
    return TN_OK;
}

tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs,
                       const tn_view *const *outputs) {
    tn_status status = plan->places[TNI_PLACE_DEVICE].stream == NULL
                           ? run_local(plan, inputs, outputs)
                           : tni_plan_run_remote(plan, inputs, outputs);
    if (plan->given_count == 0) {
        return status;
    }
    if (status == TN_OK) {
        status = tni_plan_check_given(plan);
    }
    if (status != TN_OK) {
        tni_plan_drop_given(plan);
    }
    return status;
}
