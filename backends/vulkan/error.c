/* Failures of calls on a device. */
#include "instance.h"

/* What the driver knows of a loss goes to the log. Where the loss is one on purpose it knows
 * nothing, and must not be asked. */
static void log_loss(vulkan_device *device) {
    VkDeviceFaultCountsEXT counts = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
    VkDeviceFaultInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
    if (device->fault != NULL || !VULKAN_HAS(device->features, DEVICE_FAULT) ||
        device->vk.GetDeviceFaultInfoEXT == NULL ||
        device->vk.GetDeviceFaultInfoEXT(device->handle, &counts, &info) < VK_SUCCESS) {
        return;
    }
    tn_log(device->host, TN_LOG_ERROR, "vulkan: '%s' was lost: %.*s",
           device->physical->properties.deviceName, VK_MAX_DESCRIPTION_SIZE, info.description);
}

tn_status vulkan_fail(vulkan_device *device, const char *call, VkResult result) {
    const tn_status status = vulkan_result_status(result);
    if (result == VK_ERROR_DEVICE_LOST && atomic_exchange(&device->lost, 1) == 0) {
        log_loss(device);
    }
    tn_set_error(device->host, status, "%s on '%s': %s (%d): %s", call,
                 device->physical->properties.deviceName, vulkan_result_name(result), (int)result,
                 vulkan_result_sentence(result));
    return status != TN_OK ? status : TN_INTERNAL;
}

tn_status vulkan_require_alive(vulkan_device *device) {
    if (*device->alive == 0) {
        return tn_fail(device->host, TN_FAILED_PRECONDITION,
                       "Vulkan cannot be used in a process forked from the one that opened it");
    }
    if (atomic_load_explicit(&device->lost, memory_order_relaxed) != 0) {
        return tn_fail(device->host, TN_DEVICE_LOST, "'%s' is lost: close it and open it again",
                       device->physical->properties.deviceName);
    }
    return TN_OK;
}

void vulkan_name(vulkan_device *device, VkObjectType type, uint64_t object, const char *name) {
    if (device->vk.SetDebugUtilsObjectNameEXT == NULL || !device->plugin->has_debug_utils) {
        return;
    }
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = object,
        .pObjectName = name,
    };
    (void)device->vk.SetDebugUtilsObjectNameEXT(device->handle, &info);
}
