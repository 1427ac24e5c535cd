#include "../graph/graph_fixture.h"

#include <pthread.h>

TestSuite(invoke, .init = fixture_set_up, .fini = fixture_tear_down);

Test(invoke, makes_outputs_or_writes_to_those_given) {
    const float a[] = {1, 2}, b[] = {3, 4};
    tn_tensor *inputs[] = {floats_of(2, a), floats_of(2, b)}, *result = NULL;
    for (int i = 0; i < 2; i++) { /* the second call writes into the first one's output */
        cr_assert_eq(tn_invoke(runtime, "elemwise_add", NULL, 0, inputs, 2, &result, 1), TN_OK,
                     "%s", tn_error_message());
        cr_expect_eq(((float *)tn_tensor_data(result))[1], 6);
        ((float *)tn_tensor_data(result))[1] = 0;
    }
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_tensor_release(result);
}

Test(invoke, attributes_and_types_make_different_calls) {
    const float a[] = {1, 2, 3};
    tn_tensor *three = floats_of(3, a), *two = floats_of(2, a);
    const tn_option plus_one = {"scalar", "1"}, plus_two = {"scalar", "2"};
    tn_tensor *results[3] = {0};
    cr_assert_eq(tn_invoke(runtime, "_plus_scalar", &plus_one, 1, &three, 1, &results[0], 1),
                 TN_OK);
    cr_assert_eq(tn_invoke(runtime, "_plus_scalar", &plus_two, 1, &three, 1, &results[1], 1),
                 TN_OK);
    cr_assert_eq(tn_invoke(runtime, "_plus_scalar", &plus_two, 1, &two, 1, &results[2], 1), TN_OK);
    cr_expect_eq(((float *)tn_tensor_data(results[0]))[0], 2);
    cr_expect_eq(((float *)tn_tensor_data(results[1]))[0], 3);
    cr_expect_eq(tn_tensor_byte_size(results[2]), 8);
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(results[i]);
    }
    tn_tensor_release(three);
    tn_tensor_release(two);
}

Test(invoke, errors_are_worded_and_leave_outputs_alone) {
    const float a[] = {1, 2, 3};
    tn_tensor *inputs[] = {floats_of(3, a), floats_of(2, a)}, *result = NULL;
    cr_expect_eq(tn_invoke(runtime, "nothing", NULL, 0, inputs, 1, &result, 1), TN_NOT_FOUND);
    cr_expect_eq(tn_invoke(runtime, "elemwise_add", NULL, 0, inputs, 2, &result, 1),
                 TN_INVALID_ARGUMENT);
    expect_message("invoke elemwise_add: ");
    cr_expect_eq(tn_invoke(runtime, "relu", NULL, 0, inputs, 1, &result, 0), TN_INVALID_ARGUMENT);
    expect_message("0 outputs are given, it has 1");
    cr_expect_null(result);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

Test(invoke, more_forms_than_are_kept) {
    const float a[] = {1};
    tn_tensor *input = floats_of(1, a), *result = NULL;
    for (int i = 0; i < 3000; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        const tn_option scalar = {"scalar", text};
        cr_assert_eq(tn_invoke(runtime, "_plus_scalar", &scalar, 1, &input, 1, &result, 1), TN_OK);
        cr_assert_eq(((float *)tn_tensor_data(result))[0], (float)(1 + i));
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
}

static void *call_often(void *context) {
    tn_tensor *input = context, *result = NULL;
    for (int i = 0; i < 2000; i++) {
        if (tn_invoke(runtime, "probe_workspace", NULL, 0, &input, 1, &result, 1) != TN_OK ||
            ((float *)tn_tensor_data(result))[0] != 4) {
            tn_tensor_release(result);
            return context;
        }
    }
    tn_tensor_release(result);
    return NULL;
}

Test(invoke, threads_do_not_share_a_call) {
    enum { THREADS = 4 };
    const float a[] = {1, 2, 3};
    pthread_t threads[THREADS];
    tn_tensor *input = floats_of(3, a);
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, call_often, input), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        cr_expect_null(failed);
    }
    tn_tensor_release(input);
}

Test(invoke, what_is_kept_for_reuse_does_not_hold_a_plugin) {
    const float a[] = {1};
    tn_tensor *input = floats_of(1, a), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "probe_workspace", NULL, 0, &input, 1, &result, 1), TN_OK);
    cr_expect_eq(tn_plugin_unload(runtime, "probe-ops", 0, NULL), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_invoke(runtime, "probe_workspace", NULL, 0, &input, 1, &result, 1),
                 TN_NOT_FOUND);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

Test(invoke, a_graph_and_a_session_hold_their_plugins) {
    tn_device *device;
    tn_session *session;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    output(unary("probe_fail", "y", variable("x")));
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    cr_expect_eq(tn_plugin_unload(runtime, "probe-ops", 1000000, NULL), TN_BUSY);
    expect_message("1 graph");
    expect_message("1 session");
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    graph = NULL;
    cr_expect_eq(tn_plugin_unload(runtime, "probe-ops", 0, NULL), TN_OK, "%s", tn_error_message());
    tn_device_close(device);
}

/* The kernel knows its own record, and has the attributes that its operator did not name. */
Test(invoke, functions_that_serve_several_know_which) {
    const float a[] = {1};
    const tn_option options[] = {{"colour", "red"}, {"size", "9"}};
    tn_tensor *inputs[] = {floats_of(1, a), floats_of(1, a)}, *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "probe_rest", options, 2, inputs, 2, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(((float *)tn_tensor_data(result))[0], 102);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_tensor_release(result);
}
