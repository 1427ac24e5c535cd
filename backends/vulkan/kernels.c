/* Opening and closing the kernels' side of a device. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* The SPIR-V that each version of Vulkan takes by itself. */
static uint32_t spirv_version(uint32_t api_version) {
    if (api_version >= VK_API_VERSION_1_3) {
        return 0x00010600;
    }
    return api_version >= VK_API_VERSION_1_2 ? 0x00010500 : 0x00010300;
}

static void read_limits(const vulkan_device *device, vulkan_kernels *kernels) {
    const vulkan_physical_device *physical = device->physical;
    const uint64_t quirk = physical->quirks->max_binding_size;
    kernels->environment = (spirv_environment){
        .max_version = spirv_version(physical->api_version),
        .subgroup_operations = physical->subgroup_operations,
        .features = device->features,
    };
    kernels->max_binding_size = physical->properties.limits.maxStorageBufferRange;
    if (quirk > 0 && quirk < kernels->max_binding_size) {
        kernels->max_binding_size = quirk;
    }
    kernels->max_push_constants = physical->properties.limits.maxPushConstantsSize;
}

static tn_status fill(vulkan_device *device, vulkan_kernels *kernels) {
    TN_TRY(vulkan_limits_open(device));
    TN_TRY(vulkan_pipeline_cache_open(device, &kernels->cache));
    return vulkan_kernel_copy_open(device);
}

tn_status vulkan_kernels_open(vulkan_device *device) {
    vulkan_kernels *kernels = calloc(1, sizeof *kernels);
    if (kernels == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory to open a device: %zu bytes",
                       sizeof *kernels);
    }
    read_limits(device, kernels);
    pthread_mutex_init(&kernels->lock, NULL);
    pthread_cond_init(&kernels->changed, NULL);
    device->kernels = kernels;
    const tn_status status = fill(device, kernels);
    if (status != TN_OK) {
        vulkan_kernels_close(device);
    }
    return status;
}

static void destroy_layouts(vulkan_device *device) {
    while (device->kernels->layouts != NULL) {
        vulkan_layout *layout = device->kernels->layouts;
        device->kernels->layouts = layout->next;
        device->vk.DestroyPipelineLayout(device->handle, layout->handle, NULL);
        device->vk.DestroyDescriptorSetLayout(device->handle, layout->set, NULL);
        free(layout);
    }
}

static void destroy_kernels(vulkan_device *device) {
    uint32_t count = 0;
    for (vulkan_kernel *kernel = device->kernels->kernels; kernel != NULL; count++) {
        vulkan_kernel *next = kernel->next;
        kernel->references = 1;
        vulkan_kernel_release(kernel);
        kernel = next;
    }
    if (count > 0) {
        tn_log(device->host, TN_LOG_WARNING, "vulkan: %u kernels were alive when '%s' was closed",
               (unsigned)count, device->physical->properties.deviceName);
    }
}

void vulkan_kernels_close(vulkan_device *device) {
    vulkan_kernels *kernels = device->kernels;
    if (kernels == NULL) {
        return;
    }
    vulkan_kernel_copy_close(device);
    destroy_kernels(device);
    vulkan_pipeline_cache_close(device, kernels->cache);
    destroy_layouts(device);
    vulkan_descriptor_pools_close(device);
    vulkan_push_chunks_close(device);
    vulkan_limits_close(device);
    pthread_cond_destroy(&kernels->changed);
    pthread_mutex_destroy(&kernels->lock);
    device->kernels = NULL;
    free(kernels);
}

tn_status vulkan_stream_state_of(vulkan_stream *stream, vulkan_stream_state **out_state) {
    vulkan_stream_state **slot = vulkan_stream_kernels_slot(stream);
    if (*slot == NULL) {
        *slot = calloc(1, sizeof **slot);
        if (*slot == NULL) {
            return tn_fail(vulkan_stream_device(stream)->host, TN_OUT_OF_MEMORY,
                           "no memory for a stream: %zu bytes", sizeof **slot);
        }
    }
    const uint64_t commands = vulkan_stream_commands_number(stream);
    if ((*slot)->commands != commands) {
        **slot = (vulkan_stream_state){.commands = commands};
    }
    *out_state = *slot;
    return TN_OK;
}

void vulkan_kernels_stream_finish(vulkan_device *device, vulkan_stream_state *kernels) {
    (void)device;
    free(kernels); /* what it points to goes back with the command buffers */
}
