/* Plans for machines that nobody here has, and the order of devices. No driver is needed. */
#include <criterion/criterion.h>

#include <string.h>

#include "device_plan.h"

static vulkan_physical_device plain(VkPhysicalDeviceType type) {
    vulkan_physical_device device = {
        .api_version = VK_API_VERSION_1_3,
        .has_timeline = 1,
        .quirks = vulkan_quirks_of(VK_DRIVER_ID_NVIDIA_PROPRIETARY),
    };
    device.properties.deviceType = type;
    device.properties.limits.timestampPeriod = 1.0f;
    device.memory.memoryHeapCount = 1;
    device.memory.memoryHeaps[0] =
        (VkMemoryHeap){(VkDeviceSize)8 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.memory.memoryTypeCount = 1;
    device.memory.memoryTypes[0] = (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    return device;
}

static void add_family(vulkan_physical_device *device, VkQueueFlags flags, uint32_t count) {
    device->families[device->family_count++] = (VkQueueFamilyProperties){
        .queueFlags = flags, .queueCount = count, .timestampValidBits = 64};
}

static vulkan_device_plan plan_of(const vulkan_physical_device *device, vulkan_features disabled) {
    vulkan_device_plan plan;
    const char *reason = vulkan_device_plan_make(device, disabled, &plan);
    cr_assert_null(reason, "%s", reason);
    return plan;
}

static int has_extension(const vulkan_device_plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->extension_count; i++) {
        if (strcmp(plan->extensions[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

enum {
    GRAPHICS = VK_QUEUE_GRAPHICS_BIT,
    COMPUTE = VK_QUEUE_COMPUTE_BIT,
    TRANSFER = VK_QUEUE_TRANSFER_BIT,
};

Test(vulkan_device_plan, family_0_does_not_compute) {
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    add_family(&device, GRAPHICS | TRANSFER, 1);
    add_family(&device, COMPUTE | GRAPHICS, 1);
    const vulkan_device_plan plan = plan_of(&device, 0);
    cr_assert_eq(plan.queue_family, 1);
    cr_assert_eq(plan.queue_count, 1);
    cr_assert(!VULKAN_HAS(plan.features, SEVERAL_QUEUES));
    cr_assert(!VULKAN_HAS(plan.features, TRANSFER_QUEUE));
    cr_assert(VULKAN_HAS(plan.features, TIMESTAMPS));
}

Test(vulkan_device_plan, a_large_card) {
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    add_family(&device, GRAPHICS | COMPUTE | TRANSFER, 16);
    add_family(&device, TRANSFER, 2);
    add_family(&device, COMPUTE | TRANSFER, 8);
    device.memory.memoryTypes[device.memory.memoryTypeCount++] =
        (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                       0};
    const vulkan_device_plan plan = plan_of(&device, 0);
    cr_assert_eq(plan.queue_family, 2);
    cr_assert_eq(plan.queue_count, 4);
    cr_assert_eq(plan.transfer_family, 1);
    cr_assert_eq(plan.transfer_count, 2, "uploads and downloads do not queue for one another");
    cr_assert(VULKAN_HAS(plan.features, TRANSFER_QUEUE));
    cr_assert(VULKAN_HAS(plan.features, REBAR));
    cr_assert(!VULKAN_HAS(plan.features, UNIFIED));
    const vulkan_device_plan less =
        plan_of(&device, VULKAN_BIT(SEVERAL_QUEUES) | VULKAN_BIT(REBAR));
    cr_assert_eq(less.queue_count, 1);
    cr_assert(!VULKAN_HAS(less.features, REBAR));
}

Test(vulkan_device_plan, a_small_window_is_no_rebar) {
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    add_family(&device, COMPUTE, 1);
    device.memory.memoryHeaps[device.memory.memoryHeapCount++] =
        (VkMemoryHeap){256 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.memory.memoryTypes[device.memory.memoryTypeCount++] = (VkMemoryType){
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 1};
    cr_assert(!VULKAN_HAS(plan_of(&device, 0).features, REBAR));
}

Test(vulkan_device_plan, what_lacks_is_named) {
    vulkan_device_plan plan;
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_CPU);
    cr_assert_str_eq(vulkan_device_plan_make(&device, 0, &plan),
                     "missing: a queue family that computes");
    add_family(&device, TRANSFER, 1);
    add_family(&device, COMPUTE, 0);
    cr_assert_not_null(vulkan_device_plan_make(&device, 0, &plan));
    add_family(&device, COMPUTE, 1);
    cr_assert_null(vulkan_device_plan_make(&device, 0, &plan));
    device.has_timeline = 0;
    cr_assert_str_eq(vulkan_device_plan_make(&device, 0, &plan), "missing: timelineSemaphore");
    device.api_version = VK_API_VERSION_1_0;
    cr_assert_not_null(strstr(vulkan_device_plan_make(&device, 0, &plan), "1.0"));
}

Test(vulkan_device_plan, extensions_only_where_the_version_lacks_them) {
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    add_family(&device, COMPUTE, 1);
    device.offered = VULKAN_BIT(FLOAT16) | VULKAN_BIT(SUBGROUP_SIZE_CONTROL) |
                     VULKAN_BIT(PUSH_DESCRIPTOR) | VULKAN_BIT(STORAGE16);
    vulkan_device_plan plan = plan_of(&device, 0);
    cr_assert(has_extension(&plan, "VK_KHR_push_descriptor"));
    cr_assert_eq(plan.extension_count, 1);
    device.api_version = VK_API_VERSION_1_1;
    device.needs_portability = 1;
    plan = plan_of(&device, 0);
    cr_assert(has_extension(&plan, "VK_KHR_timeline_semaphore"));
    cr_assert(has_extension(&plan, "VK_KHR_shader_float16_int8"));
    cr_assert(has_extension(&plan, "VK_EXT_subgroup_size_control"));
    cr_assert(has_extension(&plan, "VK_KHR_portability_subset"));
    cr_assert_eq(plan.extension_count, 5);
    plan = plan_of(&device, VULKAN_BIT(FLOAT16));
    cr_assert(!has_extension(&plan, "VK_KHR_shader_float16_int8"));
}

Test(vulkan_device_plan, quirks_and_dependent_features) {
    vulkan_physical_device device = plain(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    add_family(&device, COMPUTE, 1);
    device.quirks = vulkan_quirks_of(VK_DRIVER_ID_MOLTENVK);
    device.offered = VULKAN_BIT(PUSH_DESCRIPTOR) | VULKAN_BIT(COOPERATIVE_MATRIX);
    const vulkan_device_plan plan = plan_of(&device, 0);
    cr_assert(!VULKAN_HAS(plan.features, PUSH_DESCRIPTOR));
    cr_assert(!VULKAN_HAS(plan.features, COOPERATIVE_MATRIX), "without float16 it is of no use");
    cr_assert_eq(vulkan_quirks_of(VK_DRIVER_ID_MESA_LLVMPIPE)->max_loop_iterations, 60000);
    cr_assert_not_null(vulkan_quirks_of(VK_DRIVER_ID_AMD_PROPRIETARY));
}

Test(vulkan_device_plan, processors_come_last) {
    vulkan_physical_device devices[5] = {
        plain(VK_PHYSICAL_DEVICE_TYPE_CPU),          plain(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU),
        plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU), plain(VK_PHYSICAL_DEVICE_TYPE_OTHER),
        plain(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
    };
    devices[0].memory.memoryHeaps[0].size = (VkDeviceSize)1 << 40;
    devices[4].memory.memoryHeaps[0].size *= 2;
    devices[2].uuid[0] = 9;
    vulkan_physical_device_rank(devices, 5);
    cr_assert_str_eq(vulkan_physical_device_kind(&devices[0]), "discrete gpu");
    cr_assert_eq(devices[0].uuid[0], 0, "the one with more memory");
    cr_assert_eq(devices[1].uuid[0], 9);
    cr_assert_str_eq(vulkan_physical_device_kind(&devices[2]), "integrated gpu");
    cr_assert_str_eq(vulkan_physical_device_kind(&devices[3]), "other");
    cr_assert_str_eq(vulkan_physical_device_kind(&devices[4]), "cpu");
    vulkan_physical_device same[2] = {devices[0], devices[0]}; /* two drivers, one UUID */
    same[0].driver_uuid[3] = 2;
    same[1].driver_uuid[3] = 1;
    vulkan_physical_device_rank(same, 2);
    cr_assert_eq(same[0].driver_uuid[3], 1);
}
