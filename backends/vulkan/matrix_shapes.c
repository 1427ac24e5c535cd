/* Shapes of cooperative matrices that the driver lists, in its KHR form or else in its NV form. */
#include <stdlib.h>

#include "instance.h"
#include "kernels.h"

/* Longer lists are cut. */
enum { MOST_SHAPES = 256 };

/* Both forms number types and scopes alike. 0: a type that there is no name for. */
static tn_dtype component_type(uint32_t type) {
    static const tn_dtype types[] = {TN_F16, TN_F32, TN_F64, TN_I8,  TN_I16, TN_I32,
                                     TN_I64, TN_U8,  TN_U16, TN_U32, TN_U64};
    const uint32_t bfloat16 = 1000141000;
    if (type == bfloat16) {
        return TN_BF16;
    }
    return type < sizeof types / sizeof types[0] ? types[type] : 0;
}

static VkResult read_khr(vulkan_device *device, uint32_t *count, tn_matrix_shape *shapes) {
    static const VkCooperativeMatrixPropertiesKHR empty = {
        .sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    VkCooperativeMatrixPropertiesKHR all[MOST_SHAPES];
    for (uint32_t i = 0; i < MOST_SHAPES; i++) {
        all[i] = empty;
    }
    const VkResult result = VK_CALL(device->plugin, GetPhysicalDeviceCooperativeMatrixPropertiesKHR,
                                    device->physical->handle, count, all);
    for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
        shapes[i] = (tn_matrix_shape){.m = all[i].MSize,
                                      .n = all[i].NSize,
                                      .k = all[i].KSize,
                                      .scope = (uint32_t)all[i].scope,
                                      .a = component_type((uint32_t)all[i].AType),
                                      .b = component_type((uint32_t)all[i].BType),
                                      .c = component_type((uint32_t)all[i].CType),
                                      .result = component_type((uint32_t)all[i].ResultType)};
    }
    return result;
}

static VkResult read_nv(vulkan_device *device, uint32_t *count, tn_matrix_shape *shapes) {
    static const VkCooperativeMatrixPropertiesNV empty = {
        .sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV};
    VkCooperativeMatrixPropertiesNV all[MOST_SHAPES];
    for (uint32_t i = 0; i < MOST_SHAPES; i++) {
        all[i] = empty;
    }
    const VkResult result = VK_CALL(device->plugin, GetPhysicalDeviceCooperativeMatrixPropertiesNV,
                                    device->physical->handle, count, all);
    for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
        shapes[i] = (tn_matrix_shape){.m = all[i].MSize,
                                      .n = all[i].NSize,
                                      .k = all[i].KSize,
                                      .scope = (uint32_t)all[i].scope,
                                      .a = component_type((uint32_t)all[i].AType),
                                      .b = component_type((uint32_t)all[i].BType),
                                      .c = component_type((uint32_t)all[i].CType),
                                      .result = component_type((uint32_t)all[i].DType)};
    }
    return result;
}

tn_status vulkan_matrix_shapes_read(vulkan_device *device, tn_matrix_shape **out_shapes,
                                    uint32_t *out_count) {
    const vulkan_functions *vk = &device->plugin->vk;
    const int has_khr = VULKAN_HAS(device->features, COOPERATIVE_MATRIX) &&
                        vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR != NULL;
    const int has_nv = VULKAN_HAS(device->features, COOPERATIVE_MATRIX_NV) &&
                       vk->GetPhysicalDeviceCooperativeMatrixPropertiesNV != NULL;
    *out_shapes = NULL;
    *out_count = 0;
    if (!has_khr && !has_nv) {
        return TN_OK;
    }
    tn_matrix_shape *shapes = calloc(MOST_SHAPES, sizeof *shapes);
    if (shapes == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for %d shapes of matrices",
                       MOST_SHAPES);
    }
    uint32_t count = MOST_SHAPES;
    const VkResult result =
        has_khr ? read_khr(device, &count, shapes) : read_nv(device, &count, shapes);
    if (result < VK_SUCCESS) {
        free(shapes);
        return vulkan_fail(device,
                           has_khr ? "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"
                                   : "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
                           result);
    }
    *out_shapes = shapes;
    *out_count = count;
    return TN_OK;
}
