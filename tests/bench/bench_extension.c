/*
 * An operator of an MXNet extension library with two dense inputs of 16 floats: the library's
 * exported function called directly, with all arrays laid out, and as a node of a session.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>
#include <tenon/tenon.h>

#include "bench.h"

enum { ELEMENTS = 16, NODES = 100 };

typedef void (*any_function)(void);
typedef int (*compute_function)(any_function, const char *const *, const char *const *, int,
                                const int64_t **, int *, void **, int *, size_t *, const char **,
                                int *, int, const int64_t **, int *, void **, int *, size_t *,
                                const char **, int *, int, any_function, void *, any_function,
                                void *, void *, any_function, void *, int *, int *, void **,
                                void **, void **, void **, int64_t *, int64_t *, int64_t *,
                                int64_t *, void *, void *);
typedef void (*op_function)(int, const char **, int *, const char *const **, any_function **, int *,
                            const char *const **, any_function **, int *, const char *const **,
                            any_function **, int *, any_function *, any_function *, any_function *,
                            any_function *, any_function *);

static void *symbol(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == NULL) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return address;
}

/* The CPU function of the operator; contexts are "gpu" and "cpu" there. */
static any_function find_forward(void *library, const char *wanted) {
    op_function get;
    int (*count)(void);
    void *address = symbol(library, "_opRegGet");
    memcpy(&get, &address, sizeof get);
    address = symbol(library, "_opRegSize");
    memcpy(&count, &address, sizeof count);
    for (int i = 0; i < count(); i++) {
        const char *name;
        int flag, counts[3];
        const char *const *contexts[3];
        any_function *functions[3], others[5];
        get(i, &name, &flag, &contexts[0], &functions[0], &counts[0], &contexts[1], &functions[1],
            &counts[1], &contexts[2], &functions[2], &counts[2], &others[0], &others[1], &others[2],
            &others[3], &others[4]);
        if (strcmp(name, wanted) == 0) {
            return functions[0][counts[0] - 1];
        }
    }
    exit(1);
}

/* A call with everything laid out. */
typedef struct direct_call {
    compute_function compute;
    any_function forward;
} direct_call;

static void call_directly(void *context) {
    static float elements[3][ELEMENTS];
    static const int64_t extent = ELEMENTS;
    static const int64_t *shapes[] = {&extent, &extent};
    static int ranks[] = {1, 1}, types[2], indices[2], storages[2];
    static void *inputs[] = {elements[0], elements[1]}, *outputs[] = {elements[2]}, *none[2];
    static size_t ids[] = {1, 2};
    static const char *devices[] = {"cpu", "cpu"};
    static int64_t lengths[2];
    const direct_call *call = context;
    call->compute(call->forward, NULL, NULL, 0, shapes, ranks, inputs, types, ids, devices, indices,
                  2, shapes, ranks, outputs, types, ids, devices, indices, 1, NULL, NULL, NULL,
                  NULL, NULL, NULL, NULL, storages, storages, none, none, none, none, lengths,
                  lengths, lengths, lengths, NULL, NULL);
}

static bench_figure measure_direct(void *library) {
    direct_call call = {.forward = find_forward(library, "ext_add")};
    void *address = symbol(library, "_opCallFCompute");
    memcpy(&call.compute, &address, sizeof call.compute);
    return bench_measure(call_directly, &call);
}

static tn_session *make_session(tn_runtime *runtime, tn_device *device) {
    tn_graph *graph;
    tn_session *session;
    uint32_t x, node;
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &x), "x");
    tn_value inputs[] = {{x, 0}, {x, 0}};
    for (int i = 0; i < NODES; i++) {
        bench_check(tn_graph_add_node(graph, "ext_add", NULL, NULL, 0, inputs, 2, &node), "node");
        inputs[0] = (tn_value){node, 0};
    }
    bench_check(tn_graph_set_outputs(graph, inputs, 1), "outputs");
    bench_check(tn_session_create(graph, device, NULL, &session), "session");
    tn_graph_destroy(graph);
    return session;
}

typedef struct session_run {
    tn_session *session;
    tn_tensor *input, *output;
} session_run;

static void run_session(void *context) {
    session_run *run = context;
    bench_check(tn_session_run(run->session, &run->input, &run->output), "run");
}

static bench_figure measure_session(tn_runtime *runtime) {
    const int64_t extent = ELEMENTS;
    tn_device *device;
    session_run run = {NULL, NULL, NULL};
    bench_check(tn_device_open(runtime, "cpu:0", &device), "cpu");
    run.session = make_session(runtime, device);
    bench_check(tn_tensor_create(runtime, TN_F32, 1, &extent, &run.input), "tensor");
    memset(tn_tensor_data(run.input), 0, sizeof(float) * ELEMENTS);
    const bench_figure figure = bench_measure(run_session, &run);
    tn_session_destroy(run.session);
    tn_tensor_release(run.input);
    tn_tensor_release(run.output);
    tn_device_close(device);
    return figure;
}

int main(void) {
    static const char path[] = BENCH_BUILD "/tests/mxnet-extension/operators_11.so";
    tn_runtime *runtime;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    bench_check(tn_plugin_load(runtime, path, TN_LOAD_ALLOW_WRITABLE, NULL), path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const bench_figure direct = measure_direct(library);
    const bench_figure nodes = measure_session(runtime);
    const bench_figure added = {nodes.minimum / NODES - direct.minimum,
                                nodes.median / NODES - direct.median};
    bench_print("exported function, called directly", direct, 1, "ns", "");
    bench_print("as a node of a session", nodes, NODES, "ns", "");
    bench_print("what Tenon adds", added, 1, "ns", "150");
    tn_runtime_destroy(runtime);
    return 0;
}
