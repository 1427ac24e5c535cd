/*
 * What a device is opened with: queues, features and extensions. A pure function of the facts, so
 * that machines nobody here has can be tried out.
 */
#ifndef TENON_BACKENDS_VULKAN_DEVICE_PLAN_H
#define TENON_BACKENDS_VULKAN_DEVICE_PLAN_H

#include "physical_device.h"

enum { VULKAN_MAX_EXTENSIONS = 24 };

typedef struct vulkan_device_plan {
    vulkan_features features;
    uint32_t queue_family;
    uint32_t queue_count;
    uint32_t transfer_family; /* with the feature TRANSFER_QUEUE */
    uint32_t transfer_count;  /* its queues, 0 without the feature */
    uint32_t extension_count;
    const char *extensions[VULKAN_MAX_EXTENSIONS];
} vulkan_device_plan;

/* NULL, or the reason why the device cannot be opened. */
const char *vulkan_device_plan_make(const vulkan_physical_device *device, vulkan_features disabled,
                                    vulkan_device_plan *out_plan);

#endif
