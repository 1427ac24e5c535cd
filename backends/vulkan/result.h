/* The results of Vulkan calls: their names, and the status that each becomes. */
#ifndef TENON_BACKENDS_VULKAN_RESULT_H
#define TENON_BACKENDS_VULKAN_RESULT_H

#include <stddef.h>

#include <tenon/plugin/status.h>

#include "functions.h"

/* "VK_ERROR_DEVICE_LOST", or "an unknown result". */
const char *vulkan_result_name(VkResult result);

/* What it means, for a message. */
const char *vulkan_result_sentence(VkResult result);

tn_status vulkan_result_status(VkResult result);

/* By name, with "VK_ERROR_" or "VK_" in front or without. */
int vulkan_result_find(const char *name, size_t size, VkResult *out_result);

#endif
