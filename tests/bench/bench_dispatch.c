/*
 * What the host adds to the kernels' own work: a chain of 1,000 additions of 16 floats, a plan of
 * one node, an eager call. Every figure has the kernel's own time in it, printed first.
 */
#include "bench.h"

#include <stdio.h>

#include <tenon/plugin/helpers.h>

enum { NODES = 1000, FLOATS = 16 };

typedef struct chain {
    tn_graph *graph;
    tn_session *session;
    tn_tensor *inputs[2];
    tn_tensor *output;
} chain;

static tn_tensor *make_tensor(tn_runtime *runtime) {
    const int64_t extents[] = {FLOATS};
    tn_tensor *tensor;
    bench_check(tn_tensor_create(runtime, TN_F32, 1, extents, &tensor), "tensor");
    for (int i = 0; i < FLOATS; i++) {
        ((float *)tn_tensor_data(tensor))[i] = (float)i;
    }
    return tensor;
}

static chain make_chain(tn_runtime *runtime, tn_device *device, int nodes) {
    chain made = {0};
    uint32_t x, y, node;
    bench_check(tn_graph_create(runtime, &made.graph), "graph");
    bench_check(tn_graph_add_variable(made.graph, "x", NULL, &x), "x");
    bench_check(tn_graph_add_variable(made.graph, "y", NULL, &y), "y");
    tn_value value = {x, 0};
    for (int i = 0; i < nodes; i++) {
        const tn_value inputs[] = {value, {y, 0}};
        bench_check(tn_graph_add_node(made.graph, "elemwise_add", NULL, NULL, 0, inputs, 2, &node),
                    "node");
        value = (tn_value){node, 0};
    }
    bench_check(tn_graph_set_outputs(made.graph, &value, 1), "outputs");
    bench_check(tn_session_create(made.graph, device, NULL, &made.session), "session");
    made.inputs[0] = make_tensor(runtime);
    made.inputs[1] = make_tensor(runtime);
    bench_check(tn_session_run(made.session, made.inputs, &made.output), "run");
    return made;
}

static void finish_chain(chain *made) {
    tn_tensor_release(made->inputs[0]);
    tn_tensor_release(made->inputs[1]);
    tn_tensor_release(made->output);
    tn_session_destroy(made->session);
    tn_graph_destroy(made->graph);
}

static void run_chain(void *context) {
    chain *made = context;
    tn_session_run(made->session, made->inputs, &made->output);
}

typedef struct eager {
    tn_runtime *runtime;
    tn_tensor *inputs[2];
    tn_tensor *output;
} eager;

static void run_eager(void *context) {
    eager *call = context;
    tn_invoke(call->runtime, "elemwise_add", NULL, 0, call->inputs, 2, &call->output, 1);
}

static void run_eager_new_output(void *context) {
    eager *call = context;
    tn_tensor *output = NULL;
    tn_invoke(call->runtime, "elemwise_add", NULL, 0, call->inputs, 2, &output, 1);
    tn_tensor_release(output);
}

/* The kernel alone, called as a plan calls it. */
typedef struct bare_call {
    const tn_kernel *kernel;
    tn_run_call call;
} bare_call;

static void run_bare(void *context) {
    bare_call *bare = context;
    bare->kernel->run(&bare->call);
}

static void measure_bare(tn_runtime *runtime) {
    const char *name;
    bare_call bare = {0};
    tn_tensor *a = make_tensor(runtime), *b = make_tensor(runtime), *c = make_tensor(runtime);
    const tn_view *inputs[] = {tn_tensor_view(a), tn_tensor_view(b)};
    const tn_view *outputs[] = {tn_tensor_view(c)};
    bench_check(tn_op_kernel(runtime, "elemwise_add", 0, &name, &bare.kernel), "kernel");
    if (bare.kernel->prepare == NULL) { /* else it cannot be called by hand */
        bare.call = (tn_run_call){.struct_size = sizeof bare.call,
                                  .input_count = 2,
                                  .output_count = 1,
                                  .inputs = inputs,
                                  .outputs = outputs};
        bench_print("the addition kernel alone, 16 floats", bench_measure(run_bare, &bare), 1, "ns",
                    "");
    }
    tn_tensor_release(a);
    tn_tensor_release(b);
    tn_tensor_release(c);
}

int main(void) {
    tn_runtime *runtime;
    tn_device *device;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(runtime, "cpu", &device), "cpu");
    measure_bare(runtime);

    chain many = make_chain(runtime, device, NODES);
    bench_print("chain of 1,000 additions of 16 floats, a node", bench_measure(run_chain, &many),
                NODES, "ns", "20");
    finish_chain(&many);
    chain one = make_chain(runtime, device, 1);
    bench_print("one run of a plan of one node", bench_measure(run_chain, &one), 1, "ns", "100");
    finish_chain(&one);

    eager call = {runtime, {make_tensor(runtime), make_tensor(runtime)}, make_tensor(runtime)};
    bench_print("eager call by name", bench_measure(run_eager, &call), 1, "ns", "100");
    bench_print("eager call by name, output made and released",
                bench_measure(run_eager_new_output, &call), 1, "ns", "");
    tn_tensor_release(call.inputs[0]);
    tn_tensor_release(call.inputs[1]);
    tn_tensor_release(call.output);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
    return 0;
}
