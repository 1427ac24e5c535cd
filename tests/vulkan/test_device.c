/* Finding, opening, losing and closing devices. */
#include "vulkan_fixture.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "feature_names.h"
#include "instance.h"
#include "kernels.h"

TestSuite(vulkan_device, .init = fixture_start, .fini = fixture_stop);

Test(vulkan_device, is_described) {
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    ASSERT_OK(vulkan_info(&fixture_host, 0, &info));
    cr_assert_eq(info.id.type, TN_DEVICE_TYPE_VULKAN);
    cr_assert_str_eq(info.targets, "spirv");
    cr_assert_gt(strlen(info.name), 0);
    cr_assert_gt(strlen(info.driver), 0);
    cr_assert_gt(info.memory_total, 0);
    cr_assert_leq(info.memory_free, info.memory_total);
    cr_assert_eq(strncmp(info.api_version, "Vulkan 1.", 9), 0, "%s", info.api_version);
    cr_assert_gt(strlen(info.driver_version), 0);
    cr_assert_neq(info.vendor_id, 0);
    cr_assert_not_null(info.vendor);
    cr_assert_not_null(info.location);
    ASSERT_FAILS(vulkan_info(&fixture_host, 99, &info), TN_NOT_FOUND, "no Vulkan device 99");
}

Test(vulkan_device, numbers_of_makers) {
    char text[32];
    vulkan_driver_version_text(0x10de, 580u << 22 | 159u << 14 | 4u << 6, text, sizeof text);
    cr_assert_str_eq(text, "580.159.04");
    vulkan_driver_version_text(VK_VENDOR_ID_MESA, VK_MAKE_API_VERSION(0, 22, 3, 6), text,
                               sizeof text);
    cr_assert_str_eq(text, "22.3.6");
    cr_assert_str_eq(vulkan_vendor_name(0x8086), "Intel");
    cr_assert_str_eq(vulkan_vendor_name(1), "");
}

/* That the numbers of types and scopes are the driver's, and not only ours. */
static void expect_shapes(const tn_device_limits *limits) {
    int has_half = 0;
    for (uint32_t i = 0; i < limits->matrix_shape_count; i++) {
        const tn_matrix_shape *shape = &limits->matrix_shapes[i];
        cr_assert(shape->m > 0 && shape->n > 0 && shape->k > 0 && shape->m <= 1024, "shape %u", i);
        cr_assert(shape->scope == 2 || shape->scope == 3, "shape %u: scope %u", i, shape->scope);
        has_half |= shape->a == TN_F16 && shape->b == TN_F16 && shape->result == TN_F32;
    }
    cr_assert(has_half || limits->matrix_shape_count == 0, "none multiplies float16");
}

/* What the specification promises of every device, and that the two sides agree. */
Test(vulkan_device, limits) {
    vulkan_device *device = fixture_open();
    const VkPhysicalDeviceLimits *driver = &device->physical->properties.limits;
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    ASSERT_OK(vulkan_limits(device, &limits));
    cr_assert_geq(limits.max_workgroup_invocations, 128);
    for (int axis = 0; axis < 3; axis++) {
        cr_assert_eq(limits.max_workgroup_size[axis], driver->maxComputeWorkGroupSize[axis]);
        cr_assert_eq(limits.max_workgroup_count[axis], driver->maxComputeWorkGroupCount[axis]);
        cr_assert_geq(limits.max_workgroup_count[axis], 65535);
    }
    cr_assert_geq(limits.shared_memory_size, 16384);
    cr_assert_geq(limits.subgroup_size, 1);
    cr_assert_neq(limits.subgroup_operations & TN_SUBGROUP_BASIC, 0);
    cr_assert_geq(limits.push_constant_size, 128);
    cr_assert_geq(limits.max_push_size, limits.push_constant_size);
    cr_assert_geq(limits.max_bindings, 4);
    cr_assert_geq(limits.max_binding_size, (uint64_t)128 << 20);
    cr_assert_geq(limits.max_allocation_size, limits.max_binding_size);
    cr_assert_eq(limits.timestamp_bits != 0, VULKAN_HAS(device->features, TIMESTAMPS));
    cr_assert_eq(limits.timestamp_period > 0, limits.timestamp_bits != 0);
    cr_assert_geq(limits.queue_count, 1);
    cr_assert_eq(limits.matrix_shape_count != 0, limits.has_cooperative_matrix != 0);
    expect_shapes(&limits);
    if (device->physical->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE) {
        cr_assert_eq(limits.max_loop_iterations, 60000);
        cr_assert_not_null(strstr(limits.note, "65,535"));
        cr_assert_eq(limits.has_unified_memory, 1);
    }
    fixture_close(device);
}

/* What is disabled is not there, in numbers and by name. */
Test(vulkan_device, limits_follow_the_features) {
    vulkan_device *device = fixture_open_with(
        "disable", "subgroup_size_control,float16,float64,int16,storage8,timestamps,unified");
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    ASSERT_OK(vulkan_limits(device, &limits));
    cr_assert_eq(limits.min_subgroup_size | limits.max_subgroup_size | limits.max_subgroups, 0);
    cr_assert_eq(limits.has_f16 | limits.has_f64 | limits.has_i16 | limits.has_i8, 0);
    cr_assert_eq(limits.has_8_bit_storage | limits.has_unified_memory | limits.timestamp_bits, 0);
    cr_assert_null(strstr(limits.features, "float16"));
    cr_assert_not_null(strstr(limits.features, "dedicated"));
    fixture_close(device);
    struct {
        tn_device_limits limits;
        uint32_t guard;
    } old = {.limits.struct_size = TN_STRUCT_END(tn_device_limits, max_loop_iterations),
             .guard = 7};
    device = fixture_open();
    ASSERT_OK(vulkan_limits(device, &old.limits));
    cr_assert_geq(old.limits.max_workgroup_invocations, 128);
    cr_assert_eq(old.limits.max_bindings, 0, "beyond the caller's struct");
    cr_assert_eq(old.guard, 7);
    fixture_close(device);
}

/* ---- Shapes of matrices, of drivers that this machine need not have ---- */

static VkResult VKAPI_CALL shapes_khr(VkPhysicalDevice device, uint32_t *count,
                                      VkCooperativeMatrixPropertiesKHR *shapes) {
    (void)device;
    cr_assert_geq(*count, 2);
    cr_assert_eq(shapes[1].sType, VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
    *count = 2;
    shapes[0] = (VkCooperativeMatrixPropertiesKHR){.MSize = 16,
                                                   .NSize = 8,
                                                   .KSize = 32,
                                                   .AType = 0,
                                                   .BType = 0,
                                                   .CType = 1,
                                                   .ResultType = 1,
                                                   .scope = 3};
    shapes[1] = (VkCooperativeMatrixPropertiesKHR){
        .MSize = 16, .AType = 1000141000, .BType = 3, .CType = 99, .ResultType = 5, .scope = 2};
    return VK_INCOMPLETE; /* more than were asked for: those that fit */
}

static VkResult VKAPI_CALL shapes_nv(VkPhysicalDevice device, uint32_t *count,
                                     VkCooperativeMatrixPropertiesNV *shapes) {
    (void)device;
    *count = 1;
    shapes[0].MSize = 8;
    shapes[0].DType = VK_COMPONENT_TYPE_FLOAT32_NV;
    shapes[0].scope = VK_SCOPE_SUBGROUP_NV;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL shapes_fail(VkPhysicalDevice device, uint32_t *count,
                                       VkCooperativeMatrixPropertiesKHR *shapes) {
    (void)device;
    (void)count;
    (void)shapes;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

Test(vulkan_device, matrix_shapes) {
    vulkan_device *device = fixture_open();
    vulkan_functions *vk = &device->plugin->vk;
    const vulkan_functions before = *vk;
    const vulkan_features features = device->features;
    tn_matrix_shape *shapes;
    uint32_t count;
    vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR = shapes_khr;
    vk->GetPhysicalDeviceCooperativeMatrixPropertiesNV = shapes_nv;
    device->features |= VULKAN_BIT(COOPERATIVE_MATRIX) | VULKAN_BIT(COOPERATIVE_MATRIX_NV);
    ASSERT_OK(vulkan_matrix_shapes_read(device, &shapes, &count));
    cr_assert_eq(count, 2);
    cr_assert(shapes[0].m == 16 && shapes[0].n == 8 && shapes[0].k == 32 && shapes[0].scope == 3);
    cr_assert(shapes[0].a == TN_F16 && shapes[0].b == TN_F16);
    cr_assert(shapes[0].c == TN_F32 && shapes[0].result == TN_F32);
    cr_assert(shapes[1].a == TN_BF16 && shapes[1].b == TN_I8 && shapes[1].c == 0);
    cr_assert_eq(shapes[1].result, TN_I32);
    free(shapes);
    device->features &= ~VULKAN_BIT(COOPERATIVE_MATRIX);
    ASSERT_OK(vulkan_matrix_shapes_read(device, &shapes, &count));
    cr_assert(count == 1 && shapes[0].m == 8 && shapes[0].result == TN_F32);
    free(shapes);
    device->features &= ~VULKAN_BIT(COOPERATIVE_MATRIX_NV);
    ASSERT_OK(vulkan_matrix_shapes_read(device, &shapes, &count));
    cr_assert(count == 0 && shapes == NULL);
    device->features |= VULKAN_BIT(COOPERATIVE_MATRIX);
    vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR = shapes_fail;
    ASSERT_FAILS(vulkan_matrix_shapes_read(device, &shapes, &count), TN_OUT_OF_MEMORY,
                 "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    *vk = before;
    device->features = features;
    fixture_close(device);
}

Test(vulkan_device, a_struct_of_an_older_host_is_not_overrun) {
    struct {
        tn_device_info info;
        uint32_t guard;
    } old = {.info.struct_size = TN_STRUCT_END(tn_device_info, kind), .guard = 7};
    ASSERT_OK(vulkan_info(&fixture_host, 0, &old.info));
    cr_assert_null(old.info.targets);
    cr_assert_eq(old.guard, 7);
}

Test(vulkan_device, options_are_checked) {
    const tn_option unknown = {"speed", "high"};
    const tn_option feature = {"disable", "rebar,warp"};
    void *device = NULL;
    ASSERT_FAILS(vulkan_open(&fixture_host, 0, &unknown, 1, &device), TN_INVALID_ARGUMENT, "speed");
    ASSERT_FAILS(vulkan_open(&fixture_host, 0, &feature, 1, &device), TN_INVALID_ARGUMENT,
                 "'warp' is no feature");
    ASSERT_FAILS(vulkan_open(&fixture_host, 99, NULL, 0, &device), TN_NOT_FOUND, "99");
    cr_assert_null(device);
}

Test(vulkan_device, opens_without_any_feature) {
    char all[1024] = "";
    for (uint32_t i = 0; i < VULKAN_FEATURE_COUNT; i++) {
        strcat(strcat(all, i > 0 ? "," : ""), vulkan_feature_name(i));
        vulkan_device *device = fixture_open_with("disable", vulkan_feature_name(i));
        cr_assert_eq(device->features >> i & 1, 0, "%s", vulkan_feature_name(i));
        fixture_close(device);
    }
    vulkan_device *device = fixture_open_with("disable", all);
    cr_assert_eq(device->features, 0);
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 100, TN_MEMORY_DEVICE);
    uint32_t value = 0;
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 100, 5));
    ASSERT_OK(vulkan_copy_to_host(stream, &value, buffer, 96, 4));
    fixture_finish(stream);
    cr_assert_eq(value, 5);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_device, two_at_once_and_again) {
    for (int round = 0; round < 10; round++) {
        vulkan_device *first = fixture_open();
        vulkan_device *second = fixture_open();
        cr_assert_neq(first->generation, second->generation);
        void *stream = fixture_stream(first);
        vulkan_buffer *buffer = fixture_buffer(first, 100, TN_MEMORY_DEVICE);
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 100, 5));
        fixture_close(second);
        vulkan_free(first, buffer);
        vulkan_destroy_stream(first, stream); /* with work on its way */
        fixture_close(first);
    }
}

Test(vulkan_device, the_plugin_comes_and_goes) {
    for (int round = 0; round < 20; round++) {
        uint32_t count = 0;
        vulkan_plugin_fini(&fixture_host);
        ASSERT_OK(vulkan_plugin_init(&fixture_host));
        ASSERT_OK(vulkan_count(&fixture_host, &count));
        fixture_close(fixture_open());
    }
}

/* Streams of different devices are brought in order by the host. */
Test(vulkan_device, streams_of_two_devices) {
    vulkan_device *devices[2] = {fixture_open(), fixture_open()};
    void *streams[2] = {fixture_stream(devices[0]), fixture_stream(devices[1])};
    vulkan_buffer *buffer = fixture_buffer(devices[0], 100, TN_MEMORY_DEVICE);
    uint64_t ticket;
    ASSERT_OK(vulkan_fill(streams[0], buffer, 0, 100, 5));
    ASSERT_OK(vulkan_submit(streams[0], &ticket));
    ASSERT_OK(vulkan_wait_stream(streams[1], streams[0], ticket));
    ASSERT_OK(vulkan_wait(streams[0], ticket, 0));
    vulkan_free(devices[0], buffer);
    for (int i = 0; i < 2; i++) {
        vulkan_destroy_stream(devices[i], streams[i]);
        fixture_close(devices[i]);
    }
}

Test(vulkan_device, a_forked_child_is_told) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    const pid_t child = fork();
    if (child == 0) {
        uint64_t ticket;
        uint32_t count;
        const int told = vulkan_submit(stream, &ticket) == TN_FAILED_PRECONDITION &&
                         vulkan_count(&fixture_host, &count) == TN_FAILED_PRECONDITION;
        vulkan_destroy_stream(device, stream);
        vulkan_close(&fixture_host, device);
        _exit(told ? 0 : 1);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* ---- Losing the device ---- */

static void set_up_faults(const char *faults) {
    setenv("TENON_VK_FAULT", faults, 1);
    vulkan_plugin_fini(&fixture_host);
    ASSERT_OK(vulkan_plugin_init(&fixture_host));
}

Test(vulkan_device, a_loss_is_sticky_and_reopening_heals) {
    set_up_faults("vkQueueSubmit:2:DEVICE_LOST");
    vulkan_device *device = fixture_open();
    vulkan_device *other = fixture_open();
    void *stream = fixture_stream(device);
    void *second = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 1000, TN_MEMORY_DEVICE);
    uint64_t ticket, lost;
    void *unused;
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 1000, 1));
    ASSERT_OK(vulkan_submit(stream, &ticket));
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 1000, 2));
    ASSERT_FAILS(vulkan_submit(stream, &lost), TN_DEVICE_LOST, "vkQueueSubmit");
    ASSERT_FAILS(vulkan_fill(stream, buffer, 0, 1000, 3), TN_DEVICE_LOST, "open it again");
    ASSERT_FAILS(vulkan_fill(second, buffer, 0, 1000, 3), TN_DEVICE_LOST, "is lost");
    ASSERT_FAILS(vulkan_allocate(device, 8, 8, 0, &unused), TN_DEVICE_LOST, "is lost");
    ASSERT_FAILS(vulkan_create_stream(device, &unused), TN_DEVICE_LOST, "is lost");
    void *well = fixture_stream(other);
    fixture_finish(well);
    vulkan_destroy_stream(other, well);
    fixture_close(other);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    vulkan_destroy_stream(device, second);
    const uint64_t generation = device->generation;
    fixture_close(device);
    device = fixture_open();
    cr_assert_gt(device->generation, generation);
    stream = fixture_stream(device);
    buffer = fixture_buffer(device, 1000, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 1000, 1));
    fixture_finish(stream);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

static void *wait_for_ever(void *stream) {
    return (void *)(intptr_t)vulkan_wait(stream, 1, UINT64_MAX);
}

/* Who waits on one stream learns of a loss on another. */
Test(vulkan_device, a_loss_wakes_those_who_wait) {
    set_up_faults("vkQueueSubmit:2:DEVICE_LOST");
    vulkan_device *device = fixture_open();
    vulkan_stream *blocker = fixture_stream(device);
    vulkan_stream *blocked = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 64, TN_MEMORY_DEVICE);
    pthread_t waiter;
    void *result;
    uint64_t ticket;
    VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .value = 1};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    cr_assert_eq(device->vk.CreateSemaphore(device->handle, &info, NULL, &signal.semaphore), 0);
    /* A batch that waits for the host. */
    const uint64_t values[] = {1};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = values,
    };
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &signal.semaphore,
        .pWaitDstStageMask = &stage,
    };
    cr_assert_eq(device->vk.QueueSubmit(device->queues[0].handle, 1, &submit, VK_NULL_HANDLE), 0);
    ASSERT_OK(vulkan_fill(blocked, buffer, 0, 64, 1));
    ASSERT_OK(vulkan_submit(blocked, &ticket));
    cr_assert_eq(pthread_create(&waiter, NULL, wait_for_ever, blocked), 0);
    ASSERT_OK(vulkan_fill(blocker, buffer, 0, 64, 1));
    ASSERT_FAILS(vulkan_submit(blocker, &ticket), TN_DEVICE_LOST, "vkQueueSubmit");
    pthread_join(waiter, &result);
    cr_assert_eq((intptr_t)result, TN_DEVICE_LOST);
    cr_assert_eq(device->vk.SignalSemaphore(device->handle, &signal), VK_SUCCESS);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, blocker);
    vulkan_destroy_stream(device, blocked);
    device->vk.DestroySemaphore(device->handle, signal.semaphore, NULL);
    fixture_close(device);
}

/* ---- Without a device ---- */

static tn_status count_with(const char *variable, const char *value) {
    uint32_t count = 0;
    setenv("XDG_RUNTIME_DIR", "/tmp", 0);
    setenv(variable, value, 1);
    cr_assert_eq(vulkan_plugin_init(&fixture_host), TN_OK);
    const tn_status status = vulkan_count(&fixture_host, &count);
    cr_assert_eq(vulkan_count(&fixture_host, &count), status, "asked again, it says the same");
    vulkan_plugin_fini(&fixture_host);
    return status;
}

Test(vulkan_discovery, no_loader) {
    ASSERT_FAILS(count_with("TENON_VK_LOADER", "libno-such-vulkan.so.1"), TN_UNAVAILABLE,
                 "no Vulkan loader");
    ASSERT_FAILS(count_with("TENON_VK_LOADER", "libm.so.6"), TN_UNAVAILABLE, "not a Vulkan loader");
}

Test(vulkan_discovery, no_driver) {
    setenv("VK_ICD_FILENAMES", "/no/such/driver.json", 1);
    setenv("VK_LOADER_DEBUG", "none", 1);
    const tn_status status = count_with("VK_DRIVER_FILES", "/no/such/driver.json");
    cr_assert_eq(status, TN_UNAVAILABLE, "%s", fixture_error());
}

Test(vulkan_discovery, wrong_environment) {
    static const char *const faults[] = {
        "vkNoSuchCall:1:DEVICE_LOST",    "vkQueueSubmit",
        "vkQueueSubmit:0:DEVICE_LOST",   "vkQueueSubmit:1:FLAT",
        "vkQueueSubmit:1:DEVICE_LOST:x", "vkQueueSubmit:1:DEVICE_LOST;"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        ASSERT_FAILS(count_with("TENON_VK_FAULT", faults[i]), TN_INVALID_ARGUMENT,
                     "TENON_VK_FAULT at");
    }
    unsetenv("TENON_VK_FAULT");
    ASSERT_FAILS(count_with("TENON_VK_DISABLE", "float16,flux"), TN_INVALID_ARGUMENT, "'flux'");
    unsetenv("TENON_VK_DISABLE");
    ASSERT_FAILS(count_with("TENON_VK_VALIDATION", "core,all"), TN_INVALID_ARGUMENT, "'all'");
}

/* The one driver twice: two devices of one UUID, and both can be used. */
Test(vulkan_discovery, two_drivers) {
    static const char driver[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
    char copy[] = "/tmp/tenon-icd-XXXXXX", folder[64], paths[256], command[256];
    if (access(driver, R_OK) != 0 || mkdtemp(copy) == NULL) {
        cr_skip("lavapipe is not installed");
    }
    snprintf(folder, sizeof folder, "%s/copy.json", copy);
    snprintf(paths, sizeof paths, "%s:%s", driver, folder);
    snprintf(command, sizeof command, "cp %s %s", driver, folder);
    cr_assert_eq(system(command), 0);
    setenv("VK_ICD_FILENAMES", paths, 1);
    fixture_start();
    tn_device_info info[2] = {{.struct_size = TN_DEVICE_INFO_SIZE},
                              {.struct_size = TN_DEVICE_INFO_SIZE}};
    void *devices[2], *streams[2], *buffers[2];
    uint32_t values[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        ASSERT_OK(vulkan_info(&fixture_host, i, &info[i]));
        ASSERT_OK(vulkan_open(&fixture_host, i, NULL, 0, &devices[i]));
        streams[i] = fixture_stream(devices[i]);
        ASSERT_OK(vulkan_allocate(devices[i], 64, 64, TN_MEMORY_DEVICE, &buffers[i]));
        ASSERT_OK(vulkan_fill(streams[i], buffers[i], 0, 64, i + 5));
        ASSERT_OK(vulkan_copy_to_host(streams[i], &values[i], buffers[i], 60, 4));
    }
    cr_assert_eq(memcmp(info[0].uuid, info[1].uuid, 16), 0);
    for (uint32_t i = 0; i < 2; i++) {
        fixture_finish(streams[i]);
        cr_assert_eq(values[i], i + 5);
        vulkan_free(devices[i], buffers[i]);
        vulkan_destroy_stream(devices[i], streams[i]);
        fixture_close(devices[i]);
    }
    fixture_stop();
    unlink(folder);
    rmdir(copy);
}

/* That the layer is really there: what it must find, it finds. */
Test(vulkan_discovery, validation_finds_a_fault) {
    unsetenv("TENON_VK_VALIDATION");
    fixture_start();
    if (getenv("TENON_VK_VALIDATION") == NULL) {
        cr_skip("the validation layer is not installed");
    }
    vulkan_device *device = fixture_open();
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    };
    VkBuffer buffer = VK_NULL_HANDLE;
    if (device->vk.CreateBuffer(device->handle, &info, NULL, &buffer) == VK_SUCCESS) {
        device->vk.DestroyBuffer(device->handle, buffer, NULL);
    }
    cr_assert_gt(vulkan_validation_message_count(), 0);
    fixture_close(device);
    vulkan_plugin_fini(&fixture_host);
}
