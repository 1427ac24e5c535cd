/* What is prepared once allocates nothing when it is done again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

#include "failing_malloc.h"

static tn_runtime *runtime;
static tn_device *device;
static tn_session *session;

/* The demo network on a batch of 4 blank pictures. */
static void set_up(void) {
    char path[4096];
    tn_graph *graph;
    snprintf(path, sizeof path, "%s/docs/examples/fashion-mnist/fashion-mnist-symbol.json",
             getenv("TENON_TEST_SOURCE"));
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    cr_assert_eq(tn_plugin_load_all(runtime, NULL, 0, 0), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_graph_read(runtime, path, NULL, NULL, 0, &graph), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    tn_graph_destroy(graph);
}

static void tear_down(void) {
    tn_session_destroy(session);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(no_allocation, .init = set_up, .fini = tear_down);

static tn_tensor *pictures(int64_t count) {
    const int64_t extents[] = {count, 1, 28, 28};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 4, extents, &tensor), TN_OK);
    for (uint64_t i = 0; i < tn_tensor_byte_size(tensor) / 4; i++) {
        ((float *)tn_tensor_data(tensor))[i] = 0;
    }
    return tensor;
}

Test(no_allocation, in_later_runs_of_a_plan) {
    tn_tensor *input = pictures(4), *output = NULL;
    cr_assert_eq(tn_session_run(session, &input, &output), TN_OK, "%s", tn_error_message());
    const long before = failing_malloc_count();
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(tn_session_run(session, &input, &output), TN_OK);
    }
    cr_expect_eq(failing_malloc_count(), before);
    tn_tensor_release(input);
    tn_tensor_release(output);
}

Test(no_allocation, when_shapes_alternate) {
    tn_tensor *inputs[] = {pictures(1), pictures(3)}, *outputs[] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_run(session, &inputs[i], &outputs[i]), TN_OK);
    }
    const long before = failing_malloc_count();
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(tn_session_run(session, &inputs[i % 2], &outputs[i % 2]), TN_OK);
    }
    cr_expect_eq(failing_malloc_count(), before);
    for (int i = 0; i < 2; i++) {
        tn_tensor_release(inputs[i]);
        tn_tensor_release(outputs[i]);
    }
}

Test(no_allocation, in_an_eager_call_that_was_seen_before) {
    tn_tensor *input = pictures(1), *output = NULL;
    cr_assert_eq(tn_invoke(runtime, "relu", NULL, 0, &input, 1, &output, 1), TN_OK);
    const long before = failing_malloc_count();
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(tn_invoke(runtime, "relu", NULL, 0, &input, 1, &output, 1), TN_OK);
    }
    cr_expect_eq(failing_malloc_count(), before);
    tn_tensor_release(input);
    tn_tensor_release(output);
}
