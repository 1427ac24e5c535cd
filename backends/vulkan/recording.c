/*
 * Recordings: command buffers that are made once and submitted many times, perhaps while an earlier
 * run is still on its way. A recording begins with a barrier against all before it, and what
 * follows a run begins with one against all of it.
 */
#include "lane.h"

#include <stdlib.h>

static tn_status create_recording(vulkan_device *device, vulkan_recording **out_recording) {
    vulkan_recording *recording = calloc(1, sizeof *recording);
    if (recording == NULL) {
        return vulkan_fail_list(device);
    }
    const tn_status status = vulkan_batch_create(device, device->queue_family, &recording->batch);
    if (status != TN_OK) {
        free(recording);
        return status;
    }
    recording->device = device;
    recording->batch->is_recording = 1;
    atomic_init(&recording->references, 1);
    *out_recording = recording;
    return TN_OK;
}

void vulkan_recording_release(vulkan_recording *recording) {
    if (atomic_fetch_sub(&recording->references, 1) == 1) {
        vulkan_batch_destroy(recording->device, recording->batch);
        free(recording);
    }
}

tn_status vulkan_begin_recording(void *stream) {
    vulkan_stream *vulkan = stream;
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (vulkan->recording != NULL) {
        return tn_fail(vulkan->device->host, TN_FAILED_PRECONDITION,
                       "begin_recording while a recording is made");
    }
    TN_TRY(create_recording(vulkan->device, &vulkan->recording));
    vulkan_range_tracker_open_all(&vulkan->recording_tracker);
    return TN_OK;
}

/* The bytes that the host put into memory of the recording's own. */
static tn_status end(vulkan_device *device, vulkan_batch *batch) {
    TN_TRY(vulkan_batch_close(device, batch));
    const VkResult result = vulkan_batch_flush_uploads(batch);
    return result == VK_SUCCESS ? TN_OK : vulkan_fail(device, "vkFlushMappedMemoryRanges", result);
}

tn_status vulkan_end_recording(void *stream, void **out_recording) {
    vulkan_stream *vulkan = stream;
    vulkan_recording *recording = vulkan->recording;
    if (recording == NULL) {
        return tn_fail(vulkan->device->host, TN_FAILED_PRECONDITION,
                       "end_recording without begin_recording");
    }
    vulkan->recording = NULL;
    const tn_status status = end(vulkan->device, recording->batch);
    if (status != TN_OK) {
        vulkan_recording_release(recording);
        return status;
    }
    *out_recording = recording;
    return TN_OK;
}

/* All that can fail, before anything is changed. */
static tn_status reserve(vulkan_stream *stream, vulkan_batch *batch,
                         const vulkan_recording *recording) {
    const vulkan_batch *recorded = recording->batch;
    TN_TRY(vulkan_batch_close(stream->device, batch));
    int fits = VULKAN_LIST_RESERVE(&batch->recordings);
    while (fits && batch->ended.count + recorded->ended.count > batch->ended.capacity) {
        fits = vulkan_list_grow(&batch->ended.at, &batch->ended.capacity, sizeof *batch->ended.at);
    }
    while (fits && batch->readbacks.count + recorded->readbacks.count > batch->readbacks.capacity) {
        fits = vulkan_list_grow(&batch->readbacks.at, &batch->readbacks.capacity,
                                sizeof *batch->readbacks.at);
    }
    return fits ? TN_OK : vulkan_fail_list(stream->device);
}

static void append(vulkan_batch *batch, vulkan_recording *recording) {
    const vulkan_batch *recorded = recording->batch;
    for (uint32_t i = 0; i < recorded->ended.count; i++) {
        batch->ended.at[batch->ended.count++] = recorded->ended.at[i];
    }
    for (uint32_t i = 0; i < recorded->readbacks.count; i++) {
        batch->readbacks.at[batch->readbacks.count++] = recorded->readbacks.at[i];
    }
    for (uint32_t i = 0; i < recorded->buffers.count; i++) {
        atomic_fetch_add_explicit(&recorded->buffers.at[i]->uses, 1, memory_order_relaxed);
    }
    atomic_fetch_add(&recording->references, 1);
    batch->recordings.at[batch->recordings.count++] = recording;
}

/* A run that reads back has memory for one: the run before must be over. */
static tn_status wait_for_last(vulkan_stream *stream, vulkan_recording *recording) {
    if (recording->batch->readbacks.count == 0) {
        return TN_OK;
    }
    if (recording->last_stream == stream) {
        TN_TRY(vulkan_stream_flush(stream));
        return vulkan_stream_wait_value(stream, recording->last_value, UINT64_MAX);
    }
    if (recording->last_stream != NULL) {
        return tn_fail(stream->device->host, TN_FAILED_PRECONDITION,
                       "a recording that copies to the host is replayed on one stream only");
    }
    return TN_OK;
}

tn_status vulkan_replay(void *stream, void *recording) {
    vulkan_stream *vulkan = stream;
    vulkan_recording *replayed = recording;
    vulkan_batch *batch;
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (vulkan->recording != NULL || replayed->device != vulkan->device) {
        return tn_fail(vulkan->device->host, TN_FAILED_PRECONDITION,
                       "replay while a recording is made, or on another device");
    }
    TN_TRY(wait_for_last(vulkan, replayed));
    TN_TRY(vulkan_lane_guard_all(vulkan)); /* what it writes is not looked at */
    TN_TRY(vulkan_stream_batch(vulkan, &batch));
    TN_TRY(reserve(vulkan, batch, replayed));
    append(batch, replayed);
    vulkan_range_tracker_open_all(&vulkan->tracker);
    replayed->last_stream = vulkan;
    replayed->last_value = atomic_load(&vulkan->submitted) + 1;
    return vulkan_stream_end(vulkan, 0);
}

void vulkan_destroy_recording(void *device, void *recording) {
    const vulkan_device *vulkan = device;
    if (recording != NULL && *vulkan->alive != 0) {
        vulkan_recording_release(recording);
    }
}
