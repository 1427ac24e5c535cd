/* Listing, opening and closing devices: the first functions of the backend's table. */
#ifndef TENON_BACKENDS_VULKAN_DEVICE_H
#define TENON_BACKENDS_VULKAN_DEVICE_H

#include "backend.h"

tn_status vulkan_count(const tn_host *host, uint32_t *out_count);
tn_status vulkan_info(const tn_host *host, uint32_t index, tn_device_info *out_info);
tn_status vulkan_open(const tn_host *host, uint32_t index, const tn_option *options,
                      uint32_t option_count, void **out_device);
void vulkan_close(const tn_host *host, void *device);

#endif
