/* Time stamps: a query pool for each stream that writes any. */
#include "stream.h"

static tn_status require_slot(const vulkan_stream *stream, uint32_t slot) {
    if (!VULKAN_HAS(stream->device->features, TIMESTAMPS)) {
        return tn_fail(stream->device->host, TN_UNSUPPORTED, "'%s' has no time stamps",
                       stream->device->physical->properties.deviceName);
    }
    if (slot >= VULKAN_TIME_SLOTS) {
        return tn_fail(stream->device->host, TN_OUT_OF_RANGE,
                       "time stamp slot %u: expected 0 to %d", (unsigned)slot,
                       VULKAN_TIME_SLOTS - 1);
    }
    return vulkan_require_alive(stream->device);
}

static tn_status require_pool(vulkan_stream *stream) {
    if (stream->times != VK_NULL_HANDLE) {
        return TN_OK;
    }
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = VULKAN_TIME_SLOTS,
    };
    vulkan_device *device = stream->device;
    VkQueryPool pool;
    const VkResult result = VK_CALL(device, CreateQueryPool, device->handle, &info, NULL, &pool);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkCreateQueryPool", result);
    }
    stream->times = pool;
    return TN_OK;
}

tn_status vulkan_write_time(void *stream, uint32_t slot) {
    vulkan_stream *vulkan = stream;
    VkCommandBuffer commands;
    TN_TRY(require_slot(vulkan, slot));
    TN_TRY(require_pool(vulkan));
    TN_TRY(vulkan_stream_begin(vulkan, NULL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, &commands));
    const vulkan_functions *vk = &vulkan->device->vk;
    vk->CmdResetQueryPool(commands, vulkan->times, slot, 1);
    vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, vulkan->times, slot);
    vulkan->time_is_written[slot] = 1;
    return vulkan_stream_end(vulkan, 0);
}

tn_status vulkan_read_time(void *stream, uint32_t slot, uint64_t *out_ns) {
    vulkan_stream *vulkan = stream;
    vulkan_device *device = vulkan->device;
    TN_TRY(require_slot(vulkan, slot));
    if (!vulkan->time_is_written[slot]) {
        return tn_fail(device->host, TN_FAILED_PRECONDITION,
                       "time stamp slot %u holds nothing: write_time comes first", (unsigned)slot);
    }
    uint64_t ticks = 0;
    const VkResult result =
        VK_CALL(device, GetQueryPoolResults, device->handle, vulkan->times, slot, 1, sizeof ticks,
                &ticks, sizeof ticks, VK_QUERY_RESULT_64_BIT);
    if (result == VK_NOT_READY) {
        return tn_fail(device->host, TN_FAILED_PRECONDITION,
                       "time stamp slot %u is not reached yet: wait for its ticket first",
                       (unsigned)slot);
    }
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkGetQueryPoolResults", result);
    }
    const uint32_t bits = device->physical->families[device->queue_family].timestampValidBits;
    ticks &= bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    const float period = device->physical->properties.limits.timestampPeriod;
    /* In double a count of ticks near 2^60 would lose what lies between two stamps. */
    *out_ns = period == 1.0f ? ticks : (uint64_t)((long double)ticks * (long double)period);
    return TN_OK;
}
