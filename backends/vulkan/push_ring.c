/*
 * Push data that the device does not take as push constants: written into chunks of mapped memory
 * that kernels read as a buffer. A chunk serves one command buffer, so that a recording keeps its
 * own, and goes round from one that is done to the next.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { CHUNK_SIZE = 64 << 10 };

static void destroy_chunk(vulkan_device *device, vulkan_push_chunk *chunk) {
    vulkan_free(device, chunk->buffer);
    free(chunk);
}

/* vulkan_release: the command buffer that used it is done. */
static void give_chunk(void *context, void *object) {
    vulkan_device *device = context;
    vulkan_push_chunk *chunk = object;
    chunk->used = 0;
    pthread_mutex_lock(&device->kernels->lock);
    chunk->next = device->kernels->chunks;
    device->kernels->chunks = chunk;
    pthread_mutex_unlock(&device->kernels->lock);
}

static tn_status create_chunk(vulkan_device *device, vulkan_push_chunk **out_chunk) {
    void *buffer;
    vulkan_push_chunk *chunk = calloc(1, sizeof *chunk);
    if (chunk == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for push data: %zu bytes",
                       sizeof *chunk);
    }
    const uint64_t alignment = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    const tn_status status =
        vulkan_allocate(device, CHUNK_SIZE, alignment, TN_MEMORY_UPLOAD, &buffer);
    if (status != TN_OK) {
        free(chunk);
        return status;
    }
    chunk->buffer = buffer;
    *out_chunk = chunk;
    return TN_OK;
}

/* A chunk for the command buffer that is recorded now. The command holds it as one of its buffers,
 * so that what is written is flushed with the others where memory is not coherent. */
static tn_status take_chunk(vulkan_stream *stream, vulkan_stream_state *state) {
    vulkan_device *device = vulkan_stream_device(stream);
    pthread_mutex_lock(&device->kernels->lock);
    vulkan_push_chunk *chunk = device->kernels->chunks;
    if (chunk != NULL) {
        device->kernels->chunks = chunk->next;
    }
    pthread_mutex_unlock(&device->kernels->lock);
    if (chunk == NULL) {
        TN_TRY(create_chunk(device, &chunk));
    }
    const vulkan_use use = {chunk->buffer, 0, 0, TN_ACCESS_READ};
    VkCommandBuffer commands;
    tn_status status =
        vulkan_stream_begin(stream, &use, 1, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, &commands);
    if (status == TN_OK) {
        status = vulkan_stream_defer(stream, give_chunk, device, chunk);
    }
    if (status != TN_OK) {
        give_chunk(device, chunk);
        return status;
    }
    state->chunk = chunk;
    return TN_OK;
}

tn_status vulkan_push_ring_write(vulkan_stream *stream, vulkan_stream_state *state,
                                 const void *data, uint32_t size,
                                 VkDescriptorBufferInfo *out_place) {
    const vulkan_device *device = vulkan_stream_device(stream);
    const uint64_t alignment = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    if (state->chunk == NULL || state->chunk->used + size > CHUNK_SIZE) {
        TN_TRY(take_chunk(stream, state));
    }
    vulkan_push_chunk *chunk = state->chunk;
    memcpy((char *)chunk->buffer->address + chunk->used, data, size);
    *out_place =
        (VkDescriptorBufferInfo){chunk->buffer->handle, chunk->buffer->offset + chunk->used, size};
    chunk->used = (chunk->used + size + alignment - 1) / alignment * alignment;
    return TN_OK;
}

void vulkan_push_chunks_close(vulkan_device *device) {
    while (device->kernels->chunks != NULL) {
        vulkan_push_chunk *chunk = device->kernels->chunks;
        device->kernels->chunks = chunk->next;
        destroy_chunk(device, chunk);
    }
}
