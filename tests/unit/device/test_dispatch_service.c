#include "fake_backend.h"

FAKE_SUITE(dispatch_service);

static const tn_device_kernel_desc desc = {
    .struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
    .entry_point = "main",
    .workgroup_size = {64, 1, 1},
};

static const tn_dispatch_service *service(void) {
    return fake_plugin->host.find_service(&fake_plugin->host, "dispatch", 1);
}

static tn_status create(tn_device *device, const char *code, tn_device_kernel **out_kernel) {
    return service()->create_kernel(&fake_plugin->host, device, code, strlen(code), &desc,
                                    out_kernel);
}

static void release(tn_device_kernel *kernel) {
    service()->release_kernel(&fake_plugin->host, kernel);
}

Test(dispatch_service, modules_are_shared_by_content) {
    tn_device *device = open_device("fake");
    tn_device_kernel *first, *second, *other;
    char copy[] = "some code";
    cr_assert_eq(create(device, "some code", &first), TN_OK);
    cr_assert_eq(create(device, copy, &second), TN_OK);
    cr_assert_eq(create(device, "other code", &other), TN_OK);
    cr_assert_eq(fake.modules_made, 2);
    cr_assert_eq(fake.kernels, 3);
    release(first);
    cr_assert_eq(fake.modules, 2);
    release(second);
    cr_assert_eq(fake.modules, 1);
    cr_assert_eq(create(device, copy, &first), TN_OK);
    cr_assert_eq(fake.modules_made, 3);
    release(first);
    tn_device_close(device);
    cr_assert_eq(fake.opened, 1, "a kernel keeps its device open");
    release(other);
    release(NULL);
}

Test(dispatch_service, launches) {
    tn_device *device = open_device("fake:0");
    tn_device *stranger = open_device("fake:1");
    tn_device_kernel *kernel;
    const uint32_t groups[] = {2, 3, 4}, none[] = {2, 0, 4};
    cr_assert_eq(create(device, "code", &kernel), TN_OK);
    const tn_host *host = &fake_plugin->host;
    cr_assert_eq(service()->launch(host, device->stream, kernel, groups, NULL, 0, NULL, 0), TN_OK);
    cr_assert_eq(fake.launches, 24);
    cr_assert_eq(service()->launch(host, device->stream, kernel, none, NULL, 0, NULL, 0), TN_OK);
    cr_assert_eq(fake.launches, 24);
    cr_assert_eq(service()->launch(host, stranger->stream, kernel, groups, NULL, 0, NULL, 0),
                 TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("made for device fake:0, the stream is of fake:1");
    cr_assert_eq(service()->launch(host, NULL, kernel, groups, NULL, 0, NULL, 0),
                 TN_INVALID_ARGUMENT);
    release(kernel);
    tn_device_close(device);
    tn_device_close(stranger);
}

Test(dispatch_service, limits) {
    tn_device *device = open_device("fake");
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    cr_assert_eq(service()->limits(&fake_plugin->host, device, &limits), TN_OK);
    cr_assert_eq(limits.subgroup_size, 32);
    cr_assert_eq(limits.has_f16, 0);
    tn_device_close(device);
}

Test(dispatch_service, failures_leave_nothing) {
    tn_device *device = open_device("fake");
    tn_device_kernel *kernel = NULL;
    const tn_host *host = &fake_plugin->host;
    fake.fail_module = TN_INVALID_ARGUMENT;
    cr_assert_eq(create(device, "code", &kernel), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("device fake:0: kernel 'main'");
    fake.fail_module = TN_OK;
    fake.fail_kernel = TN_UNSUPPORTED;
    cr_assert_eq(create(device, "code", &kernel), TN_UNSUPPORTED);
    cr_assert_eq(fake.modules, 0);
    cr_assert_eq(create(NULL, "code", &kernel), TN_INVALID_ARGUMENT);
    cr_assert_eq(create(device, "", &kernel), TN_INVALID_ARGUMENT);
    cr_assert_eq(service()->create_kernel(host, device, "code", 4, NULL, &kernel),
                 TN_INVALID_ARGUMENT);
    cr_assert_null(kernel);
    tn_device_close(device);
}
