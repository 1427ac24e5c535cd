/*
 * Faults on purpose: TENON_VK_FAULT=call:nth:result[:count],… makes the nth call (from 1) of a
 * Vulkan function, and `count` - 1 after it, fail with that result without reaching the driver.
 * "vkAllocateMemory:3:OUT_OF_DEVICE_MEMORY", "vkQueueSubmit:1:DEVICE_LOST:0" (0: from then on all).
 */
#ifndef TENON_BACKENDS_VULKAN_FAULT_H
#define TENON_BACKENDS_VULKAN_FAULT_H

#include <stddef.h>

#include "functions.h"

typedef struct vulkan_fault vulkan_fault;

/* Reads the text; NULL for an empty one. What is wrong with it goes to `error`, and the result is
 * NULL too. */
vulkan_fault *vulkan_fault_parse(const char *text, char *error, size_t error_size);
void vulkan_fault_destroy(vulkan_fault *fault);

/* Counts the call and says whether it is to fail. [any] */
int vulkan_fault_due(vulkan_fault *fault, vulkan_call call);
VkResult vulkan_fault_result(const vulkan_fault *fault, vulkan_call call);

/* "vkCreateBuffer" */
const char *vulkan_call_name(vulkan_call call);

#endif
