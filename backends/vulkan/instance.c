/* The instance and its physical devices. */
#include "instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "device_plan.h"
#include "feature_names.h"

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

vulkan_plugin *vulkan_plugin_of(const tn_host *host) {
    return host->plugin_state;
}

tn_status vulkan_instance_fail(const vulkan_plugin *plugin, const char *call, VkResult result) {
    tn_set_error(plugin->host, vulkan_result_status(result), "%s: %s (%d): %s", call,
                 vulkan_result_name(result), (int)result, vulkan_result_sentence(result));
    return vulkan_result_status(result);
}

tn_status vulkan_plugin_init(tn_host *host) {
    vulkan_plugin *plugin = calloc(1, sizeof *plugin);
    const size_t page = 4096;
    void *alive = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (plugin == NULL || alive == MAP_FAILED) {
        free(plugin);
        if (alive != MAP_FAILED) {
            munmap(alive, page);
        }
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the Vulkan backend's state");
    }
    /* Where the kernel is too old for it, a forked child is simply not told apart. */
    (void)madvise(alive, page, MADV_WIPEONFORK);
    *(uint32_t *)alive = 1;
    plugin->alive = alive;
    plugin->host = host;
    pthread_mutex_init(&plugin->lock, NULL);
    host->plugin_state = plugin;
    return TN_OK;
}

static void destroy_instance(vulkan_plugin *plugin) {
    if (plugin->messenger != VK_NULL_HANDLE) {
        plugin->vk.DestroyDebugUtilsMessengerEXT(plugin->instance, plugin->messenger, NULL);
        plugin->messenger = VK_NULL_HANDLE;
    }
    if (plugin->instance != VK_NULL_HANDLE && plugin->vk.DestroyInstance != NULL) {
        plugin->vk.DestroyInstance(plugin->instance, NULL);
    }
    plugin->instance = VK_NULL_HANDLE;
    free(plugin->devices);
    plugin->devices = NULL;
    plugin->device_count = 0;
    vulkan_fault_destroy(plugin->fault);
    plugin->fault = NULL;
}

void vulkan_plugin_fini(tn_host *host) {
    vulkan_plugin *plugin = vulkan_plugin_of(host);
    if (*plugin->alive != 0) { /* a forked child has no right to the driver */
        destroy_instance(plugin);
    }
    pthread_mutex_destroy(&plugin->lock);
    munmap((void *)(uintptr_t)plugin->alive, 4096);
    free(plugin);
    host->plugin_state = NULL;
}

/* What the environment asks for. */
static tn_status read_environment(vulkan_plugin *plugin, vulkan_validation *validation) {
    char error[768];
    plugin->fault = vulkan_fault_parse(secure_getenv("TENON_VK_FAULT"), error, sizeof error);
    if (error[0] != '\0') {
        return tn_fail(plugin->host, TN_INVALID_ARGUMENT, "%s", error);
    }
    if (!vulkan_features_parse(secure_getenv("TENON_VK_DISABLE"), &plugin->disabled, error,
                               sizeof error)) {
        return tn_fail(plugin->host, TN_INVALID_ARGUMENT, "TENON_VK_DISABLE: %s", error);
    }
    return vulkan_validation_parse(plugin->host, secure_getenv("TENON_VK_VALIDATION"), validation);
}

/* Whether the loader, or a layer, offers the extension. */
static int offers_extension(const vulkan_plugin *plugin, const char *layer, const char *name) {
    uint32_t count = 0;
    if (plugin->vk.EnumerateInstanceExtensionProperties(layer, &count, NULL) != VK_SUCCESS ||
        count == 0) {
        return 0;
    }
    VkExtensionProperties *all = calloc(count, sizeof *all);
    int found = 0;
    if (all != NULL &&
        plugin->vk.EnumerateInstanceExtensionProperties(layer, &count, all) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count && !found; i++) {
            found = strcmp(all[i].extensionName, name) == 0;
        }
    }
    free(all);
    return found;
}

static int offers_layer(const vulkan_plugin *plugin, const char *name) {
    uint32_t count = 0;
    if (plugin->vk.EnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS || count == 0) {
        return 0;
    }
    VkLayerProperties *all = calloc(count, sizeof *all);
    int found = 0;
    if (all != NULL && plugin->vk.EnumerateInstanceLayerProperties(&count, all) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count && !found; i++) {
            found = strcmp(all[i].layerName, name) == 0;
        }
    }
    free(all);
    return found;
}

/* The list of extensions, and whether devices that are not quite Vulkan are to be listed too. */
static uint32_t choose_extensions(vulkan_plugin *plugin, const vulkan_validation *validation,
                                  const char **names, VkInstanceCreateFlags *out_flags) {
    uint32_t count = 0;
    *out_flags = 0;
    if (offers_extension(plugin, NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        names[count++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        *out_flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    plugin->has_debug_utils = 0;
    if (validation->is_wanted) {
        names[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
        plugin->has_debug_utils = 1;
        if (validation->enable_count > 0) {
            names[count++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
        }
    }
    return count;
}

static tn_status create_instance(vulkan_plugin *plugin, const vulkan_validation *validation) {
    const char *extensions[4];
    const char *layers[] = {validation_layer};
    VkInstanceCreateFlags flags;
    const uint32_t extension_count = choose_extensions(plugin, validation, extensions, &flags);
    VkDebugUtilsMessengerCreateInfoEXT messenger;
    vulkan_validation_messenger(plugin, &messenger);
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = validation->enable_count,
        .pEnabledValidationFeatures = validation->enables,
    };
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "tenon",
        .pEngineName = "tenon",
        .apiVersion = plugin->api_version,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = !validation->is_wanted         ? NULL
                 : validation->enable_count > 0 ? (const void *)&features
                                                : (const void *)&messenger,
        .flags = flags,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation->is_wanted ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    const VkResult result = VK_CALL(plugin, CreateInstance, &info, NULL, &plugin->instance);
    if (result != VK_SUCCESS) {
        plugin->instance = VK_NULL_HANDLE;
        return vulkan_instance_fail(plugin, "vkCreateInstance", result);
    }
    TN_TRY(vulkan_loader_load_instance(plugin));
    if (plugin->has_debug_utils && plugin->vk.CreateDebugUtilsMessengerEXT != NULL &&
        plugin->vk.DestroyDebugUtilsMessengerEXT != NULL) {
        const VkResult made = VK_CALL(plugin, CreateDebugUtilsMessengerEXT, plugin->instance,
                                      &messenger, NULL, &plugin->messenger);
        if (made != VK_SUCCESS) {
            plugin->messenger = VK_NULL_HANDLE;
            return vulkan_instance_fail(plugin, "vkCreateDebugUtilsMessengerEXT", made);
        }
    }
    return TN_OK;
}

/* Keeps the devices that can be opened; the others are named in the log, and in `reasons`. */
static tn_status read_devices(vulkan_plugin *plugin, const VkPhysicalDevice *handles,
                              uint32_t count, char *reasons, size_t reasons_size) {
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        vulkan_physical_device *device = &plugin->devices[plugin->device_count];
        const VkResult result = vulkan_physical_device_read(plugin, handles[i], device);
        if (result != VK_SUCCESS) {
            return vulkan_instance_fail(plugin, "reading a physical device", result);
        }
        vulkan_device_plan plan;
        const char *reason = vulkan_device_plan_make(device, plugin->disabled, &plan);
        if (reason == NULL) {
            plugin->device_count++;
            continue;
        }
        tn_log(plugin->host, TN_LOG_WARNING, "vulkan: '%s' cannot be used: %s",
               device->properties.deviceName, reason);
        const int size = snprintf(reasons + used, reasons_size - used, "%s'%s': %s",
                                  used > 0 ? "; " : "", device->properties.deviceName, reason);
        used = size < 0 || used + (size_t)size >= reasons_size ? used : used + (size_t)size;
    }
    return TN_OK;
}

static tn_status list_devices(vulkan_plugin *plugin) {
    uint32_t count = 0;
    VkResult result = VK_CALL(plugin, EnumeratePhysicalDevices, plugin->instance, &count, NULL);
    if (result != VK_SUCCESS || count == 0) {
        return result == VK_SUCCESS
                   ? tn_fail(plugin->host, TN_UNAVAILABLE, "no Vulkan driver found a device")
                   : vulkan_instance_fail(plugin, "vkEnumeratePhysicalDevices", result);
    }
    VkPhysicalDevice *handles = calloc(count, sizeof(VkPhysicalDevice));
    plugin->devices = calloc(count, sizeof *plugin->devices);
    char reasons[512] = "";
    tn_status status = TN_OK;
    if (handles == NULL || plugin->devices == NULL) {
        status = tn_fail(plugin->host, TN_OUT_OF_MEMORY, "no memory to list %u devices", count);
    } else {
        result = VK_CALL(plugin, EnumeratePhysicalDevices, plugin->instance, &count, handles);
        status = result < VK_SUCCESS
                     ? vulkan_instance_fail(plugin, "vkEnumeratePhysicalDevices", result)
                     : read_devices(plugin, handles, count, reasons, sizeof reasons);
    }
    free(handles);
    TN_TRY(status);
    if (plugin->device_count == 0) {
        return tn_fail(plugin->host, TN_UNAVAILABLE, "no Vulkan device can be used: %s", reasons);
    }
    vulkan_physical_device_rank(plugin->devices, plugin->device_count);
    return TN_OK;
}

static tn_status make_instance(vulkan_plugin *plugin) {
    vulkan_validation validation;
    TN_TRY(read_environment(plugin, &validation));
    TN_TRY(vulkan_loader_open(plugin));
    uint32_t version = VK_API_VERSION_1_0;
    const VkResult result = VK_CALL(plugin, EnumerateInstanceVersion, &version);
    if (result != VK_SUCCESS) {
        return vulkan_instance_fail(plugin, "vkEnumerateInstanceVersion", result);
    }
    if (version < VK_API_VERSION_1_1) {
        return tn_fail(plugin->host, TN_UNAVAILABLE,
                       "the Vulkan loader is of version 1.0: expected 1.1");
    }
    plugin->api_version = version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3;
    if (validation.is_wanted && !offers_layer(plugin, validation_layer)) {
        return tn_fail(plugin->host, TN_UNAVAILABLE,
                       "TENON_VK_VALIDATION asks for %s, which is not installed", validation_layer);
    }
    TN_TRY(create_instance(plugin, &validation));
    return list_devices(plugin);
}

tn_status vulkan_instance_require(vulkan_plugin *plugin) {
    if (*plugin->alive == 0) {
        return tn_fail(plugin->host, TN_FAILED_PRECONDITION,
                       "Vulkan cannot be used in a process forked from the one that loaded it");
    }
    pthread_mutex_lock(&plugin->lock);
    tn_status status = TN_OK;
    if (plugin->device_count == 0) {
        status = make_instance(plugin);
        if (status != TN_OK) {
            destroy_instance(plugin);
        }
    }
    pthread_mutex_unlock(&plugin->lock);
    return status;
}
