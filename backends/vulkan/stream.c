/* Streams: recording commands into batches, and submitting them. */
#include "stream.h"

#include <stdlib.h>

#include "heap.h"

/* Commands before the first submit; doubled at each up to the most. The device begins early, and a
 * long run costs few submits. */
enum { SUBMIT_FIRST = 16, SUBMIT_MOST = 256 };

/* Bytes that a batch's commands move before it is submitted, whatever their number. */
static const uint64_t most_work = 512u << 20;

/* Batches on their way; more would only cost memory. */
enum { MOST_RUNNING = 64 };

static tn_status create_timeline(vulkan_device *device, vulkan_timeline **out_timeline) {
    vulkan_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL) {
        return vulkan_fail_list(device);
    }
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    const VkResult result =
        VK_CALL(device, CreateSemaphore, device->handle, &info, NULL, &timeline->semaphore);
    if (result != VK_SUCCESS) {
        free(timeline);
        return vulkan_fail(device, "vkCreateSemaphore", result);
    }
    atomic_init(&timeline->references, 1);
    *out_timeline = timeline;
    return TN_OK;
}

tn_status vulkan_create_stream(void *device, void **out_stream) {
    vulkan_device *vulkan = device;
    TN_TRY(vulkan_require_alive(vulkan));
    vulkan_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return tn_fail(vulkan->host, TN_OUT_OF_MEMORY, "no memory for a stream: %zu bytes",
                       sizeof *stream);
    }
    const tn_status status = create_timeline(vulkan, &stream->timeline);
    if (status != TN_OK) {
        free(stream);
        return status;
    }
    const uint32_t number = atomic_fetch_add(&vulkan->next_queue, 1);
    stream->device = vulkan;
    stream->queue = &vulkan->queues[number % vulkan->queue_count];
    stream->submit_after = SUBMIT_FIRST;
    pthread_mutex_init(&stream->retire_lock, NULL);
    pthread_mutex_lock(&vulkan->streams_lock);
    stream->next = vulkan->streams;
    vulkan->streams = stream;
    pthread_mutex_unlock(&vulkan->streams_lock);
    *out_stream = stream;
    return TN_OK;
}

static void unlist(vulkan_device *device, const vulkan_stream *stream) {
    pthread_mutex_lock(&device->streams_lock);
    for (vulkan_stream **place = &device->streams; *place != NULL; place = &(*place)->next) {
        if (*place == stream) {
            *place = stream->next;
            break;
        }
    }
    pthread_mutex_unlock(&device->streams_lock);
}

static void destroy_batches(vulkan_device *device, vulkan_batch *batch) {
    while (batch != NULL) {
        vulkan_batch *next = batch->next;
        vulkan_batch_destroy(device, batch);
        batch = next;
    }
}

/* A device that is lost answers at once; one that only seems to be, by a fault on purpose, is still
 * at work on what is about to be destroyed. */
static void wait_for_all(vulkan_stream *stream) {
    const uint64_t a_second = 1000000000u;
    vulkan_device *device = stream->device;
    const uint64_t value = atomic_load(&stream->submitted);
    if (vulkan_stream_wait_value(stream, value, UINT64_MAX) != TN_OK) {
        const VkSemaphoreWaitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
            .semaphoreCount = 1,
            .pSemaphores = &stream->timeline->semaphore,
            .pValues = &value,
        };
        (void)device->vk.WaitSemaphores(device->handle, &info, a_second);
    }
}

void vulkan_destroy_stream(void *device, void *stream) {
    vulkan_device *vulkan = device;
    vulkan_stream *gone = stream;
    if (gone == NULL || *vulkan->alive == 0) {
        return;
    }
    if (gone->recording != NULL) {
        vulkan_recording_release(gone->recording);
        gone->recording = NULL;
    }
    if (atomic_load(&vulkan->lost) == 0 && vulkan_stream_flush(gone) != TN_OK) {
        tn_log(vulkan->host, TN_LOG_WARNING,
               "vulkan: the last commands of a stream were lost when it was destroyed");
    }
    wait_for_all(gone);
    unlist(vulkan, gone);
    vulkan_kernels_stream_finish(vulkan, gone->kernels);
    destroy_batches(vulkan, gone->current);
    destroy_batches(vulkan, gone->running);
    destroy_batches(vulkan, gone->spare);
    for (uint32_t i = 0; i < gone->waits.count; i++) {
        vulkan_timeline_release(vulkan, gone->waits.at[i].timeline);
    }
    free(gone->waits.at);
    vulkan_ring_finish(&gone->upload);
    vulkan_ring_finish(&gone->readback);
    vulkan->vk.DestroyQueryPool(vulkan->handle, gone->times, NULL);
    vulkan_timeline_release(vulkan, gone->timeline);
    pthread_mutex_destroy(&gone->retire_lock);
    free(gone);
}

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

static tn_status begin_batch(vulkan_stream *stream) {
    vulkan_stream_retire(stream);
    vulkan_batch *batch = take_spare(stream);
    if (batch == NULL) {
        return vulkan_batch_create(stream->device, &stream->current);
    }
    const tn_status status = vulkan_batch_reset(stream->device, batch);
    if (status != TN_OK) {
        give_spare(stream, batch);
        return status;
    }
    stream->current = batch;
    return TN_OK;
}

tn_status vulkan_stream_batch(vulkan_stream *stream, vulkan_batch **out_batch) {
    if (stream->recording != NULL) {
        *out_batch = stream->recording->batch;
        return TN_OK;
    }
    if (stream->current == NULL) {
        TN_TRY(begin_batch(stream));
    }
    *out_batch = stream->current;
    return TN_OK;
}

static void record_barrier(vulkan_device *device, VkCommandBuffer commands,
                           const vulkan_barrier *barrier) {
    const VkPipelineStageFlags after =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = barrier->writes,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    device->vk.CmdPipelineBarrier(commands, barrier->stages, after, 0, barrier->writes != 0,
                                  &memory, 0, NULL, 0, NULL);
    atomic_fetch_add_explicit(&device->statistics.barriers, 1, memory_order_relaxed);
}

/* The ranges in pieces of the tracker's size: a command with more needs a barrier anyway. */
static void track(vulkan_stream *stream, vulkan_batch *batch, const vulkan_use *uses,
                  uint32_t count, VkPipelineStageFlags stage) {
    vulkan_range ranges[VULKAN_MAX_RANGES];
    vulkan_range_tracker *tracker =
        stream->recording != NULL ? &stream->recording_tracker : &stream->tracker;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = uses[i].buffer->offset + uses[i].offset;
        batch->writes_visible |=
            uses[i].buffer->address != NULL && (uses[i].access & TN_ACCESS_WRITE) != 0;
        if (uses[i].size > 0 && used < VULKAN_MAX_RANGES) {
            ranges[used++] = (vulkan_range){uses[i].buffer->handle, begin, begin + uses[i].size,
                                            uses[i].access, 0};
        }
    }
    if (count > VULKAN_MAX_RANGES) {
        vulkan_range_tracker_open_all(tracker);
    }
    vulkan_barrier barrier;
    if (vulkan_range_tracker_use(tracker, ranges, used, stage, &barrier)) {
        record_barrier(stream->device, batch->open, &barrier);
    }
    if (count > VULKAN_MAX_RANGES) {
        vulkan_range_tracker_open_all(tracker);
    }
}

tn_status vulkan_stream_begin(vulkan_stream *stream, const vulkan_use *uses, uint32_t count,
                              VkPipelineStageFlags stage, VkCommandBuffer *out_commands) {
    vulkan_device *device = stream->device;
    vulkan_batch *batch;
    TN_TRY(vulkan_require_alive(device));
    TN_TRY(vulkan_stream_batch(stream, &batch));
    TN_TRY(vulkan_batch_open(device, batch));
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(vulkan_batch_retain(device, batch, uses[i].buffer));
    }
    track(stream, batch, uses, count, stage);
    *out_commands = batch->open;
    return TN_OK;
}

tn_status vulkan_stream_end(vulkan_stream *stream, uint64_t work) {
    vulkan_batch *batch = stream->current;
    if (stream->recording != NULL || batch == NULL) {
        return TN_OK;
    }
    batch->commands++;
    batch->work += work;
    if (batch->commands < stream->submit_after && batch->work < most_work) {
        return TN_OK;
    }
    stream->submit_after =
        stream->submit_after < SUBMIT_MOST ? stream->submit_after * 2 : SUBMIT_MOST;
    return vulkan_stream_flush(stream);
}

tn_status vulkan_stream_defer(vulkan_stream *stream, vulkan_release release, void *context,
                              void *object) {
    vulkan_batch *batch;
    TN_TRY(vulkan_stream_batch(stream, &batch));
    if (!VULKAN_LIST_RESERVE(&batch->deferred)) {
        return vulkan_fail_list(stream->device);
    }
    batch->deferred.at[batch->deferred.count++] = (vulkan_deferred){release, context, object};
    return TN_OK;
}

int vulkan_stream_is_recording(const vulkan_stream *stream) {
    return stream->recording != NULL;
}

uint64_t vulkan_stream_commands_number(const vulkan_stream *stream) {
    const vulkan_batch *batch =
        stream->recording != NULL ? stream->recording->batch : stream->current;
    return batch != NULL ? batch->open_number : 0;
}

vulkan_device *vulkan_stream_device(const vulkan_stream *stream) {
    return stream->device;
}

struct vulkan_stream_kernels **vulkan_stream_kernels(vulkan_stream *stream) {
    return &stream->kernels;
}

/* ---- Submitting ---- */

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
        TN_TRY(begin_batch(stream));
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
    vulkan->submit_after = SUBMIT_FIRST;
    TN_TRY(vulkan_stream_flush(vulkan));
    *out_ticket = atomic_load(&vulkan->submitted);
    return TN_OK;
}

/* Of one stream only the latest value counts. */
static tn_status add_wait(vulkan_stream *stream, vulkan_timeline *timeline, uint64_t value) {
    enum { MOST_WAITS = 16 };
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
    if (later->current != NULL) { /* what was queued before does not wait */
        TN_TRY(vulkan_stream_flush(later));
    }
    return add_wait(later, earlier->timeline, ticket);
}
