/*
 * A pipeline cache as it lies on disk: a header of our own, then the driver's bytes. A driver may
 * do anything with bytes that are not its own, or no longer what it wrote: the header says whose
 * they are and what they add up to. Pure.
 */
#ifndef TENON_BACKENDS_VULKAN_CACHE_FILE_H
#define TENON_BACKENDS_VULKAN_CACHE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "physical_device.h"

enum { VULKAN_CACHE_VERSION = 1, VULKAN_CACHE_MAX_BYTES = 256 << 20 };

/* Little-endian, as the machines we run on. */
typedef struct vulkan_cache_header {
    char magic[8];
    uint32_t version;
    uint32_t vendor;
    uint32_t device;
    uint32_t driver_version;
    uint8_t cache_uuid[16];
    uint64_t driver; /* of its name and version as texts: some change nothing else */
    uint64_t size;   /* of the bytes that follow */
    uint64_t checksum;
} vulkan_cache_header;

uint64_t vulkan_checksum(const void *bytes, size_t size);

/* The header of these bytes of a device's driver. */
vulkan_cache_header vulkan_cache_header_of(const vulkan_physical_device *device, const void *bytes,
                                           size_t size);

/* Why a file's content is not to be used, or NULL. */
const char *vulkan_cache_refusal(const vulkan_physical_device *device, const void *content,
                                 size_t size);

/* "vulkan-10de-2335-…-….bin": differs for all that must not share a file. */
void vulkan_cache_file_name(const vulkan_physical_device *device, char *name, size_t size);

#endif
