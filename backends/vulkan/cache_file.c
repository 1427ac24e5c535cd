/* The content of a pipeline cache's file. */
#include "cache_file.h"

#include <stdio.h>
#include <string.h>

static const char magic[8] = {'T', 'N', 'V', 'K', 'P', 'I', 'P', 'E'};

/* FNV-1a over words, then over what is left. */
uint64_t vulkan_checksum(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t sum = 14695981039346656037u, word;
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * 1099511628211u;
        sum ^= sum >> 32; /* high bits reach the low ones */
    }
    for (; size > 0; size--, at++) {
        sum = (sum ^ *at) * 1099511628211u;
    }
    return sum;
}

vulkan_cache_header vulkan_cache_header_of(const vulkan_physical_device *device, const void *bytes,
                                           size_t size) {
    const VkPhysicalDeviceProperties *properties = &device->properties;
    vulkan_cache_header header = {
        .version = VULKAN_CACHE_VERSION,
        .vendor = properties->vendorID,
        .device = properties->deviceID,
        .driver_version = properties->driverVersion,
        .driver = vulkan_checksum(device->driver, strlen(device->driver)),
        .size = size,
        .checksum = vulkan_checksum(bytes, size),
    };
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.cache_uuid, properties->pipelineCacheUUID, sizeof header.cache_uuid);
    return header;
}

/* The driver's own header, which Vulkan lays down, must be this driver's too. */
static const char *inner_refusal(const vulkan_physical_device *device, const void *bytes,
                                 size_t size) {
    VkPipelineCacheHeaderVersionOne inner;
    if (size < sizeof inner) {
        return "it is too short for a driver's header";
    }
    memcpy(&inner, bytes, sizeof inner);
    if (inner.headerSize < sizeof inner || inner.headerSize > size ||
        inner.headerVersion != VK_PIPELINE_CACHE_HEADER_VERSION_ONE ||
        inner.vendorID != device->properties.vendorID ||
        inner.deviceID != device->properties.deviceID ||
        memcmp(inner.pipelineCacheUUID, device->properties.pipelineCacheUUID,
               sizeof inner.pipelineCacheUUID) != 0) {
        return "the driver's header is another's";
    }
    return NULL;
}

const char *vulkan_cache_refusal(const vulkan_physical_device *device, const void *content,
                                 size_t size) {
    vulkan_cache_header header, wanted;
    if (size < sizeof header) {
        return "it is too short";
    }
    memcpy(&header, content, sizeof header);
    const char *bytes = (const char *)content + sizeof header;
    if (memcmp(header.magic, magic, sizeof magic) != 0) {
        return "it is not a cache of ours";
    }
    if (header.version != VULKAN_CACHE_VERSION) {
        return "it is of another version";
    }
    if (header.size != size - sizeof header) {
        return "it is cut short, or has more than it says";
    }
    wanted = vulkan_cache_header_of(device, bytes, (size_t)header.size);
    if (header.checksum != wanted.checksum) {
        return "it is damaged: the checksum differs";
    }
    if (memcmp(&header, &wanted, sizeof header) != 0) {
        return "it is of another device or driver";
    }
    return inner_refusal(device, bytes, (size_t)header.size);
}

void vulkan_cache_file_name(const vulkan_physical_device *device, char *name, size_t size) {
    const VkPhysicalDeviceProperties *properties = &device->properties;
    char uuid[2 * VK_UUID_SIZE + 1];
    for (size_t i = 0; i < VK_UUID_SIZE; i++) {
        snprintf(uuid + 2 * i, 3, "%02x", properties->pipelineCacheUUID[i]);
    }
    snprintf(name, size, "vulkan-%04x-%04x-%08x-%s.bin", (unsigned)properties->vendorID,
             (unsigned)properties->deviceID, (unsigned)properties->driverVersion, uuid);
}
