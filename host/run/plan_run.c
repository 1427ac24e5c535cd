/* Running a plan: the hot path of the library. */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/plan.h"

static tn_status run_failed(const tni_plan *plan, uint32_t instruction, tn_status status) {
    const tni_node *node =
        plan->graph->nodes[plan->steps[plan->step_of_instruction[instruction]].node];
    return tni_in(tni_error_complete(status), "node '%s' (%s)", node->name,
                  node->entry->entry->name);
}

static tn_status copy_output(const tni_plan *plan, const tni_output_copy *copy,
                             const tn_view *target) {
    if (copy->size == 0) {
        return TN_OK;
    }
    if (plan->device->flags & TN_DEVICE_HOST_ADDRESSABLE) {
        memmove(tn_data(target), tn_data(copy->source), copy->size);
        return TN_OK;
    }
    return plan->device->backend->copy(plan->device->stream->stream, target->data,
                                       target->byte_offset, copy->source->data,
                                       copy->source->byte_offset, copy->size);
}

static tn_status finish_stream(const tni_plan *plan) {
    const tn_device *device = plan->device;
    uint64_t ticket;
    if (device->flags & TN_DEVICE_SYNCHRONOUS) {
        return TN_OK;
    }
    TNI_TRY(device->backend->submit(device->stream->stream, &ticket));
    return device->backend->wait(device->stream->stream, ticket, UINT64_MAX);
}

static void patch(const tni_patch *patches, uint32_t count, const tn_view *const *views) {
    for (uint32_t i = 0; i < count; i++) {
        patches[i].view->data = views[patches[i].index]->data;
        patches[i].view->byte_offset = views[patches[i].index]->byte_offset;
    }
}

tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs,
                       const tn_view *const *outputs) {
    patch(plan->input_patches, plan->input_patch_count, inputs);
    patch(plan->output_patches, plan->output_patch_count, outputs);
    const tni_instruction *instructions = plan->instructions;
    const uint32_t count = plan->instruction_count;
    for (uint32_t i = 0; i < count; i++) {
        const tn_status status = instructions[i].run(instructions[i].call);
        if (__builtin_expect(status != TN_OK, 0)) {
            return run_failed(plan, i, status);
        }
    }
    for (uint32_t i = 0; i < plan->output_copy_count; i++) {
        const tni_output_copy *copy = &plan->output_copies[i];
        TNI_TRY(copy_output(plan, copy, outputs[copy->index]));
    }
    return finish_stream(plan);
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
