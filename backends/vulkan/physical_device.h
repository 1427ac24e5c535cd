/*
 * Facts about a physical device, read once and never changed: what the driver says, and what is
 * known of the driver beyond that (quirks). Nothing here needs an open device.
 */
#ifndef TENON_BACKENDS_VULKAN_PHYSICAL_DEVICE_H
#define TENON_BACKENDS_VULKAN_PHYSICAL_DEVICE_H

#include <stddef.h>

#include "feature.h"
#include "functions.h"

enum { VULKAN_MAX_QUEUE_FAMILIES = 16 };

/* One row of the table of quirks: what a driver does other than it says. 0: nothing known. */
typedef struct vulkan_quirks {
    VkDriverId driver;
    uint32_t max_loop_iterations; /* loops of an invocation end silently beyond */
    uint64_t max_binding_size;    /* less than maxStorageBufferRange */
    vulkan_features broken;       /* never used, whatever is offered */
    const char *note;             /* one sentence for reports */
} vulkan_quirks;

typedef struct vulkan_physical_device {
    VkPhysicalDevice handle;
    uint32_t api_version;                  /* the lower of the device's and the instance's */
    VkPhysicalDeviceProperties properties; /* name, type, version, limits, cache UUID */
    char driver[320];                      /* "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6)" */
    char driver_version[32];               /* as its maker writes it */
    char api_text[32];                     /* "Vulkan 1.3.230": the device's */
    char location[32];                     /* "pci 0000:3b:00.0"; "": not known */
    VkDriverId driver_id;
    uint8_t uuid[16];
    uint8_t driver_uuid[16];

    /* Subgroups. Minimum and maximum are 0 without size control. */
    uint32_t subgroup_size;
    VkSubgroupFeatureFlags subgroup_operations; /* in compute shaders */
    uint32_t min_subgroup_size;
    uint32_t max_subgroup_size;
    uint32_t max_compute_subgroups;

    uint32_t compute_units; /* 0: not known */
    uint32_t max_push_descriptors;
    uint64_t max_allocation_size; /* maxMemoryAllocationSize */
    uint64_t max_buffer_size;     /* maxBufferSize; UINT64_MAX when not said */
    uint64_t import_alignment;    /* minImportedHostPointerAlignment; 0: no import */

    VkPhysicalDeviceMemoryProperties memory;
    uint32_t family_count;
    VkQueueFamilyProperties families[VULKAN_MAX_QUEUE_FAMILIES];

    vulkan_features offered;     /* by the driver, quirks not taken off */
    uint32_t has_timeline;       /* without it the device cannot be opened */
    uint32_t needs_portability;  /* VK_KHR_portability_subset must be enabled */
    const vulkan_quirks *quirks; /* never NULL */
} vulkan_physical_device;

/* Reads everything. Fails with the driver's result. */
struct vulkan_plugin;
VkResult vulkan_physical_device_read(struct vulkan_plugin *plugin, VkPhysicalDevice handle,
                                     vulkan_physical_device *out_device);

/* What is known of a driver; a row of zeros when nothing is. */
const vulkan_quirks *vulkan_quirks_of(VkDriverId driver);

/* Sorts by usefulness: discrete, integrated, virtual, other, CPU; then by memory, then by UUID, so
 * that the order does not depend on the loader's. */
void vulkan_physical_device_rank(vulkan_physical_device *devices, uint32_t count);

/* "discrete gpu", "cpu", … as tn_device_info.kind. */
const char *vulkan_physical_device_kind(const vulkan_physical_device *device);

/* The maker by its registered number; "" when it has no name here. */
const char *vulkan_vendor_name(uint32_t vendor_id);

/* A driver's version in its maker's notation. */
void vulkan_driver_version_text(uint32_t vendor_id, uint32_t version, char *text, size_t size);

/* Bytes of memory that is the device's own. */
uint64_t vulkan_physical_device_memory(const vulkan_physical_device *device);

#endif
