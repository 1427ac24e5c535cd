/* Open ranges in a short list: a chain of commands closes them again and again, and independent
 * commands are rarely many. */
#include "range_tracker.h"

#include <tenon/plugin/host.h>

static const VkPipelineStageFlags all_stages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkAccessFlags all_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

static int conflicts(const vulkan_range *open, const vulkan_range *next) {
    return open->buffer == next->buffer && open->begin < next->end && next->begin < open->end &&
           ((open->access | next->access) & TN_ACCESS_WRITE) != 0;
}

static int needs_barrier(const vulkan_range_tracker *tracker, const vulkan_range *ranges,
                         uint32_t count) {
    if (tracker->is_all_open) {
        return 1;
    }
    for (uint32_t i = 0; i < tracker->count; i++) {
        for (uint32_t n = 0; n < count; n++) {
            if (conflicts(&tracker->ranges[i], &ranges[n])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Into an open range that touches it and is used alike, or into a place of its own. */
static int add(vulkan_range_tracker *tracker, const vulkan_range *range) {
    for (uint32_t i = 0; i < tracker->count; i++) {
        vulkan_range *open = &tracker->ranges[i];
        if (open->buffer == range->buffer && open->access == range->access &&
            open->begin <= range->end && range->begin <= open->end) {
            open->begin = range->begin < open->begin ? range->begin : open->begin;
            open->end = range->end > open->end ? range->end : open->end;
            return 1;
        }
    }
    if (tracker->count == VULKAN_MAX_RANGES) {
        return 0;
    }
    tracker->ranges[tracker->count++] = *range;
    return 1;
}

static void take_barrier(vulkan_range_tracker *tracker, vulkan_barrier *out_barrier) {
    *out_barrier = (vulkan_barrier){tracker->stages, tracker->writes};
    tracker->count = 0;
    tracker->is_all_open = 0;
    tracker->stages = 0;
    tracker->writes = 0;
}

int vulkan_range_tracker_use(vulkan_range_tracker *tracker, const vulkan_range *ranges,
                             uint32_t count, VkPipelineStageFlags stage,
                             vulkan_barrier *out_barrier) {
    /* A full list costs a barrier that might not be needed, and is empty again. */
    const int is_full = tracker->count + count > VULKAN_MAX_RANGES && tracker->count > 0;
    const int barrier = count > 0 && (is_full || needs_barrier(tracker, ranges, count));
    if (barrier) {
        take_barrier(tracker, out_barrier);
    }
    const VkAccessFlags write = stage == VK_PIPELINE_STAGE_TRANSFER_BIT
                                    ? VK_ACCESS_TRANSFER_WRITE_BIT
                                    : VK_ACCESS_SHADER_WRITE_BIT;
    for (uint32_t i = 0; i < count; i++) {
        tracker->stages |= stage;
        tracker->writes |= (ranges[i].access & TN_ACCESS_WRITE) != 0 ? write : 0;
        if (!add(tracker, &ranges[i])) {
            tracker->is_all_open = 1;
        }
    }
    return barrier;
}

void vulkan_range_tracker_open_all(vulkan_range_tracker *tracker) {
    tracker->count = 0;
    tracker->is_all_open = 1;
    tracker->stages = all_stages;
    tracker->writes = all_writes;
}
