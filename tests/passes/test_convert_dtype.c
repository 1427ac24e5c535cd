/* convert-dtype on a real network: half the weights, the same answers within a thousandth. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"
#include "random_graph.h"

enum { PICTURES = 4 };

static tn_runtime *runtime;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

static tn_graph *read_network(void) {
    char path[4096];
    tn_graph *graph;
    snprintf(path, sizeof path, "%s/docs/examples/fashion-mnist/fashion-mnist-symbol.json",
             getenv("TENON_TEST_SOURCE"));
    cr_assert_eq(tn_graph_read(runtime, path, NULL, NULL, 0, &graph), TN_OK, "%s",
                 tn_error_message());
    return graph;
}

static void apply(tn_graph *graph, const char *pass, const tn_option *option) {
    static const int64_t extents[] = {PICTURES, 1, 28, 28};
    tn_named_type type = {"data", {TN_F32, 0, {.rank = 4}}};
    memcpy(type.type.shape.extents, extents, sizeof extents);
    cr_assert_eq(tn_graph_run_pass(graph, pass, option, option != NULL, &type, 1), TN_OK, "%s",
                 tn_error_message());
}

static tn_tensor *classify(tn_graph *graph, const char *device_name) {
    static const int64_t extents[] = {PICTURES, 1, 28, 28};
    tn_device *device;
    tn_session *session;
    tn_tensor *pictures = random_tensor(runtime, 7, 4, extents), *scores = NULL;
    for (int i = 0; i < PICTURES * 28 * 28; i++) { /* something like a shirt, on black */
        const int row = i / 28 % 28, column = i % 28, picture = i / (28 * 28);
        const int is_inside = row > 3 + picture && row < 25 && column > 6 && column < 22 - picture;
        ((float *)tn_tensor_data(pictures))[i] = is_inside ? (float)(90 + 5 * row + column) : 0;
    }
    if (tn_device_open(runtime, device_name, &device) != TN_OK) {
        cr_skip_test("%s", tn_error_message());
    }
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &pictures, &scores), TN_OK, "%s", tn_error_message());
    cr_assert_eq(test_to_host(runtime, &scores), TN_OK);
    tn_tensor_release(pictures);
    tn_session_destroy(session);
    tn_device_close(device);
    return scores;
}

static uint64_t parameter_bytes(const tn_graph *graph) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        const tn_tensor *tensor = tn_graph_parameter(graph, i);
        bytes += tensor != NULL ? tn_tensor_byte_size(tensor) : 0;
    }
    return bytes;
}

/* How far off all of it is, relative to its size: |got - expected| / |expected|. */
static double distance(const tn_view *got, const tn_view *expected) {
    double off = 0, size = 0;
    cr_assert_eq(tn_element_count(got), tn_element_count(expected));
    for (int64_t i = 0; i < tn_element_count(got); i++) {
        const double difference = test_element(got, i) - test_element(expected, i);
        off += difference * difference;
        size += test_element(expected, i) * test_element(expected, i);
    }
    return sqrt(off / size);
}

static void compare(const char *device, const char *to, double tolerance) {
    const tn_option option = {"to", to};
    tn_graph *graph = read_network();
    apply(graph, "fold-batch-norm", NULL);
    tn_tensor *before = classify(graph, "cpu");
    const uint64_t bytes = parameter_bytes(graph);
    apply(graph, "convert-dtype", &option);
    cr_expect_leq(parameter_bytes(graph), bytes * 11 / 20);
    tn_tensor *after = classify(graph, device);
    const double off = distance(tn_tensor_view(after), tn_tensor_view(before));
    cr_log_info("%s on %s: %.2g off", to, device, off);
    cr_expect_lt(off, tolerance, "%g", off);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_graph_destroy(graph);
}

Test(convert_dtype, to_float16_on_the_cpu, .init = set_up, .fini = tear_down) {
    compare("cpu", "float16", 1e-3);
}

Test(convert_dtype, to_float16_on_a_device, .init = set_up, .fini = tear_down) {
    compare("vulkan", "float16", 1e-3);
}

Test(convert_dtype, to_bfloat16_on_the_cpu, .init = set_up, .fini = tear_down) {
    compare("cpu", "bfloat16", 2e-2);
}

static uint32_t count_of(const tn_graph *graph, const char *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        count +=
            tn_graph_node(graph, i, &info) == TN_OK && info.op != NULL && strcmp(info.op, op) == 0;
    }
    return count;
}

/* One conversion on the way in, one on the way out; what is kept has them around it. */
Test(convert_dtype, converts_at_borders_alone, .init = set_up, .fini = tear_down) {
    static const tn_option keep = {"keep", "Pooling+FullyConnected"};
    tn_graph *graph = read_network();
    apply(graph, "fold-batch-norm", NULL);
    apply(graph, "convert-dtype", NULL);
    cr_expect_eq(count_of(graph, "Cast"), 2u);
    tn_graph_destroy(graph);
    graph = read_network();
    apply(graph, "fold-batch-norm", NULL);
    apply(graph, "convert-dtype", &keep);
    cr_expect_gt(count_of(graph, "Cast"), 2u);
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        tn_tensor_type type;
        if (tn_graph_node(graph, i, &info) == TN_OK && info.op != NULL &&
            strcmp(info.op, "FullyConnected") == 0) {
            cr_assert_eq(tn_graph_type(graph, (tn_value){i, 0}, &type), TN_OK);
            cr_expect_eq(type.dtype, TN_F32);
        }
    }
    tn_graph_destroy(graph);
}
