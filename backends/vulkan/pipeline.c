/* One compute pipeline. The shader module lives no longer than the call. */
#include <stdlib.h>

#include "kernels.h"

/* The words that the driver gets: the module's, or those with push constants moved to a buffer. */
static tn_status shader_words(const vulkan_kernel *kernel, uint32_t **out_copy,
                              const uint32_t **out_words, uint32_t *out_count) {
    const spirv_module *code = kernel->module->code;
    *out_copy = NULL;
    *out_words = code->words;
    *out_count = code->count;
    if (kernel->is_spilled) {
        *out_copy = spirv_spill_push(code, kernel->binding_count, out_count);
        if (*out_copy == NULL) {
            return tn_fail(kernel->device->host, TN_OUT_OF_MEMORY, "no memory for %u words of code",
                           (unsigned)code->count);
        }
        *out_words = *out_copy;
    }
    return TN_OK;
}

static tn_status create_shader(const vulkan_kernel *kernel, VkShaderModule *out_shader) {
    vulkan_device *device = kernel->device;
    uint32_t *copy, count;
    const uint32_t *words;
    TN_TRY(shader_words(kernel, &copy, &words, &count));
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = (size_t)count * sizeof *words,
        .pCode = words,
    };
    const VkResult result =
        VK_CALL(device, CreateShaderModule, device->handle, &info, NULL, out_shader);
    free(copy);
    return result == VK_SUCCESS ? TN_OK : vulkan_fail(device, "vkCreateShaderModule", result);
}

/* A row for each constant: 32 bits, one after the other. */
static VkSpecializationMapEntry *map_constants(const vulkan_kernel *kernel) {
    VkSpecializationMapEntry *map = calloc((size_t)kernel->specialization_count + 1, sizeof *map);
    for (uint32_t i = 0; map != NULL && i < kernel->specialization_count; i++) {
        map[i].constantID = kernel->specializations[i].id;
        map[i].offset =
            i * (uint32_t)sizeof(tn_specialization) + (uint32_t)offsetof(tn_specialization, value);
        map[i].size = sizeof(uint32_t);
    }
    return map;
}

static tn_status create_pipeline(vulkan_kernel *kernel, VkShaderModule shader,
                                 const VkSpecializationMapEntry *map) {
    vulkan_device *device = kernel->device;
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = kernel->subgroup_size,
    };
    const int has_size =
        kernel->subgroup_size != 0 && VULKAN_HAS(device->features, SUBGROUP_SIZE_CONTROL);
    const int is_full = has_size && kernel->workgroup_size[0] % kernel->subgroup_size == 0;
    const VkSpecializationInfo constants = {
        .mapEntryCount = kernel->specialization_count,
        .pMapEntries = map,
        .dataSize = kernel->specialization_count * sizeof(tn_specialization),
        .pData = kernel->specializations,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = has_size ? &subgroup : NULL,
                .flags = is_full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader,
                .pName = kernel->entry_point,
                .pSpecializationInfo = &constants,
            },
        .layout = kernel->layout->handle,
    };
    const VkResult result = VK_CALL(device, CreateComputePipelines, device->handle,
                                    device->kernels->cache, 1, &info, NULL, &kernel->pipeline);
    atomic_fetch_add_explicit(&device->statistics.pipelines, 1, memory_order_relaxed);
    if (result != VK_SUCCESS) {
        kernel->pipeline = VK_NULL_HANDLE;
        return vulkan_fail(device, "vkCreateComputePipelines", result);
    }
    vulkan_name(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)kernel->pipeline, kernel->entry_point);
    return TN_OK;
}

tn_status vulkan_pipeline_create(vulkan_kernel *kernel) {
    vulkan_device *device = kernel->device;
    VkShaderModule shader;
    TN_TRY(create_shader(kernel, &shader));
    VkSpecializationMapEntry *map = map_constants(kernel);
    const tn_status status =
        map != NULL ? create_pipeline(kernel, shader, map)
                    : tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for %u constants",
                              (unsigned)kernel->specialization_count);
    free(map);
    device->vk.DestroyShaderModule(device->handle, shader, NULL);
    return status;
}
