#include "run_graph.h"

#include <criterion/criterion.h>

#include "common/single_node.h"

tn_tensor *run_graph_on(tn_runtime *runtime, tn_graph *graph, const char *device_name,
                        tn_tensor *input) {
    tn_device *device;
    tn_session *session;
    tn_tensor *output = NULL;
    if (tn_device_open(runtime, device_name, &device) != TN_OK) {
        cr_skip_test("%s", tn_error_message());
    }
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &output), TN_OK, "%s", tn_error_message());
    cr_assert_eq(test_to_host(runtime, &output), TN_OK, "%s", tn_error_message());
    tn_session_destroy(session);
    tn_device_close(device);
    return output;
}
