/* Which type of memory serves which purpose: pure functions of the driver's tables. */
#ifndef TENON_BACKENDS_VULKAN_MEMORY_TYPES_H
#define TENON_BACKENDS_VULKAN_MEMORY_TYPES_H

#include "feature.h"
#include "functions.h"

/* Writes the types that serve `memory` (TN_MEMORY_…), of those in `allowed`, the best first.
 * Returns how many; `out_types` has room for VK_MAX_MEMORY_TYPES. */
uint32_t vulkan_memory_types_rank(const VkPhysicalDeviceMemoryProperties *properties,
                                  uint32_t allowed, uint32_t memory, vulkan_features features,
                                  uint32_t *out_types);

/* What a budget leaves: never more than the heap, never below 0, whatever the driver says. */
uint64_t vulkan_budget_left(uint64_t heap_size, uint64_t budget, uint64_t usage);

/* Bytes of an ordinary block: 64 MiB first, 256 MiB later, an eighth of a small heap. */
uint64_t vulkan_block_size(uint64_t heap_size, uint64_t max_allocation, uint32_t blocks_before);

#endif
