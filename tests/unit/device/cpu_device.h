/* The real CPU backend, from the folder of built plugins; without one the test is skipped. */
#ifndef TENON_TESTS_CPU_DEVICE_H
#define TENON_TESTS_CPU_DEVICE_H

#include <stdlib.h>
#include <unistd.h>

#include "../tensor/fake_plugin.h"
#include "device/device_table.h"

static tn_runtime *runtime;

static int load_cpu_from(const char *variable) {
    const char *folder = getenv(variable);
    char path[4096];
    if (folder == NULL) {
        return 0;
    }
    snprintf(path, sizeof path, "%s/cpu.so", folder);
    if (access(path, R_OK) != 0) {
        return 0;
    }
    cr_assert_eq(tn_plugin_load(runtime, path, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK, "%s",
                 tn_error_message());
    return 1;
}

static void cpu_set_up(uint32_t threads) {
    const tn_runtime_options options = {
        .struct_size = TN_RUNTIME_OPTIONS_SIZE,
        .thread_count = threads,
    };
    cr_assert_eq(tn_runtime_create(&options, &runtime), TN_OK);
    if (!load_cpu_from("TENON_TEST_BACKENDS") && !load_cpu_from("TENON_TEST_PLUGINS")) {
        tn_runtime_destroy(runtime);
        runtime = NULL;
        cr_skip("cpu.so is neither in TENON_TEST_BACKENDS nor in TENON_TEST_PLUGINS");
    }
}

static void cpu_tear_down(void) {
    tn_runtime_destroy(runtime);
}

static tn_device *open_cpu(void) {
    tn_device *device;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK, "%s", tn_error_message());
    return device;
}

#endif
