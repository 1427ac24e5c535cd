/*
 * Binding buffers: pushed into the command buffer where the device can, else by sets from pools. A
 * pool serves one command buffer, set after set, and goes back when that is done with.
 */
#include <stdlib.h>

#include "kernels.h"

enum { POOL_SETS = 256, POOL_DESCRIPTORS = 2048 };

static void destroy_pool(vulkan_device *device, vulkan_descriptor_pool *pool) {
    device->vk.DestroyDescriptorPool(device->handle, pool->handle, NULL);
    free(pool);
}

/* vulkan_release: the command buffer that used it is done. */
static void give_pool(void *context, void *object) {
    vulkan_device *device = context;
    vulkan_descriptor_pool *pool = object;
    if (VK_CALL(device, ResetDescriptorPool, device->handle, pool->handle, 0) != VK_SUCCESS) {
        destroy_pool(device, pool);
        return;
    }
    pool->sets_left = POOL_SETS;
    pool->descriptors_left = POOL_DESCRIPTORS;
    pthread_mutex_lock(&device->kernels->lock);
    pool->next = device->kernels->pools;
    device->kernels->pools = pool;
    pthread_mutex_unlock(&device->kernels->lock);
}

static tn_status create_pool(vulkan_device *device, vulkan_descriptor_pool **out_pool) {
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, POOL_DESCRIPTORS};
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = POOL_SETS,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    vulkan_descriptor_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for a descriptor pool: %zu bytes",
                       sizeof *pool);
    }
    const VkResult result =
        VK_CALL(device, CreateDescriptorPool, device->handle, &info, NULL, &pool->handle);
    if (result != VK_SUCCESS) {
        free(pool);
        return vulkan_fail(device, "vkCreateDescriptorPool", result);
    }
    pool->sets_left = POOL_SETS;
    pool->descriptors_left = POOL_DESCRIPTORS;
    *out_pool = pool;
    return TN_OK;
}

static tn_status take_pool(vulkan_stream *stream, vulkan_stream_state *state) {
    vulkan_device *device = vulkan_stream_device(stream);
    pthread_mutex_lock(&device->kernels->lock);
    vulkan_descriptor_pool *pool = device->kernels->pools;
    if (pool != NULL) {
        device->kernels->pools = pool->next;
    }
    pthread_mutex_unlock(&device->kernels->lock);
    if (pool == NULL) {
        TN_TRY(create_pool(device, &pool));
    }
    const tn_status status = vulkan_stream_defer(stream, give_pool, device, pool);
    if (status != TN_OK) {
        give_pool(device, pool);
        return status;
    }
    state->pool = pool;
    return TN_OK;
}

static VkResult allocate_set(vulkan_device *device, vulkan_descriptor_pool *pool,
                             const vulkan_layout *layout, VkDescriptorSet *out_set) {
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool->handle,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout->set,
    };
    pool->sets_left--;
    pool->descriptors_left -= layout->binding_count;
    return VK_CALL(device, AllocateDescriptorSets, device->handle, &info, out_set);
}

static int has_room(const vulkan_descriptor_pool *pool, const vulkan_layout *layout) {
    return pool != NULL && pool->sets_left > 0 && pool->descriptors_left >= layout->binding_count;
}

/* A driver may call a pool full before we do: then the next one is tried. */
static tn_status take_set(vulkan_stream *stream, vulkan_stream_state *state,
                          const vulkan_layout *layout, VkDescriptorSet *out_set) {
    vulkan_device *device = vulkan_stream_device(stream);
    VkResult result = VK_ERROR_OUT_OF_POOL_MEMORY;
    for (uint32_t attempt = 0; attempt < 2 && (result == VK_ERROR_OUT_OF_POOL_MEMORY ||
                                               result == VK_ERROR_FRAGMENTED_POOL);
         attempt++) {
        if (attempt > 0 || !has_room(state->pool, layout)) {
            TN_TRY(take_pool(stream, state));
        }
        result = allocate_set(device, state->pool, layout, out_set);
    }
    return result == VK_SUCCESS ? TN_OK : vulkan_fail(device, "vkAllocateDescriptorSets", result);
}

tn_status vulkan_bind_buffers(vulkan_stream *stream, vulkan_stream_state *state,
                              VkCommandBuffer commands, const vulkan_layout *layout,
                              const VkDescriptorBufferInfo *buffers) {
    vulkan_device *device = vulkan_stream_device(stream);
    /* Descriptors beyond the first binding's one go to the bindings after it. */
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .descriptorCount = layout->binding_count,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = buffers,
    };
    if (layout->binding_count == 0) {
        return TN_OK;
    }
    if (layout->is_pushed) {
        device->vk.CmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle,
                                           0, 1, &write);
        return TN_OK;
    }
    TN_TRY(take_set(stream, state, layout, &write.dstSet));
    device->vk.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    device->vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle, 0, 1,
                                     &write.dstSet, 0, NULL);
    return TN_OK;
}

void vulkan_descriptor_pools_close(vulkan_device *device) {
    while (device->kernels->pools != NULL) {
        vulkan_descriptor_pool *pool = device->kernels->pools;
        device->kernels->pools = pool->next;
        destroy_pool(device, pool);
    }
}
