/*
 * Running a plan on a device other than the CPU: work is queued on the plan's stream, the CPU
 * computes what the device cannot, and what crosses between them is copied at the segments'
 * borders.
 */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "run/plan.h"

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

void tni_plan_drop_recordings(tni_plan *plan) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    for (uint32_t i = 0; i < plan->segment_count; i++) {
        if (plan->segments[i].recording != NULL) {
            device->device->backend->destroy_recording(device->device->device,
                                                       plan->segments[i].recording);
            plan->segments[i].recording = NULL;
        }
    }
}

/* Records the segment's instructions, so that later runs only submit them again. */
static tn_status record(const tni_plan *plan, tni_segment *segment) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    const tn_device_backend *backend = device->device->backend;
    void *stream = device->stream->stream;
    tni_error_clear();
    TNI_TRY(tni_in(tni_error_complete(backend->begin_recording(stream)), "record"));
    const tn_status status =
        tni_plan_run_instructions(plan, segment->first_instruction, segment->instruction_count);
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

/* Recording pays when the same addresses come again, which a run on new ones cannot know. */
static bool pays_to_record(const tni_plan *plan, const tni_segment *segment) {
    return plan->profile == NULL && segment->can_record && segment->instruction_count > 0 &&
           plan->same_runs > 0 &&
           plan->places[TNI_PLACE_DEVICE].device->backend->begin_recording != NULL;
}

static tn_status run_device_segment(const tni_plan *plan, tni_segment *segment) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    TNI_TRY(queue_transfers(plan, segment->in, segment->in_count));
    if (!pays_to_record(plan, segment)) {
        TNI_TRY(tni_plan_run_instructions(plan, segment->first_instruction,
                                          segment->instruction_count));
    } else {
        if (segment->recording == NULL) {
            TNI_TRY(record(plan, segment));
        }
        tni_error_clear();
        TNI_TRY(tni_in(tni_error_complete(device->device->backend->replay(device->stream->stream,
                                                                          segment->recording)),
                       "replay"));
    }
    return queue_transfers(plan, segment->out, segment->out_count);
}

/* A segment of the device that sends something ends when it is there: the CPU reads it next. */
tn_status tni_plan_run_segment(tni_plan *plan, tni_segment *segment) {
    if (segment->place == TNI_PLACE_HOST) {
        return tni_plan_run_instructions(plan, segment->first_instruction,
                                         segment->instruction_count);
    }
    TNI_TRY(run_device_segment(plan, segment));
    return segment->out_count > 0 ? tni_stream_finish(plan->places[TNI_PLACE_DEVICE].stream)
                                  : TN_OK;
}

static tn_status run_segments(tni_plan *plan) {
    if (plan->tasks != NULL) {
        return tni_segment_tasks_run(plan);
    }
    for (uint32_t i = 0; i < plan->segment_count; i++) {
        TNI_TRY(tni_plan_run_segment(plan, &plan->segments[i]));
    }
    return TN_OK;
}

static bool is_host(const tn_view *view) {
    return view->device.type == TN_DEVICE_TYPE_CPU;
}

/* A view of the plan's own memory for a border, in the shape of the caller's. */
static tn_view own_view(const tni_plan *plan, const tni_border *border, const tn_view *given) {
    tn_view view = *given;
    view.device = plan->places[TNI_PLACE_DEVICE].device->id;
    view.data = border->own;
    view.byte_offset = 0;
    return view;
}

/* Chooses where a border lies in this run. */
static tn_status settle(const tni_plan *plan, tni_border *border, const tn_view *given,
                        bool *out_changed) {
    if (!border->is_used) {
        return TN_OK;
    }
    if (is_host(given) && border->own == NULL) {
        TNI_TRY(
            tni_device_allocate(plan->places[TNI_PLACE_DEVICE].device, border->size, &border->own));
    }
    void *data = is_host(given) ? border->own : given->data;
    const uint64_t offset = is_host(given) ? 0 : given->byte_offset;
    *out_changed = *out_changed || border->data != data || border->offset != offset;
    border->data = data;
    border->offset = offset;
    return TN_OK;
}

static void patch(const tni_patch *patches, uint32_t count, const tni_border *borders) {
    for (uint32_t i = 0; i < count; i++) {
        patches[i].view->data = borders[patches[i].index].data;
        patches[i].view->byte_offset = borders[patches[i].index].offset;
    }
}

static tn_status settle_borders(tni_plan *plan, const tn_view *const *inputs,
                                const tn_view *const *outputs) {
    bool changed = false;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        TNI_TRY(settle(plan, &plan->input_borders[i], inputs[i], &changed));
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        TNI_TRY(settle(plan, &plan->output_borders[i], outputs[i], &changed));
    }
    if (changed) {
        tni_plan_drop_recordings(plan);
        plan->same_runs = 0;
        patch(plan->input_patches, plan->input_patch_count, plan->input_borders);
        patch(plan->output_patches, plan->output_patch_count, plan->output_borders);
    } else if (plan->same_runs < UINT32_MAX) {
        plan->same_runs++;
    }
    return TN_OK;
}

static tn_status bring_inputs(tni_plan *plan, const tn_view *const *inputs) {
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const tni_border *border = &plan->input_borders[i];
        if (border->is_used && is_host(inputs[i])) {
            const tn_view own = own_view(plan, border, inputs[i]);
            TNI_TRY(
                tni_in(queue_copy(&plan->places[TNI_PLACE_DEVICE], inputs[i], &own, border->size),
                       "input"));
        }
    }
    return TN_OK;
}

static tn_status send_outputs(tni_plan *plan, const tn_view *const *outputs) {
    const tni_place *device = &plan->places[TNI_PLACE_DEVICE];
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tni_border *border = &plan->output_borders[i];
        if (border->is_used && is_host(outputs[i])) {
            const tn_view own = own_view(plan, border, outputs[i]);
            TNI_TRY(tni_in(queue_copy(device, &own, outputs[i], border->size), "output"));
        }
    }
    for (uint32_t i = 0; i < plan->output_copy_count; i++) {
        const tni_output_copy *copy = &plan->output_copies[i];
        const tn_view *target = outputs[copy->index];
        TNI_TRY(tni_in(copy->is_sparse ? tni_plan_copy_sparse(copy->source, target)
                                       : queue_copy(device, copy->source, target, copy->size),
                       "output"));
    }
    return TN_OK;
}

static tn_status queue_run(tni_plan *plan, const tn_view *const *inputs,
                           const tn_view *const *outputs) {
    TNI_TRY(settle_borders(plan, inputs, outputs));
    for (uint32_t i = 0; i < plan->sparse_patch_count; i++) {
        plan->sparse_patches[i].view->data = inputs[plan->sparse_patches[i].index]->data;
    }
    TNI_TRY(bring_inputs(plan, inputs));
    TNI_TRY(run_segments(plan));
    TNI_TRY(queue_transfers(plan, plan->returns, plan->return_count));
    TNI_TRY(send_outputs(plan, outputs));
    return tni_stream_finish(plan->places[TNI_PLACE_DEVICE].stream);
}

tn_status tni_plan_run_remote(tni_plan *plan, const tn_view *const *inputs,
                              const tn_view *const *outputs) {
    const tn_status status = queue_run(plan, inputs, outputs);
    if (status != TN_OK) {
        /* Nothing of a failed run may still be at work on the caller's memory; the first error is
         * the one to tell. */
        char first[1024];
        strncpy(first, tn_error_message(), sizeof first - 1);
        first[sizeof first - 1] = '\0';
        tni_stream_finish(plan->places[TNI_PLACE_DEVICE].stream);
        tni_error_set("%s", first);
        tni_plan_drop_recordings(plan);
    }
    return status;
}
