/* Running a plan: the hot path of the library. */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/plan.h"

static tn_status run_failed(const tni_plan *plan, uint32_t instruction, tn_status status) {
    const tni_step *step = &plan->steps[plan->step_of_instruction[instruction]];
    const tni_node *node = plan->graph->nodes[step->node];
    return tni_in(tni_error_complete(status), "node '%s' (%s)", node->name,
                  node->entry->entry->name);
}

static tn_status run_instructions(const tni_plan *plan, uint32_t first, uint32_t count) {
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
    TNI_TRY(run_instructions(plan, 0, plan->instruction_count));
    for (uint32_t i = 0; i < plan->output_copy_count; i++) {
        const tni_border_copy *copy = &plan->output_copies[i];
        if (copy->size > 0) {
            memmove(tn_data(outputs[copy->index]), tn_data(copy->view), copy->size);
        }
    }
    return TN_OK;
}

/* Queues a copy on the device's stream, between any two of: the device, host memory. */
static tn_status queue_copy(const tni_place *device, const tn_view *source, const tn_view *target,
                            uint64_t size) {
    const tn_device_backend *backend = device->device->backend;
    void *stream = device->stream->stream;
    const bool from_host = source->device.type == TN_DEVICE_TYPE_CPU;
    const bool to_host = target->device.type == TN_DEVICE_TYPE_CPU;
    if (size == 0) {
        return TN_OK;
    }
    tni_error_clear();
    if (from_host && to_host) {
        memmove(tn_data(target), tn_data(source), size);
        return TN_OK;
    }
    if (from_host) {
        return tni_error_complete(backend->copy_from_host(stream, target->data, target->byte_offset,
                                                          tn_data(source), size));
    }
    if (to_host) {
        return tni_error_complete(backend->copy_to_host(stream, tn_data(target), source->data,
                                                        source->byte_offset, size));
    }
    return tni_error_complete(backend->copy(stream, target->data, target->byte_offset, source->data,
                                            source->byte_offset, size));
}

static tn_status queue_transfers(const tni_plan *plan, const tni_transfer *transfers,
                                 uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(tni_in(queue_copy(&plan->places[TNI_PLACE_DEVICE], transfers[i].source,
                                  transfers[i].target, transfers[i].size),
                       "copy between devices"));
    }
    return TN_OK;
}

/* Records the segment's instructions the first time, so that later runs only submit them again. */
static tn_status record(const tni_plan *plan, tni_segment *segment) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    const tn_device_backend *backend = device->device->backend;
    void *stream = device->stream->stream;
    tni_error_clear();
    TNI_TRY(tni_in(tni_error_complete(backend->begin_recording(stream)), "record"));
    const tn_status status =
        run_instructions(plan, segment->first_instruction, segment->instruction_count);
    void *recording = NULL;
    const tn_status ended = backend->end_recording(stream, &recording);
    if (status != TN_OK || ended != TN_OK) {
        if (ended == TN_OK) {
            backend->destroy_recording(device->device->device, recording);
        }
        return status != TN_OK ? status : tni_in(tni_error_complete(ended), "record");
    }
    segment->recording = recording;
    return TN_OK;
}

static tn_status run_device_segment(const tni_plan *plan, tni_segment *segment) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    const tn_device_backend *backend = device->device->backend;
    TNI_TRY(queue_transfers(plan, segment->in, segment->in_count));
    if (!segment->can_record || backend->begin_recording == NULL ||
        segment->instruction_count == 0) {
        TNI_TRY(run_instructions(plan, segment->first_instruction, segment->instruction_count));
    } else {
        if (segment->recording == NULL) {
            TNI_TRY(record(plan, segment));
        }
        tni_error_clear();
        TNI_TRY(
            tni_in(tni_error_complete(backend->replay(device->stream->stream, segment->recording)),
                   "replay"));
    }
    return queue_transfers(plan, segment->out, segment->out_count);
}

/* The device first: what it was told to send is there when the CPU begins. */
static tn_status run_segments(tni_plan *plan) {
    bool is_queued = false;
    for (uint32_t i = 0; i < plan->segment_count; i++) {
        tni_segment *segment = &plan->segments[i];
        if (segment->place == TNI_PLACE_DEVICE) {
            TNI_TRY(run_device_segment(plan, segment));
            is_queued = is_queued || segment->out_count > 0;
            continue;
        }
        if (is_queued) {
            TNI_TRY(tni_stream_finish(plan->places[TNI_PLACE_DEVICE].stream));
            is_queued = false;
        }
        TNI_TRY(run_instructions(plan, segment->first_instruction, segment->instruction_count));
    }
    return TN_OK;
}

static tn_status run_remote(tni_plan *plan, const tn_view *const *inputs,
                            const tn_view *const *outputs) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    for (uint32_t i = 0; i < plan->input_copy_count; i++) {
        const tni_border_copy *copy = &plan->input_copies[i];
        TNI_TRY(tni_in(queue_copy(device, inputs[copy->index], copy->view, copy->size), "input"));
    }
    TNI_TRY(run_segments(plan));
    for (uint32_t i = 0; i < plan->output_copy_count; i++) {
        const tni_border_copy *copy = &plan->output_copies[i];
        TNI_TRY(tni_in(queue_copy(device, copy->view, outputs[copy->index], copy->size), "output"));
    }
    return tni_stream_finish(device->stream);
}

tn_status tni_plan_run(tni_plan *plan, const tn_view *const *inputs,
                       const tn_view *const *outputs) {
    if (plan->places[TNI_PLACE_DEVICE].stream == NULL) {
        return run_local(plan, inputs, outputs);
    }
    const tn_status status = run_remote(plan, inputs, outputs);
    if (status != TN_OK) {
        /* Nothing of a failed run may still be at work on the caller's memory; the first error is
         * the one to tell. */
        char first[1024];
        strncpy(first, tn_error_message(), sizeof first - 1);
        first[sizeof first - 1] = '\0';
        tni_stream_finish(plan->places[TNI_PLACE_DEVICE].stream);
        tni_error_set("%s", first);
    }
    return status;
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
