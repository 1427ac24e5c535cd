/* Blocks: which a buffer goes into, and what is done when none has room. */
#include "heap.h"

#include <stdlib.h>

#include "memory_types.h"

tn_status vulkan_heap_create(vulkan_device *device, uint64_t block_size, vulkan_heap **out_heap) {
    vulkan_heap *heap = calloc(1, sizeof *heap);
    if (heap == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for the heap's tables");
    }
    pthread_mutex_init(&heap->lock, NULL);
    heap->block_size = block_size;
    *out_heap = heap;
    return TN_OK;
}

void vulkan_heap_destroy(vulkan_device *device, vulkan_heap *heap) {
    if (heap == NULL) {
        return;
    }
    if (heap->count > 0) {
        tn_log(device->host, TN_LOG_WARNING,
               "vulkan: '%s' is closed with %llu buffers of %llu bytes alive",
               device->physical->properties.deviceName, (unsigned long long)heap->count,
               (unsigned long long)heap->allocated);
    }
    for (uint32_t kind = 0; kind < VULKAN_MEMORY_KINDS; kind++) {
        while (heap->blocks[kind] != NULL) {
            vulkan_block *block = heap->blocks[kind];
            heap->blocks[kind] = block->next;
            vulkan_block_destroy(device, block);
        }
    }
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

static void remove_block(vulkan_device *device, vulkan_block **place) {
    vulkan_block *block = *place;
    *place = block->next;
    device->heap->block_counts[block->kind] -= block->ranges != NULL ? 1 : 0;
    vulkan_block_destroy(device, block);
}

void vulkan_heap_trim(vulkan_device *device) {
    for (uint32_t kind = 0; kind < VULKAN_MEMORY_KINDS; kind++) {
        for (vulkan_block **place = &device->heap->blocks[kind]; *place != NULL;) {
            if ((*place)->ranges != NULL && tlsf_is_empty((*place)->ranges)) {
                remove_block(device, place);
            } else {
                place = &(*place)->next;
            }
        }
    }
}

/* With the driver's budget; else nine tenths of each heap less what we hold. */
uint64_t vulkan_heap_available(vulkan_device *device) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    const int is_said = VULKAN_HAS(device->features, MEMORY_BUDGET);
    if (is_said) {
        memory.pNext = &budget;
        device->vk.GetPhysicalDeviceMemoryProperties2(device->physical->handle, &memory);
    }
    uint64_t available = 0;
    for (uint32_t i = 0; i < device->physical->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &device->physical->memory.memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
            available +=
                is_said ? vulkan_budget_left(heap->size, budget.heapBudget[i], budget.heapUsage[i])
                        : vulkan_budget_left(heap->size, heap->size / 10 * 9,
                                             device->heap->reserved[i]);
        }
    }
    return available;
}

/* A range in a block that is there. */
static int take_range(vulkan_device *device, uint32_t kind, uint64_t size, uint64_t alignment,
                      vulkan_buffer *buffer) {
    for (vulkan_block *block = device->heap->blocks[kind]; block != NULL; block = block->next) {
        if (block->ranges != NULL) {
            buffer->node = tlsf_allocate(block->ranges, size, alignment);
            if (buffer->node != NULL) {
                buffer->block = block;
                return 1;
            }
        }
    }
    return 0;
}

static void keep_block(vulkan_heap *heap, vulkan_block *block) {
    block->next = heap->blocks[block->kind];
    heap->blocks[block->kind] = block;
    heap->block_counts[block->kind] += block->ranges != NULL ? 1 : 0;
}

static uint64_t block_size(const vulkan_device *device, uint32_t kind) {
    const VkPhysicalDeviceMemoryProperties *memory = &device->physical->memory;
    const vulkan_heap *heap = device->heap;
    if (heap->block_size > 0) {
        return heap->block_size;
    }
    uint32_t types[VK_MAX_MEMORY_TYPES];
    const uint32_t count =
        vulkan_memory_types_rank(memory, UINT32_MAX, kind, device->features, types);
    const uint64_t heap_size =
        count > 0 ? memory->memoryHeaps[memory->memoryTypes[types[0]].heapIndex].size : 0;
    return vulkan_block_size(heap_size, device->physical->max_allocation_size,
                             heap->block_counts[kind]);
}

/* A new block: shared, of the usual size or a half or a quarter of it, for what is small; of its
 * own for what is large, or when nothing larger is to be had. */
static VkResult take_block(vulkan_device *device, uint32_t kind, uint64_t size, uint64_t alignment,
                           vulkan_buffer *buffer, const char **out_call) {
    const uint64_t usual = block_size(device, kind);
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    vulkan_block *block;
    for (uint64_t shared = usual;
         shared >= usual / 4 && size <= shared / 2 && alignment <= shared / 2; shared /= 2) {
        result = vulkan_block_create(device, kind, shared, 1, &block, out_call);
        if (result == VK_SUCCESS) {
            buffer->node = tlsf_allocate(block->ranges, size, alignment);
            if (buffer->node == NULL) { /* only for want of a node's few bytes */
                vulkan_block_destroy(device, block);
                return VK_ERROR_OUT_OF_HOST_MEMORY;
            }
            keep_block(device->heap, block);
            buffer->block = block;
            return VK_SUCCESS;
        }
        if (vulkan_result_status(result) != TN_OUT_OF_MEMORY) {
            return result;
        }
    }
    result = vulkan_block_create(device, kind, size, 0, &block, out_call);
    if (result == VK_SUCCESS) {
        keep_block(device->heap, block);
        buffer->block = block;
    }
    return result;
}

/* Each step gives back more, and what it gives back costs more to get again. */
static VkResult take(vulkan_device *device, uint32_t kind, uint64_t size, uint64_t alignment,
                     vulkan_buffer *buffer, const char **out_call) {
    enum { AS_IT_IS, RETIRED, TRIMMED, DRAINED, STEPS };
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (int step = AS_IT_IS; step < STEPS; step++) {
        if (step == RETIRED) {
            vulkan_device_retire(device);
        } else if (step == DRAINED) {
            vulkan_device_drain(device);
        }
        pthread_mutex_lock(&device->heap->lock);
        if (step >= TRIMMED) {
            vulkan_heap_trim(device);
        }
        result = take_range(device, kind, size, alignment, buffer)
                     ? VK_SUCCESS
                     : take_block(device, kind, size, alignment, buffer, out_call);
        if (result == VK_SUCCESS) {
            vulkan_heap *heap = device->heap;
            heap->allocated += buffer->size;
            heap->peak = heap->allocated > heap->peak ? heap->allocated : heap->peak;
            heap->count++;
        }
        pthread_mutex_unlock(&device->heap->lock);
        if (result == VK_SUCCESS || vulkan_result_status(result) != TN_OUT_OF_MEMORY) {
            break;
        }
    }
    return result;
}

static tn_status fail_memory(vulkan_device *device, uint32_t kind, uint64_t size, const char *call,
                             VkResult result) {
    static const char *const kinds[] = {"device", "upload", "readback"};
    if (vulkan_result_status(result) != TN_OUT_OF_MEMORY) {
        return vulkan_fail(device, call, result);
    }
    vulkan_heap *heap = device->heap;
    pthread_mutex_lock(&heap->lock);
    uint64_t largest = 0;
    for (const vulkan_block *block = heap->blocks[kind]; block != NULL; block = block->next) {
        const uint64_t here = block->ranges != NULL ? tlsf_largest_free(block->ranges) : 0;
        largest = here > largest ? here : largest;
    }
    const uint64_t budget = vulkan_heap_available(device);
    const uint64_t allocated = heap->allocated;
    pthread_mutex_unlock(&heap->lock);
    return tn_fail(device->host, TN_OUT_OF_MEMORY,
                   "'%s' cannot allocate %llu bytes of %s memory: %s: %s; %llu bytes are left of "
                   "the budget, %llu are allocated here, the largest free block has %llu",
                   device->physical->properties.deviceName, (unsigned long long)size, kinds[kind],
                   call, vulkan_result_name(result), (unsigned long long)budget,
                   (unsigned long long)allocated, (unsigned long long)largest);
}

static tn_status check_request(const vulkan_device *device, uint64_t size, uint64_t alignment,
                               uint32_t memory) {
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        memory >= VULKAN_MEMORY_KINDS) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "an allocation of %llu bytes aligned to %llu for use %u: expected at least "
                       "1 byte, a power of two and a TN_MEMORY_ constant",
                       (unsigned long long)size, (unsigned long long)alignment, (unsigned)memory);
    }
    if (size > device->physical->max_buffer_size || size > INT64_MAX - TLSF_GRANULE) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY,
                       "'%s' cannot allocate %llu bytes: a buffer has at most %llu there",
                       device->physical->properties.deviceName, (unsigned long long)size,
                       (unsigned long long)device->physical->max_buffer_size);
    }
    return TN_OK;
}

/* The greatest that a binding may need, and that an atom of mapped memory may have. */
static uint64_t least_alignment(const vulkan_device *device) {
    const uint64_t binding = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    return binding > TLSF_GRANULE ? binding : TLSF_GRANULE;
}

tn_status vulkan_allocate(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                          void **out_buffer) {
    vulkan_device *vulkan = device;
    TN_TRY(vulkan_require_alive(vulkan));
    TN_TRY(check_request(vulkan, size, alignment, memory));
    vulkan_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        return tn_fail(vulkan->host, TN_OUT_OF_MEMORY, "no memory for a buffer's handle");
    }
    const uint64_t least = least_alignment(vulkan);
    const char *call = "";
    buffer->device = vulkan;
    buffer->size = size;
    buffer->memory = memory;
    const VkResult result = take(vulkan, memory, (size + 3) & ~(uint64_t)3,
                                 alignment > least ? alignment : least, buffer, &call);
    if (result != VK_SUCCESS) {
        free(buffer);
        return fail_memory(vulkan, memory, size, call, result);
    }
    vulkan_block *block = buffer->block;
    buffer->handle = block->buffer;
    buffer->offset = buffer->node != NULL ? buffer->node->offset : 0;
    buffer->is_coherent = block->is_coherent;
    buffer->is_host_read = block->is_host_read;
    buffer->address = block->address != NULL ? (char *)block->address + buffer->offset : NULL;
    atomic_init(&buffer->references, 1);
    *out_buffer = buffer;
    return TN_OK;
}

void vulkan_buffer_retain(vulkan_buffer *buffer) {
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
}

/* One empty block of a kind is kept for the next buffer; a second goes back. */
static void give_range(vulkan_device *device, vulkan_buffer *buffer) {
    vulkan_heap *heap = device->heap;
    vulkan_block *block = buffer->block;
    if (block->ranges != NULL) {
        tlsf_free(block->ranges, buffer->node);
        if (!tlsf_is_empty(block->ranges)) {
            return;
        }
    }
    int others_empty = block->ranges == NULL;
    for (vulkan_block *other = heap->blocks[block->kind]; other != NULL; other = other->next) {
        others_empty |= other != block && other->ranges != NULL && tlsf_is_empty(other->ranges);
    }
    for (vulkan_block **place = &heap->blocks[block->kind]; others_empty && *place != NULL;
         place = &(*place)->next) {
        if (*place == block) {
            remove_block(device, place);
            break;
        }
    }
}

void vulkan_buffer_release(vulkan_buffer *buffer) {
    if (atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    vulkan_device *device = buffer->device;
    pthread_mutex_lock(&device->heap->lock);
    give_range(device, buffer);
    pthread_mutex_unlock(&device->heap->lock);
    free(buffer);
}

void vulkan_free(void *device, void *buffer) {
    vulkan_device *vulkan = device;
    vulkan_buffer *vulkan_memory = buffer;
    if (buffer == NULL || *vulkan->alive == 0) {
        return;
    }
    pthread_mutex_lock(&vulkan->heap->lock);
    vulkan->heap->allocated -= vulkan_memory->size;
    vulkan->heap->count--;
    pthread_mutex_unlock(&vulkan->heap->lock);
    vulkan_buffer_release(vulkan_memory);
}

tn_status vulkan_map(void *device, void *buffer, void **out_address) {
    const vulkan_device *vulkan = device;
    const vulkan_buffer *mapped = buffer;
    if (mapped->memory == TN_MEMORY_DEVICE || mapped->address == NULL) {
        return tn_fail(vulkan->host, TN_UNSUPPORTED,
                       "device memory of '%s' has no address: only upload and readback buffers do",
                       vulkan->physical->properties.deviceName);
    }
    *out_address = mapped->address;
    return TN_OK;
}

tn_status vulkan_memory_usage(void *device, tn_memory_usage *out_usage) {
    vulkan_device *vulkan = device;
    if (!TN_HAS_FIELD(tn_memory_usage, out_usage, count)) {
        return tn_fail(vulkan->host, TN_INVALID_ARGUMENT,
                       "memory_usage: struct_size is %u, expected at least %u",
                       (unsigned)out_usage->struct_size, (unsigned)TN_MEMORY_USAGE_SIZE);
    }
    TN_TRY(vulkan_require_alive(vulkan));
    vulkan_heap *heap = vulkan->heap;
    pthread_mutex_lock(&heap->lock);
    out_usage->reserved = 0;
    out_usage->total = vulkan_physical_device_memory(vulkan->physical);
    out_usage->free = vulkan_heap_available(vulkan);
    out_usage->allocated = heap->allocated;
    out_usage->peak = heap->peak;
    out_usage->count = heap->count;
    pthread_mutex_unlock(&heap->lock);
    return TN_OK;
}

tn_status vulkan_buffer_check(const vulkan_buffer *buffer, const char *what, uint64_t offset,
                              uint64_t size) {
    if (offset > buffer->size || size > buffer->size - offset) {
        return tn_fail(buffer->device->host, TN_OUT_OF_RANGE,
                       "%s: %llu bytes at offset %llu of a buffer of %llu", what,
                       (unsigned long long)size, (unsigned long long)offset,
                       (unsigned long long)buffer->size);
    }
    return TN_OK;
}
