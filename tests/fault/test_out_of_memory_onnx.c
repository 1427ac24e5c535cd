/*
 * As test_out_of_memory.c, for a model from a file and for types that come with the run: a branch
 * that is chosen in the run, and what follows from its shape. Skipped without the plugins.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

#include "failing_malloc.h"

static tn_runtime *runtime;
static tn_device *device;
static tn_tensor *inputs[2];

static bool load(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", getenv(folder), name);
    return tn_plugin_load(runtime, path, 0, NULL) == TN_OK;
}

static tn_status run_model(tn_graph *graph) {
    tn_session *session = NULL;
    tn_tensor *output = NULL;
    tn_status status = tn_session_create(graph, device, NULL, &session);
    for (uint8_t choice = 0; status == TN_OK && choice < 2; choice++) {
        *(uint8_t *)tn_tensor_data(inputs[0]) = choice;
        status = tn_session_run(session, inputs, &output);
        if (status == TN_OK &&
            tn_tensor_view(output)->rank != (choice ? 2 : 1)) { /* what the branch is like */
            status = TN_INTERNAL;
        }
        tn_tensor_release(output);
        output = NULL;
    }
    tn_session_destroy(session);
    return status;
}

static tn_status work(const char *path) {
    tn_graph *graph = NULL;
    tn_status status = tn_graph_read(runtime, path, "onnx", NULL, 0, &graph);
    if (status == TN_OK) {
        status = run_model(graph);
    }
    tn_graph_destroy(graph);
    return status;
}

Test(out_of_memory, models_whose_types_come_with_the_run) {
    char path[4096];
    const int64_t extents[] = {2};
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/onnx/seed-stages",
             getenv("TENON_TEST_SOURCE"));
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    if (!load("TENON_TEST_BACKENDS", "cpu") || !load("TENON_TEST_PLUGINS", "ops-math") ||
        !load("TENON_TEST_PLUGINS", "ops-onnx") || !load("TENON_TEST_PLUGINS", "format-onnx")) {
        tn_runtime_destroy(runtime);
        cr_skip_test("the ONNX plugins are not built");
    }
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_BOOL, 0, NULL, &inputs[0]), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, extents, &inputs[1]), TN_OK);
    cr_assert_eq(work(path), TN_OK, "%s", tn_error_message());
    long failures = 0;
    for (long nth = 0;; nth++) {
        const long before = failing_malloc_alive();
        failing_malloc_arm(nth);
        const tn_status status = work(path);
        if (!failing_malloc_disarm()) {
            cr_assert_eq(status, TN_OK, "%s", tn_error_message());
            break;
        }
        failures++;
        cr_expect(status == TN_OK || status == TN_OUT_OF_MEMORY || status == TN_CORRUPT ||
                      status == TN_INVALID_ARGUMENT,
                  "allocation %ld failed and the status is %s: %s", nth, tn_status_name(status),
                  tn_error_message());
        cr_expect_leq(failing_malloc_alive(), before, "allocation %ld failed and %ld are lost", nth,
                      failing_malloc_alive() - before);
    }
    cr_expect_gt(failures, 200);
    cr_assert_eq(work(path), TN_OK, "%s", tn_error_message());
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}
