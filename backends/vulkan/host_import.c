/*
 * Buffers over the host's own pages. Pinning them costs about as much as two threads' copying:
 * where more threads are to be had, staging is faster and nothing is imported.
 */
#include "heap.h"
#include "transfer.h"

#include <stdlib.h>

static const uint64_t least_import = 16u << 20;

/* From as many threads on, copying wins. */
enum { ENOUGH_THREADS = 4 };

static int can_copy_faster(const vulkan_device *device) {
    const tn_parallel_service *parallel = TN_SERVICE(device->host, parallel);
    return parallel != NULL && parallel->thread_count(device->host) >= ENOUGH_THREADS;
}

/* Drivers may take what is not aligned, and copy something else: it is checked here. */
int vulkan_import_pages(const vulkan_device *device, const void *address, uint64_t size,
                        vulkan_pages *out_pages) {
    const uint64_t page = device->physical->import_alignment;
    if (!VULKAN_HAS(device->features, HOST_IMPORT) || page == 0 || size < least_import + 2 * page ||
        can_copy_faster(device)) {
        return 0;
    }
    const uint64_t front = (page - (uintptr_t)address % page) % page;
    *out_pages = (vulkan_pages){front, (size - front) / page * page};
    return 1;
}

/* Pages that are no one's to write, or that no queue reaches, are refused by the driver; so are all
 * when it has no more to pin. None of that is an error. */
vulkan_buffer *vulkan_import(vulkan_device *device, const void *address, uint64_t size) {
    vulkan_buffer *buffer = calloc(1, sizeof *buffer);
    vulkan_block *block = NULL;
    if (buffer == NULL) {
        return NULL;
    }
    vulkan_heap *heap = device->heap;
    pthread_mutex_lock(&heap->lock);
    const VkResult result = vulkan_block_import(device, (void *)(uintptr_t)address, size, &block);
    if (result == VK_SUCCESS) {
        block->next = heap->blocks[TN_MEMORY_UPLOAD];
        heap->blocks[TN_MEMORY_UPLOAD] = block;
        heap->allocated += size;
        heap->count++;
    }
    pthread_mutex_unlock(&heap->lock);
    if (result != VK_SUCCESS) {
        free(buffer);
        return NULL;
    }
    atomic_fetch_add(&device->statistics.bytes_imported, size);
    buffer->device = device;
    buffer->handle = block->buffer;
    buffer->size = size;
    buffer->memory = TN_MEMORY_UPLOAD;
    buffer->is_coherent = 1; /* imported memory always is */
    buffer->is_host_read = 1;
    buffer->block = block;
    atomic_init(&buffer->references, 1);
    return buffer;
}
