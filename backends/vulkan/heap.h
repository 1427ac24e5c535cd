/*
 * The device's memory: blocks of vkAllocateMemory with one VkBuffer over each, cut up by a
 * sub-allocator, and blocks of their own for large buffers.
 */
#ifndef TENON_BACKENDS_VULKAN_HEAP_H
#define TENON_BACKENDS_VULKAN_HEAP_H

#include "backend.h"
#include "tlsf.h"

enum { VULKAN_MEMORY_KINDS = 3 }; /* TN_MEMORY_… */

typedef struct vulkan_block {
    struct vulkan_block *next;
    VkDeviceMemory memory;
    VkBuffer buffer;
    uint64_t size;
    uint32_t type;
    uint32_t kind; /* TN_MEMORY_… */
    uint32_t is_coherent;
    uint32_t is_host_read;
    void *address; /* NULL: not mapped */
    tlsf *ranges;  /* NULL: one buffer has it all */
} vulkan_block;

struct vulkan_heap {
    pthread_mutex_t lock;
    vulkan_block *blocks[VULKAN_MEMORY_KINDS];
    uint32_t block_counts[VULKAN_MEMORY_KINDS]; /* of those that are shared */
    uint32_t memory_count;                      /* of all: vkAllocateMemory has a limit */
    uint64_t reserved[VK_MAX_MEMORY_HEAPS];     /* bytes of blocks */
    uint64_t allocated;                         /* bytes in the host's hands */
    uint64_t peak;
    uint64_t count;
    uint64_t block_size; /* 0: by the heap's size */
};

tn_status vulkan_heap_create(vulkan_device *device, uint64_t block_size, vulkan_heap **out_heap);
/* Says in the log what is still allocated, and frees it. */
void vulkan_heap_destroy(vulkan_device *device, vulkan_heap *heap);

/* Gives back blocks that nothing lies in. Under the lock. */
void vulkan_heap_trim(vulkan_device *device);

/* Bytes that could still be had, by the driver's budget or an estimate. Under the lock. */
uint64_t vulkan_heap_available(vulkan_device *device);

/* block.c: one call of vkAllocateMemory and all around it. The call that failed is named. Under
 * the lock. */
VkResult vulkan_block_create(vulkan_device *device, uint32_t kind, uint64_t size, int is_shared,
                             vulkan_block **out_block, const char **out_call);
void vulkan_block_destroy(vulkan_device *device, vulkan_block *block);
/* Over whole pages of the host's. Under the lock. */
VkResult vulkan_block_import(vulkan_device *device, void *address, uint64_t size,
                             vulkan_block **out_block);

/* Makes what the host wrote visible to the device, or the other way round, where memory is not
 * coherent. The whole buffer. */
VkResult vulkan_buffer_flush(vulkan_buffer *buffer);
VkResult vulkan_buffer_invalidate(vulkan_buffer *buffer);

/* stream.c: gives up what finished work held, on all streams; `vulkan_device_drain` first waits
 * for all work that is queued. */
void vulkan_device_retire(vulkan_device *device);
void vulkan_device_drain(vulkan_device *device);

#endif
