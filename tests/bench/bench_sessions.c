/* Two sessions at the same time on the threads of one device, against one: runs a second of eight
 * convolutions, 64 channels of 56 x 56, and the processor time of a run. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { LAYERS = 8, CHANNELS = 64, EXTENT = 56 };

static const double SECONDS = 2;

static tn_tensor *zeros(tn_runtime *runtime, const int64_t *extents) {
    tn_tensor *tensor;
    bench_check(tn_tensor_create(runtime, TN_F32, 4, extents, &tensor), "tensor");
    const tn_view *view = tn_tensor_view(tensor);
    memset(view->data, 0, (size_t)(extents[0] * extents[1] * extents[2] * extents[3]) * 4);
    return tensor;
}

static tn_graph *build(tn_runtime *runtime) {
    const int64_t extents[] = {CHANNELS, CHANNELS, 3, 3};
    const tn_option options[] = {{"kernel", "(3,3)"}, {"pad", "(1,1)"}, {"no_bias", "True"}};
    tn_graph *graph;
    tn_value value = {0, 0};
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &value.node), "variable");
    for (int i = 0; i < LAYERS; i++) {
        char name[16];
        tn_tensor *weight = zeros(runtime, extents);
        tn_value inputs[2] = {value, {0, 0}};
        snprintf(name, sizeof name, "weight%d", i);
        bench_check(tn_graph_add_parameter(graph, name, weight, &inputs[1].node), "parameter");
        tn_tensor_release(weight);
        bench_check(
            tn_graph_add_node(graph, "Convolution", NULL, options, 3, inputs, 2, &value.node),
            "Convolution");
        value.output = 0;
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    return graph;
}

typedef struct runner {
    tn_session *session;
    tn_tensor *input, *output;
    double end;
    int runs;
} runner;

static void *run_until_end(void *context) {
    runner *self = context;
    for (self->runs = 0; bench_seconds() < self->end; self->runs++) {
        bench_check(tn_session_run(self->session, &self->input, &self->output), "run");
    }
    return NULL;
}

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void measure(runner *runners, int count, int threads) {
    pthread_t callers[2];
    const double begin = processor_seconds(), end = bench_seconds() + SECONDS;
    int runs = 0;
    for (int i = 0; i < count; i++) {
        runners[i].end = end;
        if (pthread_create(&callers[i], NULL, run_until_end, &runners[i]) != 0) {
            fprintf(stderr, "bench: no thread\n");
            return;
        }
    }
    for (int i = 0; i < count; i++) {
        pthread_join(callers[i], NULL);
        runs += runners[i].runs;
    }
    printf("%d session%s, %d thread%s  %8.1f runs/s  %8.2f ms of processor time a run\n", count,
           count > 1 ? "s" : " ", threads, threads > 1 ? "s" : " ", runs / SECONDS,
           (processor_seconds() - begin) / runs * 1e3);
}

static void measure_threads(int threads) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE,
                                        .thread_count = (uint32_t)threads};
    const int64_t extents[] = {1, CHANNELS, EXTENT, EXTENT};
    tn_runtime *runtime;
    tn_device *device;
    runner runners[2] = {0};
    bench_check(tn_runtime_create(&options, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(runtime, "cpu", &device), "cpu");
    tn_graph *graph = build(runtime);
    for (int i = 0; i < 2; i++) {
        bench_check(tn_session_create(graph, device, NULL, &runners[i].session), "session");
        runners[i].input = zeros(runtime, extents);
        bench_check(tn_session_run(runners[i].session, &runners[i].input, &runners[i].output),
                    "first run");
    }
    for (int round = 0; round < 3; round++) {
        measure(runners, 1, threads);
        measure(runners, 2, threads);
    }
    for (int i = 0; i < 2; i++) {
        tn_tensor_release(runners[i].output);
        tn_tensor_release(runners[i].input);
        tn_session_destroy(runners[i].session);
    }
    tn_graph_destroy(graph);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

int main(void) {
    measure_threads(1);
    measure_threads(2);
    return 0;
}
