/*
 * libvulkan, opened when it is first needed and never closed: drivers leave threads and handlers
 * behind that would run into unmapped code.
 */
#include "instance.h"

#include <dlfcn.h>
#include <stdlib.h>

/* ISO C has no cast from an object pointer to a function pointer; POSIX promises that the bytes
 * are the same. */
static PFN_vkGetInstanceProcAddr find_entry(void *library) {
    PFN_vkGetInstanceProcAddr entry = NULL;
    void *address = dlsym(library, "vkGetInstanceProcAddr");
    memcpy(&entry, &address, sizeof entry);
    return entry;
}

tn_status vulkan_loader_open(vulkan_plugin *plugin) {
    const char *name = secure_getenv("TENON_VK_LOADER");
    name = name != NULL && name[0] != '\0' ? name : "libvulkan.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        const char *reason = dlerror();
        return tn_fail(plugin->host, TN_UNAVAILABLE,
                       "there is no Vulkan loader: %s; install libvulkan1 and the driver's Vulkan "
                       "part",
                       reason != NULL ? reason : name);
    }
    vulkan_functions *vk = &plugin->vk;
    vk->GetInstanceProcAddr = find_entry(library);
    if (vk->GetInstanceProcAddr == NULL) {
        return tn_fail(plugin->host, TN_UNAVAILABLE,
                       "'%s' is not a Vulkan loader: it has no vkGetInstanceProcAddr", name);
    }
#define LOAD_GLOBAL(name) vk->name = (PFN_vk##name)vk->GetInstanceProcAddr(NULL, "vk" #name);
    VULKAN_GLOBAL_FUNCTIONS(LOAD_GLOBAL)
#undef LOAD_GLOBAL
    if (vk->CreateInstance == NULL || vk->EnumerateInstanceVersion == NULL ||
        vk->EnumerateInstanceExtensionProperties == NULL ||
        vk->EnumerateInstanceLayerProperties == NULL) {
        return tn_fail(plugin->host, TN_UNAVAILABLE,
                       "the Vulkan loader '%s' is of version 1.0: expected 1.1", name);
    }
    return TN_OK;
}

tn_status vulkan_loader_load_instance(vulkan_plugin *plugin) {
    vulkan_functions *vk = &plugin->vk;
    const char *missing = NULL;
#define LOAD_INSTANCE(name)                                                                        \
    vk->name = (PFN_vk##name)vk->GetInstanceProcAddr(plugin->instance, "vk" #name);
#define REQUIRE_INSTANCE(name)                                                                     \
    LOAD_INSTANCE(name)                                                                            \
    missing = vk->name == NULL ? "vk" #name : missing;
    VULKAN_INSTANCE_FUNCTIONS(REQUIRE_INSTANCE)
    VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(LOAD_INSTANCE)
#undef REQUIRE_INSTANCE
#undef LOAD_INSTANCE
    if (missing != NULL) {
        return tn_fail(plugin->host, TN_UNAVAILABLE, "the Vulkan loader has no %s", missing);
    }
    return TN_OK;
}

const char *vulkan_loader_load_device(vulkan_functions *vk, VkDevice device) {
    const char *missing = NULL;
#define LOAD_DEVICE(name) vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(device, "vk" #name);
#define REQUIRE_DEVICE(name)                                                                       \
    LOAD_DEVICE(name)                                                                              \
    missing = vk->name == NULL ? "vk" #name : missing;
#define REQUIRE_TIMELINE(name)                                                                     \
    LOAD_DEVICE(name)                                                                              \
    if (vk->name == NULL) {                                                                        \
        vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(device, "vk" #name "KHR");                  \
    }                                                                                              \
    missing = vk->name == NULL ? "vk" #name : missing;
    VULKAN_DEVICE_FUNCTIONS(REQUIRE_DEVICE)
    VULKAN_TIMELINE_FUNCTIONS(REQUIRE_TIMELINE)
    VULKAN_OPTIONAL_DEVICE_FUNCTIONS(LOAD_DEVICE)
#undef REQUIRE_TIMELINE
#undef REQUIRE_DEVICE
#undef LOAD_DEVICE
    return missing;
}
