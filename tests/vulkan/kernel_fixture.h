/* Kernels of the tests' own shaders, made and launched in a line each. */
#ifndef TENON_TESTS_VULKAN_KERNEL_FIXTURE_H
#define TENON_TESTS_VULKAN_KERNEL_FIXTURE_H

#include "kernels.h"
#include "shaders.h"
#include "vulkan_fixture.h"

/* Every binding is read and written unless `access` says otherwise. */
typedef struct kernel_request {
    const char *shader;
    uint32_t binding_count;
    uint32_t push_size;
    const uint32_t *access;
    const tn_specialization *specializations;
    uint32_t specialization_count;
    uint32_t subgroup_size;
    uint32_t workgroup_size[3];
    const char *entry_point;
} kernel_request;

tn_status try_kernel(vulkan_device *device, const kernel_request *request, void **out_kernel);
void *make_kernel(vulkan_device *device, const kernel_request *request);

/* The whole of a buffer. */
tn_binding whole(vulkan_buffer *buffer);

vulkan_buffer *buffer_of(vulkan_device *device, void *stream, const void *bytes, uint64_t size);
void read_buffer(void *stream, const vulkan_buffer *buffer, void *bytes, uint64_t size);

/* Closes the device; what push data took of its memory is the device's own. */
void close_device(vulkan_device *device);

/* sum = first + scale * second, by shader "add". */
void *make_add(vulkan_device *device);
typedef struct add_push {
    uint32_t count;
    float scale;
} add_push;

#endif
