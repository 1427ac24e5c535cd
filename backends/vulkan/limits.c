/* What a device says that it can do. */
#include <stdlib.h>
#include <string.h>

#include "feature_names.h"
#include "kernels.h"

static void list_features(vulkan_features features, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < VULKAN_FEATURE_COUNT; i++) {
        const char *name = vulkan_feature_name(i);
        const size_t length = strlen(name);
        if ((features >> i & 1) == 0 || used + length + 2 > size) {
            continue;
        }
        if (used > 0) {
            text[used++] = ',';
        }
        memcpy(text + used, name, length + 1);
        used += length;
    }
}

tn_status vulkan_limits_open(vulkan_device *device) {
    vulkan_limit_lists *lists = &device->kernels->limits;
    list_features(device->features, lists->features, sizeof lists->features);
    return vulkan_matrix_shapes_read(device, &lists->matrix_shapes, &lists->matrix_shape_count);
}

void vulkan_limits_close(vulkan_device *device) {
    free(device->kernels->limits.matrix_shapes);
    device->kernels->limits.matrix_shapes = NULL;
}

/* Vulkan's bits; what came after those that the contract has names for is left out. */
static uint32_t subgroup_operations(const vulkan_physical_device *physical) {
    const uint32_t named = TN_SUBGROUP_BASIC | TN_SUBGROUP_VOTE | TN_SUBGROUP_ARITHMETIC |
                           TN_SUBGROUP_BALLOT | TN_SUBGROUP_SHUFFLE | TN_SUBGROUP_SHUFFLE_RELATIVE |
                           TN_SUBGROUP_CLUSTERED | TN_SUBGROUP_QUAD;
    return physical->subgroup_operations & named;
}

static void fill_workgroups(const vulkan_device *device, tn_device_limits *limits) {
    const vulkan_physical_device *physical = device->physical;
    const VkPhysicalDeviceLimits *from = &physical->properties.limits;
    const int has_control = VULKAN_HAS(device->features, SUBGROUP_SIZE_CONTROL);
    memcpy(limits->max_workgroup_size, from->maxComputeWorkGroupSize,
           sizeof limits->max_workgroup_size);
    memcpy(limits->max_workgroup_count, from->maxComputeWorkGroupCount,
           sizeof limits->max_workgroup_count);
    limits->max_workgroup_invocations = from->maxComputeWorkGroupInvocations;
    limits->shared_memory_size = from->maxComputeSharedMemorySize;
    limits->subgroup_size = physical->subgroup_size;
    limits->min_subgroup_size = has_control ? physical->min_subgroup_size : 0;
    limits->max_subgroup_size = has_control ? physical->max_subgroup_size : 0;
    limits->max_subgroups = has_control ? physical->max_compute_subgroups : 0;
    limits->subgroup_operations = subgroup_operations(physical);
    limits->max_loop_iterations = physical->quirks->max_loop_iterations;
}

static void fill_arguments(const vulkan_device *device, tn_device_limits *limits) {
    const VkPhysicalDeviceLimits *from = &device->physical->properties.limits;
    limits->max_binding_size = device->kernels->max_binding_size;
    limits->binding_alignment = (uint32_t)from->minStorageBufferOffsetAlignment;
    limits->max_bindings = vulkan_max_bindings(device);
    limits->max_push_size = VULKAN_MAX_PUSH_SIZE;
    limits->push_constant_size = device->kernels->max_push_constants;
    limits->max_allocation_size = device->physical->max_allocation_size;
    if (device->physical->max_buffer_size < limits->max_allocation_size) {
        limits->max_allocation_size = device->physical->max_buffer_size;
    }
}

static void fill_types(vulkan_features features, tn_device_limits *limits) {
    limits->has_16_bit_storage = VULKAN_HAS(features, STORAGE16);
    limits->has_8_bit_storage = VULKAN_HAS(features, STORAGE8);
    limits->has_f16 = VULKAN_HAS(features, FLOAT16) && VULKAN_HAS(features, STORAGE16);
    limits->has_f64 = VULKAN_HAS(features, FLOAT64);
    limits->has_i8 = VULKAN_HAS(features, INT8) && VULKAN_HAS(features, STORAGE8);
    limits->has_i16 = VULKAN_HAS(features, INT16) && VULKAN_HAS(features, STORAGE16);
    limits->has_i64 = VULKAN_HAS(features, INT64);
    limits->has_integer_dot = VULKAN_HAS(features, INTEGER_DOT);
    limits->has_memory_model = VULKAN_HAS(features, MEMORY_MODEL);
    limits->has_device_addresses = VULKAN_HAS(features, DEVICE_ADDRESS);
    limits->has_cooperative_matrix = (VULKAN_HAS(features, COOPERATIVE_MATRIX_NV) ? 1u : 0) |
                                     (VULKAN_HAS(features, COOPERATIVE_MATRIX) ? 2u : 0);
}

static void fill_machine(const vulkan_device *device, tn_device_limits *limits) {
    const vulkan_kernels *kernels = device->kernels;
    limits->has_unified_memory = VULKAN_HAS(device->features, UNIFIED);
    limits->has_transfer_queue = VULKAN_HAS(device->features, TRANSFER_QUEUE);
    limits->queue_count = device->queue_count;
    if (VULKAN_HAS(device->features, TIMESTAMPS)) {
        limits->timestamp_bits =
            device->physical->families[device->queue_family].timestampValidBits;
        limits->timestamp_period = (double)device->physical->properties.limits.timestampPeriod;
    }
    limits->copy_command_rate = kernels->copy_rates[0];
    limits->copy_kernel_rate = kernels->copy_rates[1];
    limits->copies_by_kernel = device->kernel_copy != NULL;
    limits->matrix_shape_count = kernels->limits.matrix_shape_count;
    limits->matrix_shapes = kernels->limits.matrix_shapes;
    limits->matrix_shape_stride = sizeof *limits->matrix_shapes;
    limits->features = kernels->limits.features;
    limits->note = device->physical->quirks->note;
}

tn_status vulkan_limits(void *device, tn_device_limits *out_limits) {
    tn_device_limits limits = {0};
    fill_workgroups(device, &limits);
    fill_arguments(device, &limits);
    fill_types(((const vulkan_device *)device)->features, &limits);
    fill_machine(device, &limits);
    /* As much as both sides know. */
    const uint32_t known = out_limits->struct_size;
    const size_t size = known < TN_DEVICE_LIMITS_SIZE ? known : TN_DEVICE_LIMITS_SIZE;
    limits.struct_size = known;
    memcpy(out_limits, &limits, size);
    return TN_OK;
}
