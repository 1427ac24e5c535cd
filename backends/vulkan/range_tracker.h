/*
 * Which ranges of buffers commands have used since the last barrier, and so whether the next
 * command needs one. Pure: it records nothing itself.
 */
#ifndef TENON_BACKENDS_VULKAN_RANGE_TRACKER_H
#define TENON_BACKENDS_VULKAN_RANGE_TRACKER_H

#include "functions.h"

enum { VULKAN_MAX_RANGES = 64 };

typedef struct vulkan_range {
    VkBuffer buffer;
    uint64_t begin;
    uint64_t end;
    uint32_t access; /* TN_ACCESS_… */
    uint32_t reserved;
} vulkan_range;

typedef struct vulkan_range_tracker {
    uint32_t count;
    uint32_t is_all_open;        /* anything may have been used: every command needs a barrier */
    VkPipelineStageFlags stages; /* of the open ranges */
    VkAccessFlags writes;
    vulkan_range ranges[VULKAN_MAX_RANGES];
} vulkan_range_tracker;

/* What the barrier has to wait for. `writes` 0: for execution alone. */
typedef struct vulkan_barrier {
    VkPipelineStageFlags stages;
    VkAccessFlags writes;
} vulkan_barrier;

/* Takes in one command's ranges, which are not compared with one another. True when a barrier must
 * come before the command; all ranges that were open are closed by it. */
int vulkan_range_tracker_use(vulkan_range_tracker *tracker, const vulkan_range *ranges,
                             uint32_t count, VkPipelineStageFlags stage,
                             vulkan_barrier *out_barrier);

/* Forgets what was open and takes it that anything may be in use, at any stage. */
void vulkan_range_tracker_open_all(vulkan_range_tracker *tracker);

#endif
