/* Batches: taking one, handing it to the queue, and waiting between streams. */
#include "lane.h"

/* Batches on their way; more would only cost memory. */
enum { MOST_RUNNING = 64 };

static vulkan_batch *take_spare(vulkan_stream *stream) {
    pthread_mutex_lock(&stream->retire_lock);
    vulkan_batch *batch = stream->spare;
    if (batch != NULL) {
        stream->spare = batch->next;
    }
    pthread_mutex_unlock(&stream->retire_lock);
    return batch;
}

static void give_spare(vulkan_stream *stream, vulkan_batch *batch) {
    pthread_mutex_lock(&stream->retire_lock);
    batch->next = stream->spare;
    stream->spare = batch;
    pthread_mutex_unlock(&stream->retire_lock);
}

tn_status vulkan_stream_begin_batch(vulkan_stream *stream) {
    vulkan_stream_retire(stream);
    vulkan_batch *batch = take_spare(stream);
    if (batch == NULL) {
        return vulkan_batch_create(stream->device, stream->queue_family, &stream->current);
    }
    const tn_status status = vulkan_batch_reset(stream->device, batch);
    if (status != TN_OK) {
        give_spare(stream, batch);
        return status;
    }
    stream->current = batch;
    return TN_OK;
}

static tn_status submit_to_queue(vulkan_stream *stream, vulkan_batch *batch, uint64_t value) {
    enum { FEW = 16 };
    vulkan_device *device = stream->device;
    VkSemaphore semaphores[FEW];
    uint64_t values[FEW];
    VkPipelineStageFlags stages[FEW];
    const uint32_t count = batch->waits.count;
    for (uint32_t i = 0; i < count; i++) {
        semaphores[i] = batch->waits.at[i].timeline->semaphore;
        values[i] = batch->waits.at[i].value;
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = count,
        .pWaitSemaphoreValues = values,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = count,
        .pWaitSemaphores = semaphores,
        .pWaitDstStageMask = stages,
        .commandBufferCount = batch->ended.count,
        .pCommandBuffers = batch->ended.at,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &stream->timeline->semaphore,
    };
    atomic_fetch_add_explicit(&device->statistics.submits, 1, memory_order_relaxed);
    pthread_mutex_lock(&stream->queue->lock);
    const VkResult result =
        VK_CALL(device, QueueSubmit, stream->queue->handle, 1, &info, VK_NULL_HANDLE);
    pthread_mutex_unlock(&stream->queue->lock);
    return result == VK_SUCCESS ? TN_OK : vulkan_fail(device, "vkQueueSubmit", result);
}

static void set_running(vulkan_stream *stream, vulkan_batch *batch, uint64_t value) {
    batch->value = value;
    batch->next = NULL;
    pthread_mutex_lock(&stream->retire_lock);
    if (stream->running_end != NULL) {
        stream->running_end->next = batch;
    } else {
        stream->running = batch;
    }
    stream->running_end = batch;
    stream->running_count++;
    atomic_store(&stream->submitted, value);
    pthread_mutex_unlock(&stream->retire_lock);
}

static tn_status end_and_submit(vulkan_stream *stream, vulkan_batch *batch, uint64_t value) {
    TN_TRY(vulkan_batch_close(stream->device, batch));
    const VkResult result = vulkan_batch_flush_uploads(batch);
    if (result != VK_SUCCESS) {
        return vulkan_fail(stream->device, "vkFlushMappedMemoryRanges", result);
    }
    return submit_to_queue(stream, batch, value);
}

/* Waits for one of those that run when there are many. */
static tn_status hold_back(vulkan_stream *stream) {
    uint64_t value = 0;
    pthread_mutex_lock(&stream->retire_lock);
    if (stream->running_count >= MOST_RUNNING) {
        value = stream->running->value;
    }
    pthread_mutex_unlock(&stream->retire_lock);
    return value > 0 ? vulkan_stream_wait_value(stream, value, UINT64_MAX) : TN_OK;
}

tn_status vulkan_stream_flush(vulkan_stream *stream) {
    if (stream->current == NULL && stream->waits.count == 0) {
        return TN_OK;
    }
    TN_TRY(vulkan_require_alive(stream->device));
    if (stream->current == NULL) { /* nothing but waits: an empty batch has them */
        TN_TRY(vulkan_stream_begin_batch(stream));
    }
    vulkan_batch *batch = stream->current;
    tn_status status = TN_OK;
    for (; stream->waits.count > 0 && status == TN_OK; stream->waits.count--) {
        if (!VULKAN_LIST_RESERVE(&batch->waits)) {
            status = vulkan_fail_list(stream->device);
            break;
        }
        batch->waits.at[batch->waits.count++] = stream->waits.at[stream->waits.count - 1];
    }
    const uint64_t value = atomic_load(&stream->submitted) + 1;
    if (status == TN_OK) {
        status = end_and_submit(stream, batch, value);
    }
    stream->current = NULL;
    if (status == TN_OK) {
        set_running(stream, batch, value);
        return hold_back(stream);
    }
    /* What was recorded never runs, and what it left unknown is guarded by a barrier. */
    vulkan_range_tracker_open_all(&stream->tracker);
    stream->awaited_download = 0;
    vulkan_ring_mark upload = batch->upload, readback = batch->readback;
    vulkan_batch_finish(stream->device, batch, 0);
    vulkan_ring_give(&stream->upload, &upload);
    vulkan_ring_give(&stream->readback, &readback);
    give_spare(stream, batch);
    return status;
}

tn_status vulkan_submit(void *stream, uint64_t *out_ticket) {
    vulkan_stream *vulkan = stream;
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (vulkan->recording != NULL) {
        return tn_fail(vulkan->device->host, TN_FAILED_PRECONDITION,
                       "submit while a recording is made: end_recording comes first");
    }
    vulkan->submit_after = VULKAN_SUBMIT_FIRST;
    TN_TRY(vulkan_stream_flush(vulkan));
    *out_ticket = atomic_load(&vulkan->submitted);
    return TN_OK;
}

/* Of one stream only the latest value counts. */
tn_status vulkan_stream_add_wait(vulkan_stream *stream, vulkan_timeline *timeline, uint64_t value) {
    enum { MOST_WAITS = 16 };
    if (stream->current != NULL) { /* what was queued before does not wait */
        TN_TRY(vulkan_stream_flush(stream));
    }
    for (uint32_t i = 0; i < stream->waits.count; i++) {
        vulkan_semaphore_wait *wait = &stream->waits.at[i];
        if (wait->timeline == timeline) {
            wait->value = value > wait->value ? value : wait->value;
            return TN_OK;
        }
    }
    if (stream->waits.count == MOST_WAITS) { /* as many as a submit takes: send those on */
        TN_TRY(vulkan_stream_flush(stream));
    }
    if (!VULKAN_LIST_RESERVE(&stream->waits)) {
        return vulkan_fail_list(stream->device);
    }
    atomic_fetch_add(&timeline->references, 1);
    stream->waits.at[stream->waits.count++] = (vulkan_semaphore_wait){timeline, value};
    return TN_OK;
}

tn_status vulkan_wait_stream(void *stream, void *other, uint64_t ticket) {
    vulkan_stream *later = stream;
    vulkan_stream *earlier = other;
    TN_TRY(vulkan_require_alive(later->device));
    const uint64_t last = atomic_load(&earlier->submitted);
    if (ticket > last) {
        return tn_fail(later->device->host, TN_INVALID_ARGUMENT,
                       "ticket %llu was never given: the stream's last is %llu",
                       (unsigned long long)ticket, (unsigned long long)last);
    }
    if (later->recording != NULL) {
        return tn_fail(later->device->host, TN_FAILED_PRECONDITION,
                       "wait_stream while a recording is made: wait before it is replayed");
    }
    if (later == earlier || ticket == 0) {
        return TN_OK;
    }
    if (later->device != earlier->device) { /* their semaphores do not know each other */
        TN_TRY(vulkan_stream_flush(later));
        return vulkan_wait(earlier, ticket, UINT64_MAX);
    }
    const uint64_t download = vulkan_lane_value(earlier, ticket);
    if (download > 0) {
        TN_TRY(vulkan_stream_add_wait(later, earlier->download_lane->timeline, download));
    }
    return vulkan_stream_add_wait(later, earlier->timeline, ticket);
}
