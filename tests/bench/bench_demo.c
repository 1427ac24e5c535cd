/* The demo network: pictures a second, one at a time and by the hundred. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define MODEL BENCH_SOURCE "/docs/examples/fashion-mnist/fashion-mnist-symbol.json"

typedef struct network {
    tn_session *session;
    tn_tensor *input, *output;
} network;

static void run_network(void *context) {
    network *self = context;
    bench_check(tn_session_run(self->session, &self->input, &self->output), "run");
}

static void measure(tn_runtime *runtime, tn_device *device, int64_t batch, const char *what) {
    const int64_t extents[] = {batch, 1, 28, 28};
    tn_graph *graph;
    network self = {NULL, NULL, NULL};
    bench_check(tn_graph_read(runtime, MODEL, NULL, NULL, 0, &graph), "model");
    bench_check(tn_session_create(graph, device, NULL, &self.session), "session");
    bench_check(tn_tensor_create(runtime, TN_F32, 4, extents, &self.input), "input");
    float *pixels = tn_tensor_data(self.input);
    for (int64_t i = 0; i < batch * 28 * 28; i++) {
        pixels[i] = (float)(i * 37 % 256);
    }
    run_network(&self); /* makes the plan */
    const bench_figure figure = bench_measure(run_network, &self);
    bench_print(what, figure, 1e3 * (double)batch, "us a picture", "");
    printf("%-58s best    %9.0f  median %9.0f pictures/s\n", "",
           1e9 * (double)batch / figure.minimum, 1e9 * (double)batch / figure.median);
    tn_tensor_release(self.output);
    tn_tensor_release(self.input);
    tn_session_destroy(self.session);
    tn_graph_destroy(graph);
}

static void measure_with_threads(uint32_t threads, const char *one, const char *hundred) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE,
                                        .thread_count = threads};
    tn_runtime *runtime;
    tn_device *device;
    bench_check(tn_runtime_create(&options, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(runtime, "cpu", &device), "cpu");
    measure(runtime, device, 1, one);
    measure(runtime, device, 100, hundred);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

int main(void) {
    measure_with_threads(1, "demo network, batch 1, one thread",
                         "demo network, batch 100, one thread");
    measure_with_threads(0, "demo network, batch 1, all processors",
                         "demo network, batch 100, all processors");
    return 0;
}
