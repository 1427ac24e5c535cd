/* Opening and closing a device. */
#include "device.h"

#include <stdlib.h>

#include "device_plan.h"
#include "feature_chain.h"
#include "feature_names.h"
#include "heap.h"
#include "instance.h"
#include "memory_types.h"

typedef struct open_options {
    const char *disable;
    int64_t block_size;
    int64_t close_timeout;
} open_options;

static const tn_attribute options_table[] = {
    TN_FIELD(open_options, disable, STRING, "", NULL,
             "Features not to use, separated by ','; an unknown name is answered with all."),
    TN_FIELD(open_options, block_size, INT, "0", "[0,1099511627776]",
             "Bytes of a block of memory; 0: by the size of the heap."),
    TN_FIELD(open_options, close_timeout, INT, "60000", "[1,86400000]",
             "Milliseconds that the end of a stream waits for its work; then the device counts as "
             "lost, and what the work uses is not freed."),
};

enum { OPTION_COUNT = sizeof options_table / sizeof options_table[0] };

tn_status vulkan_count(const tn_host *host, uint32_t *out_count) {
    vulkan_plugin *plugin = vulkan_plugin_of(host);
    TN_TRY(vulkan_instance_require(plugin));
    *out_count = plugin->device_count;
    return TN_OK;
}

static tn_status find_physical(const tn_host *host, uint32_t index,
                               const vulkan_physical_device **out_physical) {
    const vulkan_plugin *plugin = vulkan_plugin_of(host);
    TN_TRY(vulkan_instance_require(vulkan_plugin_of(host)));
    if (index >= plugin->device_count) {
        return tn_fail(host, TN_NOT_FOUND, "there is no Vulkan device %u: there are %u",
                       (unsigned)index, (unsigned)plugin->device_count);
    }
    *out_physical = &plugin->devices[index];
    return TN_OK;
}

/* Free now: the driver's budget, where it gives one. */
static uint64_t memory_free(const vulkan_plugin *plugin, const vulkan_physical_device *physical) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    if (!VULKAN_HAS(physical->offered, MEMORY_BUDGET)) {
        return vulkan_physical_device_memory(physical) / 10 * 9;
    }
    plugin->vk.GetPhysicalDeviceMemoryProperties2(physical->handle, &memory);
    uint64_t available = 0;
    for (uint32_t i = 0; i < physical->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &physical->memory.memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
            available += vulkan_budget_left(heap->size, budget.heapBudget[i], budget.heapUsage[i]);
        }
    }
    return available;
}

tn_status vulkan_info(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    const vulkan_physical_device *physical;
    TN_TRY(find_physical(host, index, &physical));
    tn_device_info info = {
        .id = {TN_DEVICE_TYPE_VULKAN, (int32_t)index},
        .name = physical->properties.deviceName,
        .driver = physical->driver,
        .kind = vulkan_physical_device_kind(physical),
        .targets = "spirv",
        .memory_total = vulkan_physical_device_memory(physical),
        .memory_free = memory_free(vulkan_plugin_of(host), physical),
        .compute_units = physical->compute_units,
        .vendor_id = physical->properties.vendorID,
        .product_id = physical->properties.deviceID,
        .vendor = vulkan_vendor_name(physical->properties.vendorID),
        .location = physical->location,
        .api_version = physical->api_text,
        .driver_version = physical->driver_version,
    };
    memcpy(info.uuid, physical->uuid, sizeof info.uuid);
    /* As much as both sides know. */
    const uint32_t known = out_info->struct_size;
    const size_t size = known < TN_DEVICE_INFO_SIZE ? known : TN_DEVICE_INFO_SIZE;
    info.struct_size = known;
    memcpy(out_info, &info, size);
    return TN_OK;
}

/* ---- Opening ---- */

static tn_status read_options(const tn_host *host, const tn_option *options, uint32_t count,
                              vulkan_features *disabled, open_options *out_options) {
    const tn_attrs_service *attrs = TN_SERVICE(host, attrs);
    open_options parsed = {0};
    char error[768];
    TN_TRY(attrs->parse(host, "vulkan device options", options_table, OPTION_COUNT,
                        TN_ATTRIBUTE_STRIDE, options, count, &parsed, sizeof parsed));
    tn_status status = TN_OK;
    if (!vulkan_features_parse(parsed.disable, disabled, error, sizeof error)) {
        status = tn_fail(host, TN_INVALID_ARGUMENT, "vulkan device option disable: %s", error);
    }
    *out_options = parsed; /* for its numbers; the text is released */
    out_options->disable = NULL;
    attrs->release(host, options_table, OPTION_COUNT, TN_ATTRIBUTE_STRIDE, &parsed);
    return status;
}

static void get_queues(vulkan_device *device, const vulkan_device_plan *plan) {
    device->features = plan->features;
    device->queue_family = plan->queue_family;
    device->queue_count = plan->queue_count;
    device->transfer_family = plan->transfer_family;
    for (uint32_t i = 0; i < plan->queue_count; i++) {
        device->vk.GetDeviceQueue(device->handle, plan->queue_family, i, &device->queues[i].handle);
    }
    device->transfer_queue_count = plan->transfer_count;
    for (uint32_t i = 0; i < plan->transfer_count; i++) {
        device->vk.GetDeviceQueue(device->handle, plan->transfer_family, i,
                                  &device->transfer_queues[i].handle);
    }
}

static tn_status create_handle(vulkan_device *device, const vulkan_device_plan *plan) {
    const float priorities[VULKAN_MAX_QUEUES] = {1.0f, 1.0f, 1.0f, 1.0f};
    const VkDeviceQueueCreateInfo queues[] = {
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = plan->queue_family,
            .queueCount = plan->queue_count,
            .pQueuePriorities = priorities,
        },
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = plan->transfer_family,
            .queueCount = plan->transfer_count,
            .pQueuePriorities = priorities,
        },
    };
    vulkan_feature_chain chain;
    vulkan_feature_chain_request(&chain, plan->features);
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &chain.core,
        .queueCreateInfoCount = plan->transfer_count > 0 ? 2 : 1,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = plan->extension_count,
        .ppEnabledExtensionNames = plan->extensions,
    };
    const VkResult result =
        VK_CALL(device, CreateDevice, device->physical->handle, &info, NULL, &device->handle);
    if (result != VK_SUCCESS) {
        device->handle = VK_NULL_HANDLE;
        return vulkan_fail(device, "vkCreateDevice", result);
    }
    const char *missing = vulkan_loader_load_device(&device->vk, device->handle);
    if (missing != NULL) {
        return tn_fail(device->host, TN_UNAVAILABLE, "the driver of '%s' has no %s",
                       device->physical->properties.deviceName, missing);
    }
    get_queues(device, plan);
    return TN_OK;
}

static void init_locks(vulkan_device *device) {
    pthread_mutex_init(&device->streams_lock, NULL);
    for (uint32_t i = 0; i < VULKAN_MAX_TRANSFER_QUEUES; i++) {
        pthread_mutex_init(&device->transfer_queues[i].lock, NULL);
    }
    for (uint32_t i = 0; i < VULKAN_MAX_QUEUES; i++) {
        pthread_mutex_init(&device->queues[i].lock, NULL);
    }
}

static void destroy_device(vulkan_device *device) {
    vulkan_heap_destroy(device, device->heap);
    if (device->handle != VK_NULL_HANDLE) {
        /* A driver whose functions could not all be had has at least this one. */
        if (device->vk.DestroyDevice != NULL) {
            device->vk.DestroyDevice(device->handle, NULL);
        }
    }
    pthread_mutex_destroy(&device->streams_lock);
    for (uint32_t i = 0; i < VULKAN_MAX_TRANSFER_QUEUES; i++) {
        pthread_mutex_destroy(&device->transfer_queues[i].lock);
    }
    for (uint32_t i = 0; i < VULKAN_MAX_QUEUES; i++) {
        pthread_mutex_destroy(&device->queues[i].lock);
    }
    free(device);
}

static tn_status fill_device(vulkan_device *device, vulkan_features disabled, uint64_t block_size) {
    vulkan_device_plan plan;
    const char *reason = vulkan_device_plan_make(device->physical, disabled, &plan);
    if (reason != NULL) {
        return tn_fail(device->host, TN_UNAVAILABLE, "'%s' cannot be opened: %s",
                       device->physical->properties.deviceName, reason);
    }
    TN_TRY(create_handle(device, &plan));
    TN_TRY(vulkan_heap_create(device, block_size, &device->heap));
    return vulkan_kernels_open(device);
}

tn_status vulkan_open(const tn_host *host, uint32_t index, const tn_option *options,
                      uint32_t option_count, void **out_device) {
    const vulkan_physical_device *physical;
    TN_TRY(find_physical(host, index, &physical));
    vulkan_plugin *plugin = vulkan_plugin_of(host);
    vulkan_features disabled = plugin->disabled;
    open_options parsed;
    TN_TRY(read_options(host, options, option_count, &disabled, &parsed));
    vulkan_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to open a device: %zu bytes",
                       sizeof *device);
    }
    device->host = host;
    device->plugin = plugin;
    device->vk = plugin->vk;
    device->fault = plugin->fault;
    device->alive = plugin->alive;
    device->close_timeout_ns = (uint64_t)parsed.close_timeout * 1000000u;
    device->physical = physical;
    device->generation = atomic_fetch_add(&plugin->next_generation, 1) + 1;
    init_locks(device);
    const tn_status status = fill_device(device, disabled, (uint64_t)parsed.block_size);
    if (status != TN_OK) {
        destroy_device(device);
        return status;
    }
    if (physical->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        tn_log(host, TN_LOG_INFO, "vulkan: '%s' is no GPU: its work runs on the processor",
               physical->properties.deviceName);
    }
    *out_device = device;
    return TN_OK;
}

void vulkan_close(const tn_host *host, void *device) {
    (void)host;
    vulkan_device *closed = device;
    if (*closed->alive == 0) { /* nothing of the parent's is a child's to destroy */
        return;
    }
    if (closed->streams != NULL) {
        tn_log(host, TN_LOG_WARNING, "vulkan: '%s' is closed with streams alive",
               closed->physical->properties.deviceName);
        return; /* destroying what runs would bring the process down */
    }
    vulkan_kernels_close(closed);
    destroy_device(closed);
}
