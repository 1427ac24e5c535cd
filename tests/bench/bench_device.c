/*
 * A device other than the CPU, through the embedding API: bandwidth of element-wise work and of
 * copies, latency of small dispatches and of an empty run, matrix products, and the demo network
 * beside the CPU. Usage: bench_device [DEVICE [MEBIBYTES]]; small sizes suit a software device.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

enum { CHAIN = 1000, PASSES = 20, DEFAULT_MEBIBYTES = 256 };

typedef struct bench {
    tn_runtime *runtime;
    tn_device *device, *cpu;
} bench;

typedef struct job {
    tn_session *session;
    tn_tensor *inputs[2];
    tn_tensor *output;
} job;

static tn_tensor *device_tensor(tn_device *device, tn_dtype dtype, int32_t rank,
                                const int64_t *extents) {
    tn_tensor *tensor;
    bench_check(tn_tensor_create_on(device, dtype, rank, extents, &tensor), "tensor on the device");
    return tensor;
}

/* A device tensor of ones. */
static tn_tensor *ones(const bench *all, tn_device *device, tn_dtype dtype, int32_t rank,
                       const int64_t *extents) {
    tn_tensor *host, *tensor = device_tensor(device, dtype, rank, extents);
    bench_check(tn_tensor_create(all->runtime, dtype, rank, extents, &host), "host tensor");
    const int64_t count = tn_element_count(tn_tensor_view(host));
    for (int64_t i = 0; i < count; i++) {
        if (dtype == TN_F16) {
            ((uint16_t *)tn_tensor_data(host))[i] = 0x3c00;
        } else {
            ((float *)tn_tensor_data(host))[i] = 1;
        }
    }
    bench_check(tn_tensor_copy(host, tensor), "copy to the device");
    tn_tensor_release(host);
    return tensor;
}

/* `count` nodes of a binary operator in a chain: x = op(x, y). */
static tn_session *chain_session(const bench *all, tn_device *device, const char *op, int count) {
    tn_graph *graph;
    tn_session *session;
    uint32_t x, y, node;
    bench_check(tn_graph_create(all->runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &x), "x");
    bench_check(tn_graph_add_variable(graph, "y", NULL, &y), "y");
    tn_value value = {x, 0};
    for (int i = 0; i < count; i++) {
        const tn_value inputs[] = {value, {y, 0}};
        bench_check(tn_graph_add_node(graph, op, NULL, NULL, 0, inputs, 2, &node), op);
        value = (tn_value){node, 0};
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    bench_check(tn_session_create(graph, device, NULL, &session), "session");
    tn_graph_destroy(graph);
    return session;
}

static void run_job(void *context) {
    job *work = context;
    bench_check(tn_session_run(work->session, work->inputs, &work->output), "run");
}

static bench_figure measure_job(job *work) {
    for (int i = 0; i < 3; i++) {
        run_job(work); /* plan, record, replay once */
    }
    return bench_measure(run_job, work);
}

static void finish_job(job *work) {
    tn_tensor_release(work->inputs[0]);
    tn_tensor_release(work->inputs[1]);
    tn_tensor_release(work->output);
    tn_session_destroy(work->session);
}

static job binary_job(const bench *all, const char *op, int count, tn_dtype dtype, int32_t rank,
                      const int64_t *extents) {
    return (job){chain_session(all, all->device, op, count),
                 {ones(all, all->device, dtype, rank, extents),
                  ones(all, all->device, dtype, rank, extents)},
                 NULL};
}

static void measure_elementwise(const bench *all, int64_t mebibytes) {
    const int64_t extents[] = {mebibytes << 18};
    job work = binary_job(all, "elemwise_add", PASSES, TN_F32, 1, extents);
    const bench_figure figure = measure_job(&work);
    const double bytes = 3.0 * (double)(mebibytes << 20) * PASSES;
    printf("%-58s best    %9.1f  median %9.1f GB/s\n",
           "element-wise addition, bytes read and written", bytes / figure.minimum,
           bytes / figure.median);
    finish_job(&work);
}

static void measure_latency(const bench *all) {
    const int64_t extents[] = {16};
    job many = binary_job(all, "elemwise_add", CHAIN, TN_F32, 1, extents);
    run_job(&many);
    const bench_figure replayed = measure_job(&many);
    bench_print("chain of 1,000 dependent additions of 16 floats, a node", replayed, CHAIN * 1e3,
                "us", "");
    finish_job(&many);
    job one = binary_job(all, "elemwise_add", 1, TN_F32, 1, extents);
    bench_print("one run of one node", measure_job(&one), 1e3, "us", "");
    finish_job(&one);
}

/* A chain whose output changes its address each time cannot be replayed. */
static void measure_unrecorded(const bench *all) {
    const int64_t extents[] = {16};
    job many = binary_job(all, "elemwise_add", CHAIN, TN_F32, 1, extents);
    tn_tensor *outputs[2] = {device_tensor(all->device, TN_F32, 1, extents),
                             device_tensor(all->device, TN_F32, 1, extents)};
    double best = 1e30;
    for (int i = 0; i < 40; i++) {
        many.output = outputs[i % 2];
        const double start = bench_seconds();
        run_job(&many);
        const double taken = (bench_seconds() - start) * 1e6;
        best = taken < best ? taken : best;
    }
    printf("%-58s minimum %9.2f us\n", "the same queued anew each time, a node", best / CHAIN);
    many.output = NULL;
    tn_tensor_release(outputs[0]);
    tn_tensor_release(outputs[1]);
    finish_job(&many);
}

typedef struct copy_job {
    tn_tensor *source, *target;
} copy_job;

static void run_copy(void *context) {
    copy_job *work = context;
    bench_check(tn_tensor_copy(work->source, work->target), "copy");
}

static void measure_copies(const bench *all, int64_t mebibytes) {
    const int64_t extents[] = {mebibytes << 18};
    tn_tensor *host, *other;
    bench_check(tn_tensor_create(all->runtime, TN_F32, 1, extents, &host), "host tensor");
    bench_check(tn_tensor_create(all->runtime, TN_F32, 1, extents, &other), "host tensor");
    memset(tn_tensor_data(host), 1, tn_tensor_byte_size(host));
    memset(tn_tensor_data(other), 1, tn_tensor_byte_size(other));
    tn_tensor *device = device_tensor(all->device, TN_F32, 1, extents);
    tn_tensor *second = device_tensor(all->device, TN_F32, 1, extents);
    copy_job jobs[] = {{host, other}, {host, device}, {device, host}, {device, second}};
    static const char *const names[] = {"one thread's memcpy", "host to device, pageable",
                                        "device to host, pageable", "device to device"};
    for (int i = 0; i < 4; i++) {
        run_copy(&jobs[i]);
        const bench_figure figure = bench_measure(run_copy, &jobs[i]);
        const double bytes = (double)(mebibytes << 20);
        printf("%-58s best    %9.1f  median %9.1f GB/s\n", names[i], bytes / figure.minimum,
               bytes / figure.median);
    }
    tn_tensor_release(host);
    tn_tensor_release(other);
    tn_tensor_release(device);
    tn_tensor_release(second);
}

static void measure_product(const bench *all, tn_dtype dtype, int64_t size) {
    const int64_t extents[] = {size, size};
    char what[80];
    job work = binary_job(all, "dot", 1, dtype, 2, extents);
    const bench_figure figure = measure_job(&work);
    const double operations = 2.0 * (double)size * (double)size * (double)size;
    snprintf(what, sizeof what, "matrix product %lld, %s", (long long)size, tn_dtype_text(dtype));
    printf("%-58s best    %9.2f  median %9.2f TFLOP/s\n", what, operations / figure.minimum / 1e3,
           operations / figure.median / 1e3);
    finish_job(&work);
}

static void measure_network(const bench *all, tn_device *device, const char *path, int64_t batch) {
    const int64_t extents[] = {batch, 1, 28, 28};
    char what[80];
    tn_graph *graph;
    job work = {NULL, {NULL, NULL}, NULL};
    bench_check(tn_graph_read(all->runtime, path, NULL, NULL, 0, &graph), "demo network");
    bench_check(tn_session_create(graph, device, NULL, &work.session), "session");
    tn_graph_destroy(graph);
    bench_check(tn_tensor_create(all->runtime, TN_F32, 4, extents, &work.inputs[0]), "pictures");
    memset(tn_tensor_data(work.inputs[0]), 0, tn_tensor_byte_size(work.inputs[0]));
    const bench_figure figure = measure_job(&work);
    snprintf(what, sizeof what, "demo network, batch %lld, on %s", (long long)batch,
             tn_device_name(device));
    printf("%-58s best    %9.0f  median %9.0f samples/s\n", what,
           (double)batch * 1e9 / figure.minimum, (double)batch * 1e9 / figure.median);
    finish_job(&work);
}

int main(int count, char **words) {
    bench all;
    const char *name = count > 1 ? words[1] : "vulkan";
    const int64_t mebibytes = count > 2 ? atoi(words[2]) : DEFAULT_MEBIBYTES;
    const bool small = mebibytes < 64;
    bench_check(tn_runtime_create(NULL, &all.runtime), "runtime");
    bench_check(tn_plugin_load_all(all.runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(all.runtime, "cpu", &all.cpu), "cpu");
    bench_check(tn_device_open(all.runtime, name, &all.device), name);
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    bench_check(tn_device_describe(all.device, &info), "device");
    printf("%s: %s, %s\n", tn_device_name(all.device), info.name, info.driver);
    measure_latency(&all);
    measure_unrecorded(&all);
    measure_elementwise(&all, mebibytes);
    measure_copies(&all, mebibytes * (small ? 1 : 4));
    measure_product(&all, TN_F32, small ? 256 : 4096);
    if (!small) {
        measure_product(&all, TN_F16, 4096);
    }
    const char *model = "docs/examples/fashion-mnist/fashion-mnist-symbol.json";
    for (int64_t batch = 1; batch <= 256; batch *= 256) {
        measure_network(&all, all.device, model, batch);
        measure_network(&all, all.cpu, model, batch);
    }
    tn_device_close(all.device);
    tn_device_close(all.cpu);
    tn_runtime_destroy(all.runtime);
    return 0;
}
