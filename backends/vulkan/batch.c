/* Command buffers and the lists of what they need. */
#include "batch.h"

#include <stdlib.h>

#include "heap.h"
#include "memcopy.h"

/* The pointer is of another type in each list, so that it is read and written as bytes. */
int vulkan_list_grow(void *at, uint32_t *capacity, size_t size) {
    void *old;
    memcpy(&old, at, sizeof old);
    const uint32_t more = *capacity < 16 ? 16 : *capacity * 2;
    void *grown = more > *capacity ? realloc(old, more * size) : NULL;
    if (grown == NULL) {
        return 0;
    }
    memcpy(at, &grown, sizeof grown);
    *capacity = more;
    return 1;
}

tn_status vulkan_fail_list(const vulkan_device *device) {
    return tn_fail(device->host, TN_OUT_OF_MEMORY, "no host memory to note a command");
}

tn_status vulkan_batch_create(vulkan_device *device, uint32_t queue_family,
                              vulkan_batch **out_batch) {
    vulkan_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL) {
        return vulkan_fail_list(device);
    }
    const VkCommandPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = queue_family,
    };
    const VkResult result =
        VK_CALL(device, CreateCommandPool, device->handle, &info, NULL, &batch->pool);
    if (result != VK_SUCCESS) {
        free(batch);
        return vulkan_fail(device, "vkCreateCommandPool", result);
    }
    batch->stages =
        VK_PIPELINE_STAGE_TRANSFER_BIT |
        (queue_family == device->queue_family ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0);
    batch->number = atomic_fetch_add(&device->next_batch, 1) + 1;
    *out_batch = batch;
    return TN_OK;
}

void vulkan_batch_destroy(vulkan_device *device, vulkan_batch *batch) {
    vulkan_batch_finish(device, batch, 0);
    device->vk.DestroyCommandPool(device->handle, batch->pool, NULL);
    free(batch->owned.at);
    free(batch->ended.at);
    free(batch->buffers.at);
    free(batch->deferred.at);
    free(batch->readbacks.at);
    free(batch->waits.at);
    free(batch->recordings.at);
    free(batch);
}

tn_status vulkan_batch_reset(vulkan_device *device, vulkan_batch *batch) {
    batch->number = atomic_fetch_add(&device->next_batch, 1) + 1;
    batch->next = NULL;
    batch->value = 0;
    batch->commands = 0;
    batch->work = 0;
    if (batch->used == 0) {
        return TN_OK;
    }
    const VkResult result = VK_CALL(device, ResetCommandPool, device->handle, batch->pool, 0);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkResetCommandPool", result);
    }
    batch->used = 0;
    return TN_OK;
}

/* One more command buffer of the pool. */
static tn_status add_commands(vulkan_device *device, vulkan_batch *batch) {
    if (!VULKAN_LIST_RESERVE(&batch->owned)) {
        return vulkan_fail_list(device);
    }
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = batch->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands;
    const VkResult result =
        VK_CALL(device, AllocateCommandBuffers, device->handle, &info, &commands);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkAllocateCommandBuffers", result);
    }
    batch->owned.at[batch->owned.count++] = commands;
    return TN_OK;
}

tn_status vulkan_batch_open(vulkan_device *device, vulkan_batch *batch) {
    if (batch->open != NULL) {
        return TN_OK;
    }
    if (batch->used == batch->owned.count) {
        TN_TRY(add_commands(device, batch));
    }
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = batch->is_recording ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                                     : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkCommandBuffer commands = batch->owned.at[batch->used];
    batch->used++; /* also when it fails: then it is in no state to be begun again */
    const VkResult result = VK_CALL(device, BeginCommandBuffer, commands, &info);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkBeginCommandBuffer", result);
    }
    batch->open = commands;
    batch->open_number = atomic_fetch_add(&device->next_batch, 1) + 1;
    batch->writes_visible = 0;
    atomic_fetch_add_explicit(&device->statistics.command_buffers, 1, memory_order_relaxed);
    return TN_OK;
}

VkAccessFlags vulkan_batch_accesses(const vulkan_batch *batch, VkAccessFlags accesses) {
    const VkAccessFlags shader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    return (batch->stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) != 0 ? accesses
                                                                       : accesses & ~shader;
}

/* A semaphore makes writes available, but not to the host: that takes a barrier. */
static void make_visible(vulkan_device *device, const vulkan_batch *batch) {
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask =
            vulkan_batch_accesses(batch, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT),
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    device->vk.CmdPipelineBarrier(batch->open, batch->stages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                  &barrier, 0, NULL, 0, NULL);
}

tn_status vulkan_batch_close(vulkan_device *device, vulkan_batch *batch) {
    if (batch->open == NULL) {
        return TN_OK;
    }
    if (!VULKAN_LIST_RESERVE(&batch->ended)) {
        return vulkan_fail_list(device);
    }
    if (batch->writes_visible) {
        make_visible(device, batch);
    }
    const VkCommandBuffer commands = batch->open;
    batch->open = NULL;
    const VkResult result = VK_CALL(device, EndCommandBuffer, commands);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkEndCommandBuffer", result);
    }
    batch->ended.at[batch->ended.count++] = commands;
    return TN_OK;
}

tn_status vulkan_batch_retain(vulkan_device *device, vulkan_batch *batch, vulkan_buffer *buffer) {
    if (atomic_load_explicit(&buffer->batch, memory_order_relaxed) == batch->number) {
        return TN_OK;
    }
    if (!VULKAN_LIST_RESERVE(&batch->buffers)) {
        return vulkan_fail_list(device);
    }
    batch->buffers.at[batch->buffers.count++] = buffer;
    vulkan_buffer_retain(buffer);
    if (!batch->is_recording) {
        atomic_fetch_add_explicit(&buffer->uses, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&buffer->batch, batch->number, memory_order_relaxed);
    return TN_OK;
}

static VkResult invalidate(const vulkan_batch *batch) {
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < batch->buffers.count && result == VK_SUCCESS; i++) {
        vulkan_buffer *buffer = batch->buffers.at[i];
        if (!buffer->is_coherent && buffer->memory != TN_MEMORY_UPLOAD) {
            result = vulkan_buffer_invalidate(buffer);
        }
    }
    for (uint32_t i = 0; i < batch->recordings.count && result == VK_SUCCESS; i++) {
        result = invalidate(batch->recordings.at[i]->batch);
    }
    return result;
}

VkResult vulkan_batch_flush_uploads(vulkan_batch *batch) {
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < batch->buffers.count && result == VK_SUCCESS; i++) {
        vulkan_buffer *buffer = batch->buffers.at[i];
        if (!buffer->is_coherent && buffer->memory != TN_MEMORY_DEVICE) {
            result = vulkan_buffer_flush(buffer);
        }
    }
    for (uint32_t i = 0; i < batch->recordings.count && result == VK_SUCCESS; i++) {
        result = vulkan_batch_flush_uploads(batch->recordings.at[i]->batch);
    }
    return result;
}

static VkResult read_back(vulkan_device *device, const vulkan_batch *batch) {
    const VkResult result = invalidate(batch);
    for (uint32_t i = 0; i < batch->readbacks.count && result == VK_SUCCESS; i++) {
        const vulkan_readback *row = &batch->readbacks.at[i];
        vulkan_memcopy(device, row->target, (const char *)row->staging->address + row->offset,
                       row->size);
        atomic_fetch_add(&device->statistics.bytes_staged, row->size);
    }
    return result;
}

static void release_recordings(vulkan_batch *batch) {
    for (uint32_t i = 0; i < batch->recordings.count; i++) {
        vulkan_recording *recording = batch->recordings.at[i];
        for (uint32_t b = 0; b < recording->batch->buffers.count; b++) {
            atomic_fetch_sub_explicit(&recording->batch->buffers.at[b]->uses, 1,
                                      memory_order_release);
        }
        vulkan_recording_release(recording);
    }
    batch->recordings.count = 0;
}

VkResult vulkan_batch_finish(vulkan_device *device, vulkan_batch *batch, int is_done) {
    const VkResult result = is_done ? read_back(device, batch) : VK_SUCCESS;
    batch->readbacks.count = 0;
    release_recordings(batch);
    for (uint32_t i = 0; i < batch->deferred.count; i++) {
        const vulkan_deferred *row = &batch->deferred.at[i];
        row->release(row->context, row->object);
    }
    batch->deferred.count = 0;
    for (uint32_t i = 0; i < batch->buffers.count; i++) {
        if (!batch->is_recording) {
            atomic_fetch_sub_explicit(&batch->buffers.at[i]->uses, 1, memory_order_release);
        }
        vulkan_buffer_release(batch->buffers.at[i]);
    }
    batch->buffers.count = 0;
    for (uint32_t i = 0; i < batch->waits.count; i++) {
        vulkan_timeline_release(device, batch->waits.at[i].timeline);
    }
    batch->waits.count = 0;
    batch->ended.count = 0;
    batch->open = NULL;
    batch->upload = (vulkan_ring_mark){0};
    batch->readback = (vulkan_ring_mark){0};
    return result;
}

void vulkan_timeline_release(vulkan_device *device, vulkan_timeline *timeline) {
    if (timeline != NULL && atomic_fetch_sub(&timeline->references, 1) == 1) {
        device->vk.DestroySemaphore(device->handle, timeline->semaphore, NULL);
        free(timeline);
    }
}
