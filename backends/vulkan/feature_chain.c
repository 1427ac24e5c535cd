/* Feature structs and switches, as tables. */
#include "feature_chain.h"

#include <stddef.h>
#include <string.h>

int vulkan_extensions_has(const vulkan_extensions *extensions, const char *name) {
    for (uint32_t i = 0; i < extensions->count; i++) {
        if (strcmp(extensions->all[i].extensionName, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A struct of the chain, and since when, or by which extension, a device knows it. */
typedef struct struct_row {
    size_t offset;
    VkStructureType type;
    uint32_t version;
    const char *extension;
} struct_row;

#define IN_CHAIN(field) offsetof(vulkan_feature_chain, field)
#define NEVER UINT32_MAX

static const struct_row structs[] = {
    {IN_CHAIN(timeline), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
     VK_API_VERSION_1_2, "VK_KHR_timeline_semaphore"},
    {IN_CHAIN(storage16), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
     VK_API_VERSION_1_1, "VK_KHR_16bit_storage"},
    {IN_CHAIN(storage8), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
     VK_API_VERSION_1_2, "VK_KHR_8bit_storage"},
    {IN_CHAIN(float16_int8), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
     VK_API_VERSION_1_2, "VK_KHR_shader_float16_int8"},
    {IN_CHAIN(memory_model), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
     VK_API_VERSION_1_2, "VK_KHR_vulkan_memory_model"},
    {IN_CHAIN(subgroup_size), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
     VK_API_VERSION_1_3, "VK_EXT_subgroup_size_control"},
    {IN_CHAIN(address), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
     VK_API_VERSION_1_2, "VK_KHR_buffer_device_address"},
    {IN_CHAIN(integer_dot), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
     VK_API_VERSION_1_3, "VK_KHR_shader_integer_dot_product"},
    {IN_CHAIN(matrix), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, NEVER,
     "VK_KHR_cooperative_matrix"},
    {IN_CHAIN(matrix_nv), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV, NEVER,
     "VK_NV_cooperative_matrix"},
    {IN_CHAIN(fault), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT, NEVER,
     "VK_EXT_device_fault"},
};

enum { STRUCT_COUNT = sizeof structs / sizeof structs[0] };

/* A switch that a feature needs. `owner` is the struct's offset, 0 for the core's. */
typedef struct switch_row {
    uint32_t feature;
    size_t owner;
    size_t offset;
} switch_row;

#define CORE_SWITCH(NAME, field)                                                                   \
    { VULKAN_FEATURE_##NAME, 0, IN_CHAIN(core.features.field) }
#define SWITCH(NAME, owner, field)                                                                 \
    { VULKAN_FEATURE_##NAME, IN_CHAIN(owner), IN_CHAIN(owner.field) }

static const switch_row switches[] = {
    CORE_SWITCH(INT16, shaderInt16),
    CORE_SWITCH(INT64, shaderInt64),
    CORE_SWITCH(FLOAT64, shaderFloat64),
    SWITCH(FLOAT16, float16_int8, shaderFloat16),
    SWITCH(INT8, float16_int8, shaderInt8),
    SWITCH(STORAGE16, storage16, storageBuffer16BitAccess),
    SWITCH(STORAGE8, storage8, storageBuffer8BitAccess),
    SWITCH(MEMORY_MODEL, memory_model, vulkanMemoryModel),
    SWITCH(MEMORY_MODEL, memory_model, vulkanMemoryModelDeviceScope),
    SWITCH(SUBGROUP_SIZE_CONTROL, subgroup_size, subgroupSizeControl),
    SWITCH(SUBGROUP_SIZE_CONTROL, subgroup_size, computeFullSubgroups),
    SWITCH(DEVICE_ADDRESS, address, bufferDeviceAddress),
    SWITCH(INTEGER_DOT, integer_dot, shaderIntegerDotProduct),
    SWITCH(COOPERATIVE_MATRIX, matrix, cooperativeMatrix),
    SWITCH(COOPERATIVE_MATRIX_NV, matrix_nv, cooperativeMatrix),
    SWITCH(DEVICE_FAULT, fault, deviceFault),
};

enum { SWITCH_COUNT = sizeof switches / sizeof switches[0] };

static VkBool32 *switch_at(vulkan_feature_chain *chain, size_t offset) {
    return (VkBool32 *)(void *)((char *)chain + offset);
}

static VkBaseOutStructure *struct_at(vulkan_feature_chain *chain, const struct_row *row) {
    return (VkBaseOutStructure *)(void *)((char *)chain + row->offset);
}

static void clear(vulkan_feature_chain *chain) {
    memset(chain, 0, sizeof *chain);
    chain->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
}

static void link_struct(vulkan_feature_chain *chain, const struct_row *row) {
    VkBaseOutStructure *link = struct_at(chain, row);
    link->sType = row->type;
    link->pNext = chain->core.pNext;
    chain->core.pNext = link;
}

void vulkan_feature_chain_link_all(vulkan_feature_chain *chain, uint32_t api_version,
                                   const vulkan_extensions *extensions) {
    clear(chain);
    for (size_t i = 0; i < STRUCT_COUNT; i++) {
        if (api_version >= structs[i].version ||
            vulkan_extensions_has(extensions, structs[i].extension)) {
            link_struct(chain, &structs[i]);
        }
    }
}

vulkan_features vulkan_feature_chain_read(const vulkan_feature_chain *chain) {
    vulkan_features on = 0, off = 0;
    for (size_t i = 0; i < SWITCH_COUNT; i++) {
        const vulkan_features bit = (vulkan_features)1 << switches[i].feature;
        VkBool32 value;
        memcpy(&value, (const char *)chain + switches[i].offset, sizeof value);
        on |= value ? bit : 0;
        off |= value ? 0 : bit;
    }
    return on & ~off;
}

void vulkan_feature_chain_request(vulkan_feature_chain *chain, vulkan_features features) {
    clear(chain);
    chain->timeline.timelineSemaphore = VK_TRUE;
    link_struct(chain, &structs[0]);
    for (size_t i = 1; i < STRUCT_COUNT; i++) {
        for (size_t s = 0; s < SWITCH_COUNT; s++) {
            if (switches[s].owner == structs[i].offset && (features >> switches[s].feature & 1)) {
                link_struct(chain, &structs[i]);
                break;
            }
        }
    }
    for (size_t s = 0; s < SWITCH_COUNT; s++) {
        if (features >> switches[s].feature & 1) {
            *switch_at(chain, switches[s].offset) = VK_TRUE;
        }
    }
}

/* Features that an extension brings, until a version takes it in. */
static const struct {
    uint32_t feature;
    uint32_t version;
    const char *extension;
} extension_rows[] = {
    {VULKAN_FEATURE_PUSH_DESCRIPTOR, NEVER, "VK_KHR_push_descriptor"},
    {VULKAN_FEATURE_MEMORY_BUDGET, NEVER, "VK_EXT_memory_budget"},
    {VULKAN_FEATURE_HOST_IMPORT, NEVER, "VK_EXT_external_memory_host"},
};

const char *vulkan_feature_extension(uint32_t feature, uint32_t api_version) {
    for (size_t i = 0; i < sizeof extension_rows / sizeof extension_rows[0]; i++) {
        if (extension_rows[i].feature == feature) {
            return api_version >= extension_rows[i].version ? NULL : extension_rows[i].extension;
        }
    }
    for (size_t s = 0; s < SWITCH_COUNT; s++) {
        for (size_t i = 0; i < STRUCT_COUNT; i++) {
            if (switches[s].feature == feature && switches[s].owner == structs[i].offset) {
                return api_version >= structs[i].version ? NULL : structs[i].extension;
            }
        }
    }
    return NULL;
}
