/*
 * A device other than the CPU, through the embedding API: bandwidth of element-wise work and of
 * copies, latency of small dispatches and of an empty run, matrix products and convolutions, and
 * networks beside the CPU. Usage: bench_device [DEVICE [MEBIBYTES [MODELS]]]; small sizes suit a
 * software device, MODELS is a folder with models of 112 x 112 pictures.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/half.h>
#include <tenon/plugin/helpers.h>

enum { CHAIN = 1000, PASSES = 20, PRODUCTS = 10, DEFAULT_MEBIBYTES = 256 };

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

/* Elements of about `size` and of either sign: equal ones would take less power, and so be faster
 * than others. `size` is a power of two, 1 at most. */
static void fill(tn_tensor *host, double size) {
    const int64_t count = tn_element_count(tn_tensor_view(host));
    uint32_t exponent = 15, random = 12345;
    for (; size < 1; size *= 2) {
        exponent--;
    }
    for (int64_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t sign = random >> 31, fraction = random >> 16 & 0x3ff;
        if (tn_tensor_view(host)->dtype == TN_F16) {
            ((uint16_t *)tn_tensor_data(host))[i] =
                (uint16_t)(sign << 15 | exponent << 10 | fraction);
        } else {
            ((float *)tn_tensor_data(host))[i] =
                tn_float_from_bits(sign << 31 | (exponent + 112) << 23 | fraction << 13);
        }
    }
}

/* A device tensor of random elements. */
static tn_tensor *random_tensor(const bench *all, tn_device *device, tn_dtype dtype, int32_t rank,
                                const int64_t *extents, double size) {
    tn_tensor *host, *tensor = device_tensor(device, dtype, rank, extents);
    bench_check(tn_tensor_create(all->runtime, dtype, rank, extents, &host), "host tensor");
    fill(host, size);
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
                 {random_tensor(all, all->device, dtype, rank, extents, 1),
                  random_tensor(all, all->device, dtype, rank, extents, 1.0 / 64)},
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
    tn_tensor *pinned;
    bench_check(tn_tensor_create_pinned(all->device, TN_F32, 1, extents, &pinned), "pinned tensor");
    memset(tn_tensor_data(pinned), 1, tn_tensor_byte_size(pinned));
    static const char *const names[] = {"one thread's memcpy",      "host to device, pageable",
                                        "device to host, pageable", "host to device, pinned",
                                        "device to host, pinned",   "device to device"};
    copy_job jobs[] = {{host, other},    {host, device},   {device, host},
                       {pinned, device}, {device, pinned}, {device, second}};
    for (int i = 0; i < 6; i++) {
        run_copy(&jobs[i]);
        const bench_figure figure = bench_measure(run_copy, &jobs[i]);
        const double bytes = (double)(mebibytes << 20);
        printf("%-58s best    %9.1f  median %9.1f GB/s\n", names[i], bytes / figure.minimum,
               bytes / figure.median);
    }
    tn_tensor_release(pinned);
    tn_tensor_release(host);
    tn_tensor_release(other);
    tn_tensor_release(device);
    tn_tensor_release(second);
}

static void measure_product(const bench *all, tn_dtype dtype, int64_t size) {
    const int64_t extents[] = {size, size};
    char what[80];
    job work = binary_job(all, "dot", PRODUCTS, dtype, 2, extents);
    const bench_figure figure = measure_job(&work);
    const double operations = PRODUCTS * 2.0 * (double)size * (double)size * (double)size;
    snprintf(what, sizeof what, "matrix product %lld, %s", (long long)size, tn_dtype_text(dtype));
    printf("%-58s best    %9.2f  median %9.2f TFLOP/s\n", what, operations / figure.minimum / 1e3,
           operations / figure.median / 1e3);
    finish_job(&work);
}

/* Layers of one kind in a chain, channels to channels. */
static void measure_convolution(const bench *all, tn_dtype dtype, int64_t batch, int64_t channels,
                                int64_t side, const char *kernel, const char *pad, int64_t reach) {
    const int64_t data[] = {batch, channels, side, side};
    const int64_t weight[] = {channels, channels, reach, reach};
    char what[96], filters[16];
    tn_graph *graph;
    uint32_t x, y, node;
    job work = {NULL,
                {random_tensor(all, all->device, dtype, 4, data, 1),
                 random_tensor(all, all->device, dtype, 4, weight, 1.0 / 64)},
                NULL};
    snprintf(filters, sizeof filters, "%lld", (long long)channels);
    const tn_option options[] = {
        {"kernel", kernel}, {"pad", pad}, {"num_filter", filters}, {"no_bias", "True"}};
    bench_check(tn_graph_create(all->runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", NULL, &x), "x");
    bench_check(tn_graph_add_variable(graph, "y", NULL, &y), "y");
    tn_value value = {x, 0};
    for (int i = 0; i < PRODUCTS; i++) {
        const tn_value inputs[] = {value, {y, 0}};
        bench_check(tn_graph_add_node(graph, "Convolution", NULL, options, 4, inputs, 2, &node),
                    "convolution");
        value = (tn_value){node, 0};
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    bench_check(tn_session_create(graph, all->device, NULL, &work.session), "session");
    tn_graph_destroy(graph);
    const bench_figure figure = measure_job(&work);
    const double operations = PRODUCTS * 2.0 * (double)(batch * channels * channels) *
                              (double)(side * side * reach * reach);
    snprintf(what, sizeof what, "convolution %lld x %lld x %lld x %lld, %lldx%lld, %s",
             (long long)batch, (long long)channels, (long long)side, (long long)side,
             (long long)reach, (long long)reach, tn_dtype_text(dtype));
    printf("%-58s best    %9.2f  median %9.2f TFLOP/s\n", what, operations / figure.minimum / 1e3,
           operations / figure.median / 1e3);
    finish_job(&work);
}

static void measure_convolutions(const bench *all) {
    for (int64_t batch = 1; batch <= 256; batch *= 256) {
        for (int half = 0; half < 2; half++) {
            const tn_dtype dtype = half ? TN_F16 : TN_F32;
            measure_convolution(all, dtype, batch, 256, 14, "(3, 3)", "(1, 1)", 3);
            measure_convolution(all, dtype, batch, 256, 14, "(1, 1)", "(0, 0)", 1);
        }
    }
}

/* A model with one input, in pictures of `channels` planes. */
static void measure_network(const bench *all, tn_device *device, const char *name, const char *path,
                            int64_t batch, int64_t channels, int64_t side) {
    const int64_t extents[] = {batch, channels, side, side};
    char what[80];
    tn_graph *graph;
    job work = {NULL, {NULL, NULL}, NULL};
    bench_check(tn_graph_read(all->runtime, path, NULL, NULL, 0, &graph), path);
    bench_check(tn_session_create(graph, device, NULL, &work.session), "session");
    tn_graph_destroy(graph);
    bench_check(tn_tensor_create(all->runtime, TN_F32, 4, extents, &work.inputs[0]), "pictures");
    memset(tn_tensor_data(work.inputs[0]), 0, tn_tensor_byte_size(work.inputs[0]));
    const bench_figure figure = measure_job(&work);
    snprintf(what, sizeof what, "%s, batch %lld, on %s", name, (long long)batch,
             tn_device_name(device));
    bench_print(what, figure, 1e6, "ms", "");
    finish_job(&work);
}

static void measure_networks(const bench *all, const char *models) {
    static const struct {
        const char *name, *path;
        int64_t channels, side;
    } networks[] = {
        {"MobileFaceNet", "mxnet-mobilefacenet/model-symbol.json", 3, 112},
        {"gender and age", "mxnet-insightface-gender-age/model-symbol.json", 3, 112},
    };
    tn_device *const devices[] = {all->device, all->cpu};
    for (int64_t batch = 1; batch <= 256; batch *= 256) {
        for (int d = 0; d < 2; d++) {
            measure_network(all, devices[d], "demo network",
                            "docs/examples/fashion-mnist/fashion-mnist-symbol.json", batch, 1, 28);
        }
        for (size_t i = 0; models != NULL && i < sizeof networks / sizeof *networks; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", models, networks[i].path);
            for (int d = 0; d < 2; d++) {
                measure_network(all, devices[d], networks[i].name, path, batch,
                                networks[i].channels, networks[i].side);
            }
        }
    }
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
        measure_convolutions(&all);
    }
    measure_networks(&all, count > 3 ? words[3] : NULL);
    tn_device_close(all.device);
    tn_device_close(all.cpu);
    tn_runtime_destroy(all.runtime);
    return 0;
}
