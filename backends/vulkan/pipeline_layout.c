/* Pipeline layouts, shared by kernels of the same interface: those that follow one another keep
 * what is bound. */
#include <stdlib.h>

#include "kernels.h"

static vulkan_layout *find_listed(const vulkan_kernels *kernels, uint32_t binding_count,
                                  uint32_t push_size) {
    for (vulkan_layout *layout = kernels->layouts; layout != NULL; layout = layout->next) {
        if (layout->binding_count == binding_count && layout->push_size == push_size) {
            return layout;
        }
    }
    return NULL;
}

static tn_status create_set_layout(vulkan_device *device, vulkan_layout *layout) {
    VkDescriptorSetLayoutBinding bindings[SPIRV_MAX_BINDINGS + 1];
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = layout->is_pushed ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = layout->binding_count,
        .pBindings = bindings,
    };
    const VkResult result =
        VK_CALL(device, CreateDescriptorSetLayout, device->handle, &info, NULL, &layout->set);
    if (result != VK_SUCCESS) {
        layout->set = VK_NULL_HANDLE;
        return vulkan_fail(device, "vkCreateDescriptorSetLayout", result);
    }
    return TN_OK;
}

static tn_status create_layout(vulkan_device *device, vulkan_layout *layout) {
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, layout->push_size};
    if (layout->binding_count > 0) {
        TN_TRY(create_set_layout(device, layout));
    }
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = layout->binding_count > 0 ? 1 : 0,
        .pSetLayouts = &layout->set,
        .pushConstantRangeCount = layout->push_size > 0 ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    const VkResult result =
        VK_CALL(device, CreatePipelineLayout, device->handle, &info, NULL, &layout->handle);
    if (result != VK_SUCCESS) {
        device->vk.DestroyDescriptorSetLayout(device->handle, layout->set, NULL);
        return vulkan_fail(device, "vkCreatePipelineLayout", result);
    }
    return TN_OK;
}

tn_status vulkan_layout_find(vulkan_device *device, uint32_t binding_count, uint32_t push_size,
                             const vulkan_layout **out_layout) {
    vulkan_kernels *kernels = device->kernels;
    tn_status status = TN_OK;
    pthread_mutex_lock(&kernels->lock);
    vulkan_layout *layout = find_listed(kernels, binding_count, push_size);
    if (layout == NULL) {
        layout = calloc(1, sizeof *layout);
        status = layout != NULL ? TN_OK
                                : tn_fail(device->host, TN_OUT_OF_MEMORY,
                                          "no memory for a layout: %zu bytes", sizeof *layout);
        if (status == TN_OK) {
            layout->binding_count = binding_count;
            layout->push_size = push_size;
            layout->is_pushed = VULKAN_HAS(device->features, PUSH_DESCRIPTOR) &&
                                binding_count <= device->physical->max_push_descriptors;
            status = create_layout(device, layout);
        }
        if (status == TN_OK) {
            layout->next = kernels->layouts;
            kernels->layouts = layout;
        } else {
            free(layout);
        }
    }
    pthread_mutex_unlock(&kernels->lock);
    if (status == TN_OK) {
        *out_layout = layout;
    }
    return status;
}
