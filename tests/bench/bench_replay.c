/*
 * What it costs the host to queue a plan's device work anew, and to replay it: a chain of 1,000
 * additions of 16 floats, once on the device as it is and once with null_queue.c in the driver's
 * place at the end, where no work is done and what is left is the host's part alone.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1000, FLOATS = 16, RUNS = 300 };

typedef struct chain {
    tn_session *session;
    tn_tensor *inputs[2];
    tn_tensor *outputs[2];
} chain;

static tn_tensor *make_tensor(tn_device *device) {
    const int64_t extents[] = {FLOATS};
    tn_tensor *tensor;
    bench_check(tn_tensor_create_on(device, TN_F32, 1, extents, &tensor), "tensor");
    return tensor;
}

static chain make_chain(tn_runtime *runtime, tn_device *device) {
    chain made = {.inputs = {make_tensor(device), make_tensor(device)},
                  .outputs = {make_tensor(device), make_tensor(device)}};
    tn_graph *graph;
    uint32_t x, y, node;
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &x), "x");
    bench_check(tn_graph_add_variable(graph, "y", NULL, &y), "y");
    tn_value value = {x, 0};
    for (int i = 0; i < NODES; i++) {
        const tn_value inputs[] = {value, {y, 0}};
        bench_check(tn_graph_add_node(graph, "elemwise_add", NULL, NULL, 0, inputs, 2, &node),
                    "node");
        value = (tn_value){node, 0};
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    bench_check(tn_session_create(graph, device, NULL, &made.session), "session");
    tn_graph_destroy(graph);
    return made;
}

static void finish_chain(chain *made) {
    for (int i = 0; i < 2; i++) {
        tn_tensor_release(made->inputs[i]);
        tn_tensor_release(made->outputs[i]);
    }
    tn_session_destroy(made->session);
}

/* The best of many runs, in microseconds. An output at another address each time cannot be
 * replayed. */
static double measure(chain *made, int outputs) {
    double best = 1e30;
    for (int i = 0; i < RUNS; i++) {
        const double start = bench_seconds();
        bench_check(tn_session_run(made->session, made->inputs, &made->outputs[i % outputs]),
                    "run");
        const double taken = (bench_seconds() - start) * 1e6;
        best = taken < best ? taken : best;
    }
    return best;
}

static void measure_device(const char *name, const char *what) {
    tn_runtime *runtime;
    tn_device *device;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(runtime, name, &device), name);
    chain made = make_chain(runtime, device);
    const double anew = measure(&made, 2), replayed = measure(&made, 1);
    printf("%-16s a run anew %8.1f us, replayed %8.1f us: %5.1f %%; a node %.3f and %.3f us\n",
           what, anew, replayed, 100 * replayed / anew, anew / NODES, replayed / NODES);
    finish_chain(&made);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

int main(int count, char **words) {
    const char *name = count > 1 ? words[1] : "vulkan";
    measure_device(name, "host and device");
    setenv("TENON_VK_LOADER", BENCH_BUILD "/tests/bench/null_queue.so", 1);
    measure_device(name, "the host alone");
    return 0;
}
