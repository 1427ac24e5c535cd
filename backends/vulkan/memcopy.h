/* Copies between host memory and mapped memory: large ones on the host's threads. */
#ifndef TENON_BACKENDS_VULKAN_MEMCOPY_H
#define TENON_BACKENDS_VULKAN_MEMCOPY_H

#include "backend.h"

void vulkan_memcopy(vulkan_device *device, void *target, const void *source, uint64_t size);

#endif
