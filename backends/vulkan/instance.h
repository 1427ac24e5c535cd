/*
 * The loader, the instance and the list of physical devices: once for each runtime, made when
 * devices are first counted.
 */
#ifndef TENON_BACKENDS_VULKAN_INSTANCE_H
#define TENON_BACKENDS_VULKAN_INSTANCE_H

#include "backend.h"

struct vulkan_plugin {
    const tn_host *host;
    pthread_mutex_t lock; /* around making the instance */
    vulkan_functions vk;
    vulkan_fault *fault;
    VkInstance instance;
    uint32_t api_version; /* of the instance */
    uint32_t has_debug_utils;
    VkDebugUtilsMessengerEXT messenger;
    vulkan_features disabled; /* by TENON_VK_DISABLE */
    uint32_t device_count;
    vulkan_physical_device *devices; /* ranked; stays as it is until fini */
    atomic_ullong next_generation;
    /* A page that a forked child finds zeroed: there, nothing of Vulkan may be touched. */
    const volatile uint32_t *alive;
};

/* The plugin's init and fini. */
tn_status vulkan_plugin_init(tn_host *host);
void vulkan_plugin_fini(tn_host *host);

/* The state that init made. */
vulkan_plugin *vulkan_plugin_of(const tn_host *host);

/* Makes the instance and lists the devices unless that is done. UNAVAILABLE says why. [any] */
tn_status vulkan_instance_require(vulkan_plugin *plugin);

/* loader.c: fills in the functions that need no instance, then the instance's. */
tn_status vulkan_loader_open(vulkan_plugin *plugin);
tn_status vulkan_loader_load_instance(vulkan_plugin *plugin);
/* The device's functions, into its own table. The name of one that is missing, or NULL. */
const char *vulkan_loader_load_device(vulkan_functions *vk, VkDevice device);

/* validation.c: what TENON_VK_VALIDATION asks for. */
typedef struct vulkan_validation {
    uint32_t is_wanted;
    uint32_t enable_count;
    VkValidationFeatureEnableEXT enables[4];
} vulkan_validation;

tn_status vulkan_validation_parse(const tn_host *host, const char *text,
                                  vulkan_validation *out_validation);
/* Messages go to the log and are counted. */
void vulkan_validation_messenger(vulkan_plugin *plugin, VkDebugUtilsMessengerCreateInfoEXT *info);
/* Warnings and errors of the layers so far, of all runtimes in the process. */
uint64_t vulkan_validation_message_count(void);

/* Failures of instance calls; `call` with "vk". */
tn_status vulkan_instance_fail(const vulkan_plugin *plugin, const char *call, VkResult result);

#endif
