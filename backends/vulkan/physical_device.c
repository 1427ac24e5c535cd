/* Reading the facts of a physical device, quirks, and the order of devices. */
#include "physical_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature_chain.h"
#include "instance.h"

/* Found out by running; see each note. */
static const vulkan_quirks quirk_table[] = {
    {
        .driver = VK_DRIVER_ID_MESA_LLVMPIPE,
        .max_loop_iterations = 60000, /* of 65,535 that all loops of an invocation share */
        .note = "runs on the processor; loops end silently after 65,535 iterations an invocation",
    },
    {
        .driver = VK_DRIVER_ID_MOLTENVK,
        .broken = VULKAN_BIT(PUSH_DESCRIPTOR) | VULKAN_BIT(HOST_IMPORT),
        .note = "array lengths read 0 through push descriptors; imported memory makes calls fail",
    },
};

static const vulkan_quirks no_quirks;

const vulkan_quirks *vulkan_quirks_of(VkDriverId driver) {
    for (size_t i = 0; i < sizeof quirk_table / sizeof quirk_table[0]; i++) {
        if (quirk_table[i].driver == driver) {
            return &quirk_table[i];
        }
    }
    return &no_quirks;
}

/* Property structs, those linked that the device knows. */
typedef struct property_chain {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceMaintenance3Properties sizes;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size;
    VkPhysicalDeviceMaintenance4Properties buffers;
    VkPhysicalDevicePushDescriptorPropertiesKHR push;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT import;
    VkPhysicalDevicePCIBusInfoPropertiesEXT bus;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV units_nv;
    VkPhysicalDeviceShaderCoreProperties2AMD units_amd;
} property_chain;

static void link_properties(property_chain *chain, void *properties, VkStructureType type) {
    VkBaseOutStructure *link = properties;
    link->sType = type;
    link->pNext = chain->core.pNext;
    chain->core.pNext = link;
}

static void link_known(property_chain *chain, uint32_t version,
                       const vulkan_extensions *extensions) {
    memset(chain, 0, sizeof *chain);
    chain->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    link_properties(chain, &chain->id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    link_properties(chain, &chain->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    link_properties(chain, &chain->sizes,
                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    if (version >= VK_API_VERSION_1_2 ||
        vulkan_extensions_has(extensions, "VK_KHR_driver_properties")) {
        link_properties(chain, &chain->driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    }
    if (version >= VK_API_VERSION_1_3 ||
        vulkan_extensions_has(extensions, "VK_EXT_subgroup_size_control")) {
        link_properties(chain, &chain->subgroup_size,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    }
    if (version >= VK_API_VERSION_1_3 || vulkan_extensions_has(extensions, "VK_KHR_maintenance4")) {
        link_properties(chain, &chain->buffers,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    }
    if (vulkan_extensions_has(extensions, "VK_KHR_push_descriptor")) {
        link_properties(chain, &chain->push,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR);
    }
    if (vulkan_extensions_has(extensions, "VK_EXT_external_memory_host")) {
        link_properties(chain, &chain->import,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    }
    if (vulkan_extensions_has(extensions, "VK_EXT_pci_bus_info")) {
        link_properties(chain, &chain->bus,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    }
    if (vulkan_extensions_has(extensions, "VK_NV_shader_sm_builtins")) {
        link_properties(chain, &chain->units_nv,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    }
    if (vulkan_extensions_has(extensions, "VK_AMD_shader_core_properties2")) {
        link_properties(chain, &chain->units_amd,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD);
    }
}

static void keep_texts(vulkan_physical_device *device, const property_chain *chain) {
    const uint32_t api = device->properties.apiVersion;
    const uint32_t vendor = device->properties.vendorID;
    vulkan_driver_version_text(vendor, device->properties.driverVersion, device->driver_version,
                               sizeof device->driver_version);
    snprintf(device->api_text, sizeof device->api_text, "Vulkan %u.%u.%u",
             VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api), VK_API_VERSION_PATCH(api));
    if (chain->driver.driverName[0] != '\0') {
        snprintf(device->driver, sizeof device->driver, "%.*s, %.*s", 64, chain->driver.driverName,
                 240, chain->driver.driverInfo);
    } else {
        snprintf(device->driver, sizeof device->driver, "driver version %s",
                 device->driver_version);
    }
    if (chain->bus.sType != 0) {
        snprintf(device->location, sizeof device->location, "pci %04x:%02x:%02x.%x",
                 chain->bus.pciDomain, chain->bus.pciBus, chain->bus.pciDevice,
                 chain->bus.pciFunction);
    }
}

static void keep_properties(vulkan_physical_device *device, const property_chain *chain) {
    device->properties = chain->core.properties;
    device->driver_id = chain->driver.driverID;
    keep_texts(device, chain);
    device->compute_units = chain->units_nv.shaderSMCount > 0
                                ? chain->units_nv.shaderSMCount
                                : chain->units_amd.activeComputeUnitCount;
    memcpy(device->uuid, chain->id.deviceUUID, sizeof device->uuid);
    memcpy(device->driver_uuid, chain->id.driverUUID, sizeof device->driver_uuid);
    const int in_compute = (chain->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    device->subgroup_size = chain->subgroup.subgroupSize;
    device->subgroup_operations = in_compute ? chain->subgroup.supportedOperations : 0;
    device->min_subgroup_size = chain->subgroup_size.minSubgroupSize;
    device->max_subgroup_size = chain->subgroup_size.maxSubgroupSize;
    device->max_compute_subgroups = chain->subgroup_size.maxComputeWorkgroupSubgroups;
    device->max_push_descriptors = chain->push.maxPushDescriptors;
    device->max_allocation_size = chain->sizes.maxMemoryAllocationSize;
    device->max_buffer_size =
        chain->buffers.maxBufferSize > 0 ? chain->buffers.maxBufferSize : UINT64_MAX;
    device->import_alignment = chain->import.minImportedHostPointerAlignment;
    device->quirks = vulkan_quirks_of(device->driver_id);
}

static void read_features(const vulkan_plugin *plugin, vulkan_physical_device *device,
                          const vulkan_extensions *extensions) {
    static const uint32_t by_extension_alone[] = {
        VULKAN_FEATURE_PUSH_DESCRIPTOR,
        VULKAN_FEATURE_MEMORY_BUDGET,
        VULKAN_FEATURE_HOST_IMPORT,
    };
    vulkan_feature_chain chain;
    vulkan_feature_chain_link_all(&chain, device->api_version, extensions);
    plugin->vk.GetPhysicalDeviceFeatures2(device->handle, &chain.core);
    device->offered = vulkan_feature_chain_read(&chain);
    device->has_timeline = chain.timeline.timelineSemaphore;
    for (size_t i = 0; i < sizeof by_extension_alone / sizeof by_extension_alone[0]; i++) {
        const char *name = vulkan_feature_extension(by_extension_alone[i], device->api_version);
        if (vulkan_extensions_has(extensions, name)) {
            device->offered |= (vulkan_features)1 << by_extension_alone[i];
        }
    }
    device->needs_portability =
        (uint32_t)vulkan_extensions_has(extensions, "VK_KHR_portability_subset");
}

static VkResult read_extensions(vulkan_plugin *plugin, VkPhysicalDevice handle,
                                vulkan_extensions *out_extensions) {
    uint32_t count = 0;
    VkResult result =
        VK_CALL(plugin, EnumerateDeviceExtensionProperties, handle, NULL, &count, NULL);
    if (result != VK_SUCCESS) {
        return result;
    }
    VkExtensionProperties *all = calloc(count + 1u, sizeof *all);
    if (all == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    result = VK_CALL(plugin, EnumerateDeviceExtensionProperties, handle, NULL, &count, all);
    if (result < VK_SUCCESS) {
        free(all);
        return result;
    }
    *out_extensions = (vulkan_extensions){count, all};
    return VK_SUCCESS;
}

static void read_memory_and_queues(const vulkan_plugin *plugin, vulkan_physical_device *device) {
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    plugin->vk.GetPhysicalDeviceMemoryProperties2(device->handle, &memory);
    device->memory = memory.memoryProperties;
    device->family_count = VULKAN_MAX_QUEUE_FAMILIES;
    plugin->vk.GetPhysicalDeviceQueueFamilyProperties(device->handle, &device->family_count,
                                                      device->families);
}

VkResult vulkan_physical_device_read(vulkan_plugin *plugin, VkPhysicalDevice handle,
                                     vulkan_physical_device *out_device) {
    vulkan_physical_device *device = out_device;
    memset(device, 0, sizeof *device);
    device->handle = handle;
    device->quirks = &no_quirks;
    plugin->vk.GetPhysicalDeviceProperties(handle, &device->properties);
    device->api_version = device->properties.apiVersion < plugin->api_version
                              ? device->properties.apiVersion
                              : plugin->api_version;
    if (device->api_version < VK_API_VERSION_1_1) {
        return VK_SUCCESS; /* the plan refuses it */
    }
    vulkan_extensions extensions;
    const VkResult result = read_extensions(plugin, handle, &extensions);
    if (result != VK_SUCCESS) {
        return result;
    }
    property_chain chain;
    link_known(&chain, device->api_version, &extensions);
    plugin->vk.GetPhysicalDeviceProperties2(handle, &chain.core);
    keep_properties(device, &chain);
    read_features(plugin, device, &extensions);
    read_memory_and_queues(plugin, device);
    free(extensions.all);
    return VK_SUCCESS;
}

static int score(const vulkan_physical_device *device) {
    switch (device->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 0;
    default: return 1;
    }
}

uint64_t vulkan_physical_device_memory(const vulkan_physical_device *device) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < device->memory.memoryHeapCount; i++) {
        if ((device->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
            size += device->memory.memoryHeaps[i].size;
        }
    }
    return size;
}

/* Below 0: the left one comes first. */
static int compare(const void *left, const void *right) {
    const vulkan_physical_device *a = left;
    const vulkan_physical_device *b = right;
    const uint64_t memory_a = vulkan_physical_device_memory(a);
    const uint64_t memory_b = vulkan_physical_device_memory(b);
    if (score(a) != score(b)) {
        return score(b) - score(a);
    }
    if (memory_a != memory_b) {
        return memory_a > memory_b ? -1 : 1;
    }
    const int by_uuid = memcmp(a->uuid, b->uuid, sizeof a->uuid);
    return by_uuid != 0 ? by_uuid : memcmp(a->driver_uuid, b->driver_uuid, sizeof a->driver_uuid);
}

/* Few devices: insertion sort, which keeps the loader's order among equals. */
void vulkan_physical_device_rank(vulkan_physical_device *devices, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const vulkan_physical_device moved = devices[i];
        uint32_t place = i;
        while (place > 0 && compare(&moved, &devices[place - 1]) < 0) {
            devices[place] = devices[place - 1];
            place--;
        }
        devices[place] = moved;
    }
}

const char *vulkan_physical_device_kind(const vulkan_physical_device *device) {
    switch (device->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete gpu";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated gpu";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual gpu";
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return "cpu";
    default: return "other";
    }
}

const char *vulkan_vendor_name(uint32_t vendor_id) {
    switch (vendor_id) {
    case 0x1002: return "AMD";
    case 0x1010: return "Imagination";
    case 0x106b: return "Apple";
    case 0x10de: return "NVIDIA";
    case 0x13b5: return "Arm";
    case 0x1414: return "Microsoft";
    case 0x14e4: return "Broadcom";
    case 0x1ae0: return "Google";
    case 0x5143: return "Qualcomm";
    case 0x8086: return "Intel";
    case VK_VENDOR_ID_MESA: return "Mesa";
    default: return "";
    }
}

void vulkan_driver_version_text(uint32_t vendor_id, uint32_t version, char *text, size_t size) {
    if (vendor_id == 0x10de) { /* NVIDIA: 10, 8 and 8 bits; the last 6 are not used */
        snprintf(text, size, "%u.%02u.%02u", version >> 22, version >> 14 & 0xff,
                 version >> 6 & 0xff);
    } else {
        snprintf(text, size, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
                 VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    }
}
