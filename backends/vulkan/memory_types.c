/* Ranking memory types. */
#include "memory_types.h"

#include <tenon/plugin/device.h>

/* Memory that ordinary buffers must not be put in. */
static const VkMemoryPropertyFlags forbidden =
    VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD |
    VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;

enum { UNFIT = -1 };

static int has(VkMemoryPropertyFlags flags, VkMemoryPropertyFlags wanted) {
    return (flags & wanted) == wanted;
}

/* Where the host reaches all of the device's memory it may as well write there itself; a small
 * window of it is kept for nobody. */
static int score_device(VkMemoryPropertyFlags flags, vulkan_features features, int is_small) {
    const int visible =
        has(flags, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    const int wanted = VULKAN_HAS(features, UNIFIED) || VULKAN_HAS(features, REBAR);
    int score = 1000;
    if (visible) {
        score += wanted && !is_small ? 100 : -100;
        score += VULKAN_HAS(features, UNIFIED) && has(flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
                     ? 50
                     : 0;
    }
    return score;
}

/* The host writes in order and never reads: write-combined memory of its own is best. */
static int score_upload(VkMemoryPropertyFlags flags) {
    return (has(flags, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) ? 200 : 0) +
           (has(flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ? 0 : 100) +
           (has(flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) ? 0 : 150);
}

/* Reading memory that is not cached is some thirty times slower. */
static int score_readback(VkMemoryPropertyFlags flags) {
    return (has(flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ? 400 : 0) +
           (has(flags, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) ? 200 : 0) +
           (has(flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) ? 0 : 50);
}

static int score(VkMemoryPropertyFlags flags, uint32_t memory, vulkan_features features,
                 int is_small) {
    const VkMemoryPropertyFlags required = memory == TN_MEMORY_DEVICE
                                               ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                               : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    if ((flags & forbidden) != 0 || !has(flags, required)) {
        return UNFIT;
    }
    switch (memory) {
    case TN_MEMORY_DEVICE: return score_device(flags, features, is_small);
    case TN_MEMORY_UPLOAD: return score_upload(flags);
    default: return score_readback(flags);
    }
}

static uint64_t largest_local_heap(const VkPhysicalDeviceMemoryProperties *properties) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < properties->memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &properties->memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && heap->size > size) {
            size = heap->size;
        }
    }
    return size;
}

uint32_t vulkan_memory_types_rank(const VkPhysicalDeviceMemoryProperties *properties,
                                  uint32_t allowed, uint32_t memory, vulkan_features features,
                                  uint32_t *out_types) {
    const uint64_t local = largest_local_heap(properties);
    int scores[VK_MAX_MEMORY_TYPES];
    uint32_t count = 0;
    for (uint32_t type = 0; type < properties->memoryTypeCount; type++) {
        const VkMemoryType *row = &properties->memoryTypes[type];
        const uint64_t heap = properties->memoryHeaps[row->heapIndex].size;
        const int points = (allowed >> type & 1) == 0
                               ? UNFIT
                               : score(row->propertyFlags, memory, features, heap < local / 2);
        if (points == UNFIT) {
            continue;
        }
        uint32_t place = count++;
        while (place > 0) {
            const uint32_t other = out_types[place - 1];
            const uint64_t other_heap =
                properties->memoryHeaps[properties->memoryTypes[other].heapIndex].size;
            if (scores[place - 1] > points || (scores[place - 1] == points && other_heap >= heap)) {
                break;
            }
            out_types[place] = other;
            scores[place] = scores[place - 1];
            place--;
        }
        out_types[place] = type;
        scores[place] = points;
    }
    return count;
}

uint64_t vulkan_budget_left(uint64_t heap_size, uint64_t budget, uint64_t usage) {
    const uint64_t most = budget < heap_size ? budget : heap_size;
    return most > usage ? most - usage : 0;
}

uint64_t vulkan_block_size(uint64_t heap_size, uint64_t max_allocation, uint32_t blocks_before) {
    const uint64_t mebibyte = 1u << 20;
    uint64_t size = blocks_before == 0 ? 64 : blocks_before == 1 ? 128 : 256;
    size *= mebibyte;
    size = heap_size / 8 < size ? heap_size / 8 : size;
    size = max_allocation < size ? max_allocation : size;
    size = size / mebibyte * mebibyte;
    return size > mebibyte ? size : mebibyte;
}
