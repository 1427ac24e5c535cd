/* Choosing queues, features and extensions. */
#include "device_plan.h"

#include <string.h>

#include "feature_chain.h"

enum { MOST_QUEUES = 4 };

/* A family that computes; one without graphics rather, since displays wait on the other. */
static int find_compute_family(const vulkan_physical_device *device, uint32_t *out_family) {
    int found = 0;
    for (uint32_t i = 0; i < device->family_count; i++) {
        const VkQueueFamilyProperties *family = &device->families[i];
        if ((family->queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || family->queueCount == 0) {
            continue;
        }
        const int alone = (family->queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
        if (!found || alone) {
            *out_family = i;
            found = 1;
        }
        if (alone) {
            break;
        }
    }
    return found;
}

static int find_transfer_family(const vulkan_physical_device *device, uint32_t *out_family) {
    const VkQueueFlags others = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < device->family_count; i++) {
        const VkQueueFlags flags = device->families[i].queueFlags;
        if ((flags & VK_QUEUE_TRANSFER_BIT) != 0 && (flags & others) == 0 &&
            device->families[i].queueCount > 0) {
            *out_family = i;
            return 1;
        }
    }
    return 0;
}

/* The largest heap of a memory type that has all of `flags`. */
static uint64_t largest_heap(const vulkan_physical_device *device, VkMemoryPropertyFlags flags) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        const VkMemoryType *type = &device->memory.memoryTypes[i];
        const uint64_t heap = device->memory.memoryHeaps[type->heapIndex].size;
        if ((type->propertyFlags & flags) == flags && heap > size) {
            size = heap;
        }
    }
    return size;
}

/* What follows from memory and queues. */
static vulkan_features derived_features(const vulkan_physical_device *device,
                                        const vulkan_device_plan *plan, int has_transfer) {
    const VkMemoryPropertyFlags visible =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const VkQueueFamilyProperties *family = &device->families[plan->queue_family];
    const VkPhysicalDeviceType type = device->properties.deviceType;
    const uint64_t all = largest_heap(device, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const uint64_t reached = largest_heap(device, visible);
    vulkan_features features = VULKAN_BIT(DEDICATED) | VULKAN_BIT(PIPELINE_CACHE) |
                               VULKAN_BIT(COHERENT) | VULKAN_BIT(KERNEL_COPY);
    const int is_shared =
        type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (reached > 0 && reached >= all / 2) { /* not the small window that older cards have */
        features |= is_shared ? VULKAN_BIT(UNIFIED) : VULKAN_BIT(REBAR);
    }
    if (family->timestampValidBits > 0 && device->properties.limits.timestampPeriod > 0) {
        features |= VULKAN_BIT(TIMESTAMPS);
    }
    features |= family->queueCount > 1 ? VULKAN_BIT(SEVERAL_QUEUES) : 0;
    features |= has_transfer ? VULKAN_BIT(TRANSFER_QUEUE) : 0;
    return features;
}

static void add_extension(vulkan_device_plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->extension_count; i++) {
        if (strcmp(plan->extensions[i], name) == 0) {
            return;
        }
    }
    if (plan->extension_count < VULKAN_MAX_EXTENSIONS) {
        plan->extensions[plan->extension_count++] = name;
    }
}

static void choose_extensions(const vulkan_physical_device *device, vulkan_device_plan *plan) {
    for (uint32_t feature = 0; feature < VULKAN_FEATURE_COUNT; feature++) {
        const char *name = (plan->features >> feature & 1)
                               ? vulkan_feature_extension(feature, device->api_version)
                               : NULL;
        if (name != NULL) {
            add_extension(plan, name);
        }
    }
    if (device->api_version < VK_API_VERSION_1_2) {
        add_extension(plan, "VK_KHR_timeline_semaphore");
    }
    if (device->needs_portability) {
        add_extension(plan, "VK_KHR_portability_subset");
    }
}

/* A feature that is of no use without another goes with it. */
static vulkan_features without_orphans(vulkan_features features) {
    if (!VULKAN_HAS(features, MEMORY_MODEL) || !VULKAN_HAS(features, FLOAT16) ||
        !VULKAN_HAS(features, STORAGE16)) {
        features &= ~(VULKAN_BIT(COOPERATIVE_MATRIX) | VULKAN_BIT(COOPERATIVE_MATRIX_NV));
    }
    return features;
}

const char *vulkan_device_plan_make(const vulkan_physical_device *device, vulkan_features disabled,
                                    vulkan_device_plan *out_plan) {
    vulkan_device_plan plan = {0};
    if (device->api_version < VK_API_VERSION_1_1) {
        return "its Vulkan is of version 1.0; missing: Vulkan 1.1";
    }
    if (!device->has_timeline) {
        return "missing: timelineSemaphore";
    }
    if (!find_compute_family(device, &plan.queue_family)) {
        return "missing: a queue family that computes";
    }
    if (device->memory.memoryTypeCount == 0) {
        return "missing: any type of memory";
    }
    const int has_transfer = find_transfer_family(device, &plan.transfer_family);
    plan.features = device->offered | derived_features(device, &plan, has_transfer);
    plan.features &= ~(disabled | device->quirks->broken);
    plan.features = without_orphans(plan.features);
    const uint32_t queues = device->families[plan.queue_family].queueCount;
    plan.queue_count = !VULKAN_HAS(plan.features, SEVERAL_QUEUES) ? 1
                       : queues < MOST_QUEUES                     ? queues
                                                                  : MOST_QUEUES;
    if (VULKAN_HAS(plan.features, TRANSFER_QUEUE)) {
        plan.transfer_count = device->families[plan.transfer_family].queueCount > 1 ? 2 : 1;
    }
    choose_extensions(device, &plan);
    *out_plan = plan;
    return NULL;
}
