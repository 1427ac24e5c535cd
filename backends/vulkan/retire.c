/* Waiting for work, and finishing the batches that are done. */
#include "heap.h"
#include "lane.h"

#include <time.h>

/* The longest wait in one call of the driver's: how long a loss on another thread goes unseen. */
static const uint64_t slice_ns = 20000000;

/* Under the retire lock. */
static void finish_first(vulkan_stream *stream) {
    vulkan_batch *batch = stream->running;
    stream->running = batch->next;
    stream->running_end = stream->running != NULL ? stream->running_end : NULL;
    stream->running_count--;
    const vulkan_ring_mark upload = batch->upload, readback = batch->readback;
    const VkResult result = vulkan_batch_finish(stream->device, batch, 1);
    if (result != VK_SUCCESS) {
        stream->failure = vulkan_fail(stream->device, "vkInvalidateMappedMemoryRanges", result);
        stream->failure_value = batch->value;
    }
    vulkan_ring_give(&stream->upload, &upload);
    vulkan_ring_give(&stream->readback, &readback);
    batch->next = stream->spare;
    stream->spare = batch;
    atomic_store(&stream->retired, batch->value);
}

/* Finishes all up to `value`, which the timeline has reached. */
static void finish_to(vulkan_stream *stream, uint64_t value) {
    pthread_mutex_lock(&stream->retire_lock);
    while (stream->running != NULL && stream->running->value <= value) {
        finish_first(stream);
    }
    pthread_mutex_unlock(&stream->retire_lock);
}

void vulkan_stream_retire(vulkan_stream *stream) {
    vulkan_device *device = stream->device;
    uint64_t value = 0;
    if (atomic_load(&stream->retired) == atomic_load(&stream->submitted) ||
        atomic_load(&device->lost) != 0) {
        return;
    }
    const VkResult result = VK_CALL(device, GetSemaphoreCounterValue, device->handle,
                                    stream->timeline->semaphore, &value);
    if (result == VK_SUCCESS) { /* else a wait will say so */
        finish_to(stream, value);
    }
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In slices, between which the loss of the device is seen. */
static tn_status wait_semaphore(vulkan_stream *stream, uint64_t value, uint64_t timeout_ns) {
    vulkan_device *device = stream->device;
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &stream->timeline->semaphore,
        .pValues = &value,
    };
    const uint64_t begin = timeout_ns > 0 && timeout_ns < UINT64_MAX ? now_ns() : 0;
    for (uint64_t left = timeout_ns;;) {
        const uint64_t slice = left < slice_ns ? left : slice_ns;
        const VkResult result = VK_CALL(device, WaitSemaphores, device->handle, &info, slice);
        if (result == VK_SUCCESS) {
            return TN_OK;
        }
        if (result != VK_TIMEOUT) {
            return vulkan_fail(device, "vkWaitSemaphores", result);
        }
        TN_TRY(vulkan_require_alive(device));
        if (timeout_ns < UINT64_MAX) {
            const uint64_t passed = begin > 0 ? now_ns() - begin : 0;
            if (passed >= timeout_ns) {
                return tn_fail(device->host, TN_TIMEOUT,
                               "ticket %llu is not complete after %llu ns",
                               (unsigned long long)value, (unsigned long long)timeout_ns);
            }
            left = timeout_ns - passed;
        }
    }
}

tn_status vulkan_stream_wait_value(vulkan_stream *stream, uint64_t value, uint64_t timeout_ns) {
    if (value <= atomic_load(&stream->retired)) {
        return TN_OK;
    }
    TN_TRY(vulkan_require_alive(stream->device));
    TN_TRY(wait_semaphore(stream, value, timeout_ns));
    finish_to(stream, value);
    return TN_OK;
}

/* What is left of a time-out; none is without end. */
static uint64_t time_left(uint64_t timeout_ns, uint64_t begin_ns) {
    const uint64_t passed = timeout_ns == UINT64_MAX || timeout_ns == 0 ? 0 : now_ns() - begin_ns;
    return passed < timeout_ns ? timeout_ns - passed : 0;
}

tn_status vulkan_wait(void *stream, uint64_t ticket, uint64_t timeout_ns) {
    vulkan_stream *vulkan = stream;
    const uint64_t begin = timeout_ns > 0 && timeout_ns < UINT64_MAX ? now_ns() : 0;
    const uint64_t last = atomic_load(&vulkan->submitted);
    if (ticket > last) {
        return tn_fail(vulkan->device->host, TN_INVALID_ARGUMENT,
                       "ticket %llu was never given: the stream's last is %llu",
                       (unsigned long long)ticket, (unsigned long long)last);
    }
    TN_TRY(vulkan_stream_wait_value(vulkan, ticket, timeout_ns));
    pthread_mutex_lock(&vulkan->retire_lock);
    const tn_status failure = vulkan->failure_value >= ticket ? vulkan->failure : TN_OK;
    pthread_mutex_unlock(&vulkan->retire_lock);
    if (failure != TN_OK) {
        tn_set_error(vulkan->device->host, failure, "what was copied to the host is not valid");
        return failure;
    }
    const uint64_t download = vulkan_lane_value(vulkan, ticket);
    return download > 0 ? vulkan_wait(vulkan->download_lane, download, time_left(timeout_ns, begin))
                        : TN_OK;
}

void vulkan_device_retire(vulkan_device *device) {
    pthread_mutex_lock(&device->streams_lock);
    for (vulkan_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        vulkan_stream_retire(stream);
    }
    pthread_mutex_unlock(&device->streams_lock);
}

void vulkan_device_drain(vulkan_device *device) {
    pthread_mutex_lock(&device->streams_lock);
    for (vulkan_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        (void)vulkan_stream_wait_value(stream, atomic_load(&stream->submitted), UINT64_MAX);
    }
    pthread_mutex_unlock(&device->streams_lock);
}
