/* The same answers whatever of the device is used: each feature taken away, and the checks of the
 * validation layer off. */
#include <stdlib.h>

#include "device.h"
#include "feature_names.h"
#include "instance.h"
#include "kernel_fixture.h"

enum { COUNT = 5000, BYTES = COUNT * (int)sizeof(float) };

/* Copies to the device, within it and back, additions that depend on one another, a recording. */
static void compute(vulkan_device *device, float *out) {
    float numbers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = (float)((i * 7919) % 1013) * 0.37f;
    }
    const add_push push = {COUNT, 0.75f};
    const uint32_t groups[] = {(COUNT + 63) / 64, 1, 1};
    void *stream = fixture_stream(device), *kernel = make_add(device), *recording = NULL;
    vulkan_buffer *a = buffer_of(device, stream, numbers, BYTES);
    vulkan_buffer *b = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
    vulkan_buffer *c = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_copy(stream, b, 0, a, 0, BYTES));
    ASSERT_OK(vulkan_fill(stream, b, 400, 400, 0x3f800000));
    ASSERT_OK(vulkan_begin_recording(stream));
    const tn_binding there[] = {whole(a), whole(b), whole(c)};
    const tn_binding back[] = {whole(c), whole(a), whole(b)};
    ASSERT_OK(vulkan_launch(stream, kernel, groups, there, 3, &push, sizeof push));
    ASSERT_OK(vulkan_launch(stream, kernel, groups, back, 3, &push, sizeof push));
    ASSERT_OK(vulkan_end_recording(stream, &recording));
    for (int i = 0; i < 5; i++) {
        ASSERT_OK(vulkan_replay(stream, recording));
    }
    read_buffer(stream, b, out, BYTES);
    vulkan_destroy_recording(device, recording);
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_free(device, c);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
}

static void compute_without(const char *disabled, float *out) {
    vulkan_device *device = fixture_open_with("disable", disabled);
    compute(device, out);
    close_device(device);
}

TestSuite(vulkan_features, .init = fixture_start, .fini = fixture_stop);

Test(vulkan_features, each_can_be_missing) {
    static float expected[COUNT], got[COUNT];
    char all[1024] = "";
    compute_without("", expected);
    cr_assert_neq(expected[0], expected[COUNT - 1]);
    for (uint32_t i = 0; i < VULKAN_FEATURE_COUNT; i++) {
        strcat(strcat(all, i > 0 ? "," : ""), vulkan_feature_name(i));
        compute_without(vulkan_feature_name(i), got);
        cr_assert_eq(memcmp(got, expected, BYTES), 0, "without %s", vulkan_feature_name(i));
    }
    compute_without(all, got);
    cr_assert_eq(memcmp(got, expected, BYTES), 0, "without all of them");
}

Test(vulkan_validation, changes_nothing) {
    static const char *const checks[] = {"", "core,sync"};
    static float results[2][COUNT];
    for (int i = 0; i < 2; i++) {
        setenv("TENON_VK_VALIDATION", checks[i], 1);
        uint32_t count;
        setenv("LP_NUM_THREADS", "0", 0);
        setenv("XDG_RUNTIME_DIR", "/tmp", 0);
        ASSERT_OK(vulkan_plugin_init(&fixture_host));
        if (vulkan_count(&fixture_host, &count) == TN_UNAVAILABLE) {
            vulkan_plugin_fini(&fixture_host);
            cr_skip("%s", fixture_error());
        }
        compute_without("", results[i]);
        fixture_stop();
    }
    cr_assert_eq(memcmp(results[0], results[1], BYTES), 0);
}
