/* What fuse-elementwise gains: a chain of eight on 16 million floats, one node against eight. */
#include <stdio.h>

#include "bench.h"

#define ELEMENTS (1 << 24)

typedef struct step {
    const char *op, *scalar;
} step;

static const step arithmetic[] = {
    {"_mul_scalar", "0.5"},     {"_plus_scalar", "0.25"}, {"relu", NULL},
    {"_minus_scalar", "0.125"}, {"square", NULL},         {"_rminus_scalar", "1"},
    {"_maximum_scalar", "0"},   {"_div_scalar", "3"},
};
static const step activations[] = {
    {"tanh", NULL}, {"_mul_scalar", "2"}, {"sigmoid", NULL},  {"_plus_scalar", "0.5"},
    {"exp", NULL},  {"sqrt", NULL},       {"softsign", NULL}, {"_mul_scalar", "0.5"},
};

typedef struct chain {
    tn_session *session;
    tn_tensor *input, *output;
} chain;

static void run_chain(void *context) {
    chain *self = context;
    bench_check(tn_session_run(self->session, &self->input, &self->output), "run");
}

static tn_graph *build(tn_runtime *runtime, const step *steps) {
    tn_graph *graph;
    tn_value value = {0, 0};
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &value.node), "variable");
    for (int i = 0; i < 8; i++) {
        const tn_option scalar = {"scalar", steps[i].scalar};
        bench_check(tn_graph_add_node(graph, steps[i].op, NULL, &scalar, scalar.value != NULL,
                                      &value, 1, &value.node),
                    steps[i].op);
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    return graph;
}

/* The input and the output stay on the device: what is measured is the chain. */
static double measure(tn_graph *graph, tn_device *device, const char *what) {
    const int64_t extents[] = {ELEMENTS};
    chain self = {NULL, NULL, NULL};
    bench_check(tn_session_create(graph, device, NULL, &self.session), "session");
    bench_check(tn_tensor_create_on(device, TN_F32, 1, extents, &self.input), "input");
    bench_check(tn_tensor_create_on(device, TN_F32, 1, extents, &self.output), "output");
    run_chain(&self);
    const bench_figure figure = bench_measure(run_chain, &self);
    bench_print(what, figure, 1e6, "ms", "");
    tn_tensor_release(self.output);
    tn_tensor_release(self.input);
    tn_session_destroy(self.session);
    return figure.minimum;
}

static void compare(tn_runtime *runtime, tn_device *device, const step *steps, const char *apart,
                    const char *fused) {
    const int64_t extent = ELEMENTS;
    tn_named_type type = {"x", {TN_F32, 0, {.rank = 1}}};
    tn_graph *graph = build(runtime, steps);
    type.type.shape.extents[0] = extent;
    const double before = measure(graph, device, apart);
    bench_check(tn_graph_run_pass(graph, "fuse-elementwise", NULL, 0, &type, 1), "pass");
    const double after = measure(graph, device, fused);
    printf("%-58s %.1f times as fast\n", "", before / after);
    tn_graph_destroy(graph);
}

int main(void) {
    static const char *const devices[] = {"cpu", "vulkan"};
    tn_runtime *runtime;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    for (int i = 0; i < 2; i++) {
        tn_device *device;
        if (tn_device_open(runtime, devices[i], &device) != TN_OK) {
            printf("%s: %s\n", devices[i], tn_error_message());
            continue;
        }
        printf("%s\n", devices[i]);
        compare(runtime, device, arithmetic, "eight of arithmetic, apart", "the same in one node");
        compare(runtime, device, activations, "eight with tanh, sigmoid, exp, apart",
                "the same in one node");
        tn_device_close(device);
    }
    tn_runtime_destroy(runtime);
    return 0;
}
