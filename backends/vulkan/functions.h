/*
 * The Vulkan functions that the backend calls, as lists: they yield the table of pointers, the
 * numbers by which calls are faulted, and the code that fills the table.
 */
#ifndef TENON_BACKENDS_VULKAN_FUNCTIONS_H
#define TENON_BACKENDS_VULKAN_FUNCTIONS_H

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#include "newer.h"

/* From the loader, without an instance. */
#define VULKAN_GLOBAL_FUNCTIONS(X)                                                                 \
    X(EnumerateInstanceVersion)                                                                    \
    X(EnumerateInstanceExtensionProperties)                                                        \
    X(EnumerateInstanceLayerProperties)                                                            \
    X(CreateInstance)

#define VULKAN_INSTANCE_FUNCTIONS(X)                                                               \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties2)                                                          \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(CreateDevice)                                                                                \
    X(GetDeviceProcAddr)

/* Those of extensions: NULL where the extension is not there. */
#define VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(X)                                                      \
    X(CreateDebugUtilsMessengerEXT)                                                                \
    X(DestroyDebugUtilsMessengerEXT)                                                               \
    X(GetPhysicalDeviceCooperativeMatrixPropertiesNV)                                              \
    X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)

#define VULKAN_DEVICE_FUNCTIONS(X)                                                                 \
    X(DestroyDevice)                                                                               \
    X(DeviceWaitIdle)                                                                              \
    X(GetDeviceQueue)                                                                              \
    X(QueueSubmit)                                                                                 \
    X(AllocateMemory)                                                                              \
    X(FreeMemory)                                                                                  \
    X(MapMemory)                                                                                   \
    X(UnmapMemory)                                                                                 \
    X(FlushMappedMemoryRanges)                                                                     \
    X(InvalidateMappedMemoryRanges)                                                                \
    X(CreateBuffer)                                                                                \
    X(DestroyBuffer)                                                                               \
    X(GetBufferMemoryRequirements2)                                                                \
    X(BindBufferMemory)                                                                            \
    X(CreateCommandPool)                                                                           \
    X(DestroyCommandPool)                                                                          \
    X(ResetCommandPool)                                                                            \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(EndCommandBuffer)                                                                            \
    X(CreateSemaphore)                                                                             \
    X(DestroySemaphore)                                                                            \
    X(CreateQueryPool)                                                                             \
    X(DestroyQueryPool)                                                                            \
    X(GetQueryPoolResults)                                                                         \
    X(CreateShaderModule)                                                                          \
    X(DestroyShaderModule)                                                                         \
    X(CreatePipelineCache)                                                                         \
    X(DestroyPipelineCache)                                                                        \
    X(GetPipelineCacheData)                                                                        \
    X(CreateComputePipelines)                                                                      \
    X(DestroyPipeline)                                                                             \
    X(CreatePipelineLayout)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(CreateDescriptorSetLayout)                                                                   \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(CreateDescriptorPool)                                                                        \
    X(DestroyDescriptorPool)                                                                       \
    X(ResetDescriptorPool)                                                                         \
    X(AllocateDescriptorSets)                                                                      \
    X(UpdateDescriptorSets)                                                                        \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdCopyBuffer)                                                                               \
    X(CmdFillBuffer)                                                                               \
    X(CmdUpdateBuffer)                                                                             \
    X(CmdBindPipeline)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdPushConstants)                                                                            \
    X(CmdDispatch)                                                                                 \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)

/* Vulkan 1.2, or VK_KHR_timeline_semaphore under the same name with KHR. Always there on a device
 * that opens. */
#define VULKAN_TIMELINE_FUNCTIONS(X)                                                               \
    X(GetSemaphoreCounterValue)                                                                    \
    X(WaitSemaphores)                                                                              \
    X(SignalSemaphore)

#define VULKAN_OPTIONAL_DEVICE_FUNCTIONS(X)                                                        \
    X(CmdPushDescriptorSetKHR)                                                                     \
    X(GetMemoryHostPointerPropertiesEXT)                                                           \
    X(SetDebugUtilsObjectNameEXT)                                                                  \
    X(GetBufferDeviceAddress)                                                                      \
    X(GetDeviceFaultInfoEXT)

#define VULKAN_FUNCTIONS(X)                                                                        \
    VULKAN_GLOBAL_FUNCTIONS(X)                                                                     \
    VULKAN_INSTANCE_FUNCTIONS(X)                                                                   \
    VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(X)                                                          \
    VULKAN_DEVICE_FUNCTIONS(X)                                                                     \
    VULKAN_TIMELINE_FUNCTIONS(X)                                                                   \
    VULKAN_OPTIONAL_DEVICE_FUNCTIONS(X)

/* Called as `device->vk.CmdDispatch(…)`, or by VK_CALL where the call can fail. */
typedef struct vulkan_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define VULKAN_POINTER(name) PFN_vk##name name;
    VULKAN_FUNCTIONS(VULKAN_POINTER)
#undef VULKAN_POINTER
} vulkan_functions;

typedef enum vulkan_call {
#define VULKAN_NUMBER(name) VULKAN_CALL_##name,
    VULKAN_FUNCTIONS(VULKAN_NUMBER)
#undef VULKAN_NUMBER
        VULKAN_CALL_COUNT
} vulkan_call;

#endif
