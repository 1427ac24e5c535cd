/* Streams: making and ending them, and recording commands into their batches. */
#include "lane.h"

#include <stdlib.h>

#include "heap.h"

/* Commands before the first submit; doubled at each up to the most. The device begins early, and a
 * long run costs few submits. */
enum { SUBMIT_MOST = 256 };

/* Bytes that a batch's commands move before it is submitted, whatever their number. */
static const uint64_t most_work = 512u << 20;

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

tn_status vulkan_stream_create_on(vulkan_device *device, vulkan_queue *queue, uint32_t queue_family,
                                  vulkan_stream **out_stream) {
    vulkan_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for a stream: %zu bytes",
                       sizeof *stream);
    }
    const tn_status status = create_timeline(device, &stream->timeline);
    if (status != TN_OK) {
        free(stream);
        return status;
    }
    stream->device = device;
    stream->queue = queue;
    stream->queue_family = queue_family;
    stream->submit_after = VULKAN_SUBMIT_FIRST;
    pthread_mutex_init(&stream->retire_lock, NULL);
    pthread_mutex_lock(&device->streams_lock);
    stream->next = device->streams;
    device->streams = stream;
    pthread_mutex_unlock(&device->streams_lock);
    *out_stream = stream;
    return TN_OK;
}

tn_status vulkan_create_stream(void *device, void **out_stream) {
    vulkan_device *vulkan = device;
    vulkan_stream *stream;
    TN_TRY(vulkan_require_alive(vulkan));
    const uint32_t number = atomic_fetch_add(&vulkan->next_queue, 1) % vulkan->queue_count;
    TN_TRY(vulkan_stream_create_on(vulkan, &vulkan->queues[number], vulkan->queue_family, &stream));
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
 * at work on what is about to be destroyed. 0: the work did not end in time. */
static int wait_for_all(vulkan_stream *stream) {
    const uint64_t a_second = 1000000000u;
    vulkan_device *device = stream->device;
    const uint64_t value = atomic_load(&stream->submitted);
    const tn_status status = vulkan_stream_wait_value(stream, value, device->close_timeout_ns);
    if (status != TN_OK && status != TN_TIMEOUT) {
        const VkSemaphoreWaitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
            .semaphoreCount = 1,
            .pSemaphores = &stream->timeline->semaphore,
            .pValues = &value,
        };
        (void)device->vk.WaitSemaphores(device->handle, &info, a_second);
    }
    return status != TN_TIMEOUT;
}

/* Work that may never end still uses what the stream has: it stays, and so does the device. */
static void give_up(vulkan_stream *stream) {
    vulkan_device *device = stream->device;
    atomic_store(&device->lost, 1);
    tn_log(device->host, TN_LOG_ERROR,
           "vulkan: work on '%s' did not end in %llu ms: the device counts as lost, and what the "
           "work uses is not freed",
           device->physical->properties.deviceName,
           (unsigned long long)(device->close_timeout_ns / 1000000));
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
    if (!wait_for_all(gone)) {
        give_up(gone);
        return;
    }
    vulkan_destroy_stream(vulkan, gone->upload_lane);
    vulkan_destroy_stream(vulkan, gone->download_lane);
    unlist(vulkan, gone);
    vulkan_kernels_stream_finish(vulkan, gone->kernels);
    destroy_batches(vulkan, gone->current);
    destroy_batches(vulkan, gone->running);
    destroy_batches(vulkan, gone->spare);
    for (uint32_t i = 0; i < gone->waits.count; i++) {
        vulkan_timeline_release(vulkan, gone->waits.at[i].timeline);
    }
    free(gone->waits.at);
    free(gone->downloads.at);
    vulkan_ring_finish(&gone->upload);
    vulkan_ring_finish(&gone->readback);
    vulkan->vk.DestroyQueryPool(vulkan->handle, gone->times, NULL);
    vulkan_timeline_release(vulkan, gone->timeline);
    pthread_mutex_destroy(&gone->retire_lock);
    free(gone);
}

tn_status vulkan_stream_batch(vulkan_stream *stream, vulkan_batch **out_batch) {
    if (stream->recording != NULL) {
        *out_batch = stream->recording->batch;
        return TN_OK;
    }
    if (stream->current == NULL) {
        TN_TRY(vulkan_stream_begin_batch(stream));
    }
    *out_batch = stream->current;
    return TN_OK;
}

static void record_barrier(vulkan_device *device, const vulkan_batch *batch,
                           const vulkan_barrier *barrier) {
    const VkAccessFlags after = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = vulkan_batch_accesses(batch, barrier->writes),
        .dstAccessMask = vulkan_batch_accesses(batch, after),
    };
    device->vk.CmdPipelineBarrier(batch->open, barrier->stages & batch->stages, batch->stages, 0,
                                  barrier->writes != 0, &memory, 0, NULL, 0, NULL);
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
            uses[i].buffer->is_host_read && (uses[i].access & TN_ACCESS_WRITE) != 0;
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
        record_barrier(stream->device, batch, &barrier);
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
    TN_TRY(vulkan_lane_guard(stream, uses, count));
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

struct vulkan_stream_kernels **vulkan_stream_kernels_slot(vulkan_stream *stream) {
    return &stream->kernels;
}
