/*
 * What bench_start measures: a process that runs one model once and ends.
 *
 *   child_start node PLUGIN…          an addition of two tensors of 16 floats
 *   child_start model FILE PLUGIN…    the demo network on one blank picture
 *
 * Without plugins it loads all that TENON_PLUGIN_PATH has.
 */
#include <string.h>

#include <tenon/tenon.h>

#include "bench.h"
#include "child.h"

static tn_tensor *make_tensor(tn_runtime *runtime, int32_t rank, const int64_t *extents) {
    tn_tensor *tensor;
    bench_check(tn_tensor_create(runtime, TN_F32, rank, extents, &tensor), "tensor");
    memset(tn_tensor_data(tensor), 0, tn_tensor_byte_size(tensor));
    return tensor;
}

static tn_graph *make_addition(tn_runtime *runtime) {
    tn_graph *graph;
    uint32_t x, y, node;
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &x), "x");
    bench_check(tn_graph_add_variable(graph, "y", NULL, &y), "y");
    const tn_value inputs[] = {{x, 0}, {y, 0}};
    bench_check(tn_graph_add_node(graph, "elemwise_add", NULL, NULL, 0, inputs, 2, &node), "node");
    const tn_value output = {node, 0};
    bench_check(tn_graph_set_outputs(graph, &output, 1), "outputs");
    return graph;
}

static tn_runtime *open_runtime(char **plugins, int count) {
    tn_runtime *runtime;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    for (int i = 0; i < count; i++) {
        bench_check(tn_plugin_load(runtime, plugins[i], 0, NULL), "plugin");
    }
    if (count == 0) {
        bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    }
    return runtime;
}

int main(int argc, char **argv) {
    const int64_t floats[] = {16}, picture[] = {1, 1, 28, 28};
    if (argc < 2) {
        return 2;
    }
    const int is_model = strcmp(argv[1], "model") == 0, words = is_model ? 3 : 2;
    tn_runtime *runtime = open_runtime(argv + words, argc - words);
    tn_graph *graph = NULL;
    tn_device *device;
    tn_session *session;
    if (is_model) {
        bench_check(tn_graph_read(runtime, argv[2], NULL, NULL, 0, &graph), "model");
    } else {
        graph = make_addition(runtime);
    }
    bench_check(tn_device_open(runtime, "cpu", &device), "cpu");
    bench_check(tn_session_create(graph, device, NULL, &session), "session");
    tn_tensor *inputs[2], *output = NULL;
    inputs[0] = is_model ? make_tensor(runtime, 4, picture) : make_tensor(runtime, 1, floats);
    inputs[1] = is_model ? NULL : make_tensor(runtime, 1, floats);
    bench_check(tn_session_run(session, inputs, &output), "run");
    const int reported = child_report();
    tn_tensor_release(output);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
    return reported ? 0 : 1;
}
