/*
 * The chain of feature structs that reads what a driver offers and, with the same rows, asks for
 * what a device is to be opened with.
 */
#ifndef TENON_BACKENDS_VULKAN_FEATURE_CHAIN_H
#define TENON_BACKENDS_VULKAN_FEATURE_CHAIN_H

#include "feature.h"
#include "functions.h"

/* The extensions that a device lists. */
typedef struct vulkan_extensions {
    uint32_t count;
    VkExtensionProperties *all;
} vulkan_extensions;

int vulkan_extensions_has(const vulkan_extensions *extensions, const char *name);

typedef struct vulkan_feature_chain {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceShaderIntegerDotProductFeatures integer_dot;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV matrix_nv;
    VkPhysicalDeviceFaultFeaturesEXT fault;
} vulkan_feature_chain;

/* Links the structs that the device knows, all zero: for vkGetPhysicalDeviceFeatures2. */
void vulkan_feature_chain_link_all(vulkan_feature_chain *chain, uint32_t api_version,
                                   const vulkan_extensions *extensions);

/* The features whose every switch is on. */
vulkan_features vulkan_feature_chain_read(const vulkan_feature_chain *chain);

/* Turns on the switches of `features` and links only the structs that have one: for vkCreateDevice.
 * Timeline semaphores are always asked for. */
void vulkan_feature_chain_request(vulkan_feature_chain *chain, vulkan_features features);

/* The extension that brings a feature to a device of this version, or NULL when the version has
 * it, or none is needed. */
const char *vulkan_feature_extension(uint32_t feature, uint32_t api_version);

#endif
