/* Uses a device and ends the process with everything open: no runtime is destroyed, work may be on
 * its way. Exit code 77: there is no device. */
#include <stdlib.h>

#include <tenon/tenon.h>

#include <tenon/plugin/helpers.h>

int main(void) {
    const int64_t extents[] = {100000};
    tn_runtime *runtime;
    tn_device *device;
    tn_tensor *host, *tensor;
    if (tn_runtime_create(NULL, &runtime) != TN_OK ||
        tn_plugin_load_all(runtime, NULL, 0, 0) != TN_OK) {
        return 1;
    }
    if (tn_device_open(runtime, "vulkan", &device) != TN_OK) {
        return 77;
    }
    if (tn_tensor_create(runtime, TN_F32, 1, extents, &host) != TN_OK ||
        tn_tensor_to_device(host, device, &tensor) != TN_OK) {
        return 2;
    }
    tn_tensor *sum = NULL;
    tn_tensor *inputs[] = {tensor, tensor};
    tn_graph *graph;
    tn_session *session;
    uint32_t x, y, node;
    if (tn_graph_create(runtime, &graph) != TN_OK ||
        tn_graph_add_variable(graph, "x", NULL, &x) != TN_OK ||
        tn_graph_add_variable(graph, "y", NULL, &y) != TN_OK) {
        return 3;
    }
    const tn_value values[] = {{x, 0}, {y, 0}};
    if (tn_graph_add_node(graph, "elemwise_add", "sum", NULL, 0, values, 2, &node) != TN_OK ||
        tn_graph_set_outputs(graph, &(tn_value){node, 0}, 1) != TN_OK ||
        tn_session_create(graph, device, NULL, &session) != TN_OK ||
        tn_session_run(session, inputs, &sum) != TN_OK) {
        return 4;
    }
    return EXIT_SUCCESS;
}
