/* The kernels of oneDNN: none of a usual shape falls back to the library's reference, which is
 * hundreds of times slower, all give what the plain kernels give, and float16 is rounded once. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arrays.h"
#include "common/single_node.h"

static tn_runtime *runtime;
static tn_device *device;
static FILE *report; /* what the library prints of each call */

static bool has_plugin(const char *name) {
    for (uint32_t i = 0; i < tn_plugin_count(runtime); i++) {
        tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
        if (tn_plugin_get(runtime, i, &info) == TN_OK && strcmp(info.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void set_up(void) {
    setenv("DNNL_VERBOSE", "1", 1); /* read when the library computes first */
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    if (!has_plugin("onednn")) {
        cr_skip_test("the plugin onednn is not there");
    }
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    report = tmpfile();
    cr_assert_not_null(report);
    fflush(stdout);
    cr_assert_geq(dup2(fileno(report), STDOUT_FILENO), 0);
}

static void tear_down(void) {
    if (report != NULL) {
        fclose(report);
    }
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(onednn, .init = set_up, .fini = tear_down, .timeout = 120);

enum { MOST_INPUTS = 3, MOST_RANK = 5, MOST_OPTIONS = 5 };

/* A node of a shape that networks have. */
typedef struct usual_node {
    const char *primitive; /* as the library calls it */
    const char *op;
    tn_dtype dtype;
    int64_t inputs[MOST_INPUTS][MOST_RANK + 1]; /* extents, ended by 0 */
    tn_option options[MOST_OPTIONS];
} usual_node;

#define CONVOLUTION(DTYPE, ...)                                                                    \
    { "convolution", "Convolution", DTYPE, __VA_ARGS__ }
#define NO_BIAS                                                                                    \
    { "no_bias", "True" }

static const usual_node nodes[] = {
    CONVOLUTION(TN_F32, {{1, 3, 224, 224}, {64, 3, 7, 7}, {64}},
                {{"kernel", "(7,7)"}, {"stride", "(2,2)"}, {"pad", "(3,3)"}}),
    CONVOLUTION(TN_F32, {{1, 32, 56, 56}, {64, 32, 3, 3}},
                {{"kernel", "(3,3)"}, {"pad", "(1,1)"}, NO_BIAS}),
    CONVOLUTION(TN_F32, {{1, 256, 56, 56}, {64, 256, 1, 1}, {64}}, {{"kernel", "(1,1)"}}),
    CONVOLUTION(TN_F32, {{1, 96, 28, 28}, {96, 1, 3, 3}, {96}},
                {{"kernel", "(3,3)"}, {"pad", "(1,1)"}, {"num_group", "96"}}),
    CONVOLUTION(TN_F32, {{4, 24, 14, 14}, {240, 8, 1, 1}, {240}},
                {{"kernel", "(1,1)"}, {"num_group", "3"}}),
    CONVOLUTION(TN_F32, {{1, 24, 56, 56}, {112, 6, 1, 1}, {112}},
                {{"kernel", "(1,1)"}, {"num_group", "4"}}),
    CONVOLUTION(TN_F32, {{1, 40, 200}, {64, 40, 5}},
                {{"kernel", "(5,)"}, {"pad", "(2,)"}, NO_BIAS}),
    CONVOLUTION(TN_F32, {{1, 16, 8, 28, 28}, {32, 16, 3, 3, 3}},
                {{"kernel", "(3,3,3)"}, {"pad", "(1,1,1)"}, NO_BIAS}),
    CONVOLUTION(TN_F16, {{1, 64, 56, 56}, {64, 64, 3, 3}},
                {{"kernel", "(3,3)"}, {"pad", "(1,1)"}, NO_BIAS}),
    {"pooling|pooling_v2",
     "Pooling",
     TN_F16,
     {{4, 80, 7, 7}}, /* whose last row is not under the window */
     {{"kernel", "(2,2)"}, {"stride", "(2,2)"}}},
    CONVOLUTION(TN_F16, {{6, 1, 28, 28}, {16, 1, 5, 5}, {16}}, {{"kernel", "(5,5)"}}),
    CONVOLUTION(TN_F16, {{6, 16, 14, 14}, {32, 16, 3, 3}, {32}}, {{"kernel", "(3,3)"}}),
    {"deconvolution",
     "Deconvolution",
     TN_F32,
     {{1, 24, 80, 80}, {24, 24, 2, 2}},
     {{"kernel", "(2,2)"}, {"stride", "(2,2)"}}},
    {"deconvolution",
     "Deconvolution",
     TN_F32,
     {{2, 64, 15, 17}, {64, 32, 4, 3}},
     {{"kernel", "(4,3)"}, {"stride", "(2,2)"}, {"pad", "(1,0)"}, {"adj", "(1,0)"}}},
    {"deconvolution",
     "Deconvolution",
     TN_F32,
     {{1, 32, 20, 20}, {32, 16, 5, 5}},
     {{"kernel", "(5,5)"}, {"stride", "(3,3)"}, {"pad", "(2,2)"}, {"num_group", "2"}}},
    {"pooling|pooling_v2",
     "Pooling",
     TN_F32,
     {{1, 64, 112, 112}},
     {{"kernel", "(3,3)"}, {"stride", "(2,2)"}, {"pad", "(1,1)"}}},
    {"pooling|pooling_v2",
     "Pooling",
     TN_F32,
     {{1, 256, 14, 14}},
     {{"global_pool", "True"}, {"pool_type", "avg"}}},
    {"pooling|pooling_v2",
     "Pooling",
     TN_F16,
     {{1, 64, 112, 112}},
     {{"kernel", "(2,2)"}, {"stride", "(2,2)"}}},
    {"inner_product|matmul",
     "FullyConnected",
     TN_F32,
     {{64, 512}, {1000, 512}},
     {{"num_hidden", "1000"}, NO_BIAS}},
    {"softmax|softmax_v2", "softmax", TN_F32, {{12, 128, 128}}, {{NULL, NULL}}},
    {"layer_normalization", "LayerNorm", TN_F32, {{128, 768}, {768}, {768}}, {{"eps", "1e-6"}}},
    {"matmul", "batch_dot", TN_F32, {{12, 128, 64}, {12, 64, 128}}, {{NULL, NULL}}},
    {"matmul", "onnx.MatMul", TN_F32, {{1, 128, 768}, {768, 768}}, {{NULL, NULL}}},
    {"matmul", "onnx.Gemm", TN_F32, {{32, 2048}, {1000, 2048}}, {{"transB", "True"}}},
};

static tn_tensor *numbers(tn_dtype dtype, const int64_t *extents) {
    tn_tensor *tensor;
    int32_t rank = 0;
    while (extents[rank] != 0) {
        rank++;
    }
    cr_assert_eq(tn_tensor_create(runtime, dtype, rank, extents, &tensor), TN_OK);
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(tensor)); i++) {
        test_set_element(tn_tensor_view(tensor), i, (double)(i * 7919 % 257 - 128) / 256);
    }
    return tensor;
}

static int64_t filters_of(const usual_node *node) {
    int64_t groups = 1;
    for (int i = 0; i < MOST_OPTIONS && node->options[i].name != NULL; i++) {
        groups =
            strcmp(node->options[i].name, "num_group") == 0 ? atoi(node->options[i].value) : groups;
    }
    return strcmp(node->op, "Convolution") == 0 ? node->inputs[1][0] : groups * node->inputs[1][1];
}

/* Runs the node in a dtype; the second input is a constant, as weights are, a third one absent. */
static tn_tensor *run_node(const usual_node *node, tn_dtype dtype) {
    tn_tensor *inputs[MOST_INPUTS] = {NULL}, *result = NULL;
    char filters[24];
    tn_option options[MOST_OPTIONS + 1];
    uint32_t input_count = 0, option_count = 0;
    for (; input_count < MOST_INPUTS && node->inputs[input_count][0] != 0; input_count++) {
        inputs[input_count] = numbers(dtype, node->inputs[input_count]);
    }
    for (; option_count < MOST_OPTIONS && node->options[option_count].name != NULL;
         option_count++) {
        options[option_count] = node->options[option_count];
    }
    if (strstr(node->primitive, "convolution") != NULL) {
        snprintf(filters, sizeof filters, "%d", (int)filters_of(node));
        options[option_count++] = (tn_option){"num_filter", filters};
    }
    const uint32_t taken = strcmp(node->op, "onnx.Gemm") == 0 ? 3 : input_count;
    cr_assert_eq(test_run_node(runtime, device, node->op, options, option_count, inputs, taken,
                               input_count > 1 ? 2 : 0, &result, 1, NULL),
                 TN_OK, "%s: %s", node->op, tn_error_message());
    for (uint32_t i = 0; i < input_count; i++) {
        tn_tensor_release(inputs[i]);
    }
    return result;
}

/* The library's lines since `start`: "…,exec,cpu,KIND,IMPLEMENTATION,…". Those of the kind must not
 * be of the reference, and there must be one. */
static void expect_tuned(const usual_node *node, size_t index, long start) {
    char line[1024];
    int calls = 0;
    fseek(report, start, SEEK_SET);
    while (fgets(line, sizeof line, report) != NULL) {
        char kind[40], implementation[80];
        if (sscanf(line, "%*[^,],exec,cpu,%39[^,],%79[^,],", kind, implementation) == 2 &&
            strstr(node->primitive, kind) != NULL) {
            calls++;
            cr_expect(strstr(implementation, "ref") == NULL, "node %zu, %s: %s", index, node->op,
                      line);
        }
    }
    cr_expect(calls > 0, "node %zu, %s, is not computed by the library", index, node->op);
}

Test(onednn, takes_tuned_implementations) {
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        fseek(report, 0, SEEK_END);
        const long start = ftell(report);
        tn_tensor_release(run_node(&nodes[i], nodes[i].dtype));
        fflush(stdout);
        expect_tuned(&nodes[i], i, start);
        fseek(report, 0, SEEK_END);
    }
}

/* What the node gives in a dtype is what it gives in another, rounded to the first. */
static void expect_same(size_t index, tn_dtype dtype, tn_dtype other, double rtol, double atol) {
    char message[512];
    const usual_node *node = &nodes[index];
    const tn_option option = {"dtype", tn_dtype_text(dtype)};
    tn_tensor *got = run_node(node, dtype), *expected = run_node(node, other), *rounded = NULL;
    cr_assert_eq(tn_invoke(runtime, "Cast", &option, 1, &expected, 1, &rounded, 1), TN_OK);
    cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(rounded), rtol, atol, message,
                                 sizeof message),
              "node %zu, %s: %s", index, node->op, message);
    tn_tensor_release(got);
    tn_tensor_release(expected);
    tn_tensor_release(rounded);
}

/* The kernels for float64 are the plain ones. */
Test(onednn, gives_what_float64_gives) {
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        if (nodes[i].dtype == TN_F32) {
            expect_same(i, TN_F32, TN_F64, 1e-4, 1e-4);
        }
    }
}

/* What float16 cannot hold, of elements and of the result, is the only difference. */
Test(onednn, rounds_float16_once) {
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        if (nodes[i].dtype == TN_F16) {
            expect_same(i, TN_F16, TN_F32, 1e-3, 1e-4);
        }
    }
}

/* Rows with -infinity among them, as a mask makes them, and one of nothing else. */
Test(onednn, softmax_of_masked_rows) {
    const int64_t extents[] = {64, 64, 0};
    tn_tensor *results[2] = {NULL, NULL}, *rounded = NULL;
    const tn_dtype dtypes[] = {TN_F32, TN_F64};
    const tn_option option = {"dtype", "float32"};
    char message[512];
    for (int i = 0; i < 2; i++) {
        tn_tensor *rows = numbers(dtypes[i], extents);
        for (int64_t at = 0; at < 64 * 64; at++) {
            if (at % 64 >= at / 64) {
                test_set_element(tn_tensor_view(rows), at, -INFINITY);
            }
        }
        cr_assert_eq(
            test_run_node(runtime, device, "softmax", NULL, 0, &rows, 1, 0, &results[i], 1, NULL),
            TN_OK, "%s", tn_error_message());
        tn_tensor_release(rows);
    }
    cr_assert_eq(tn_invoke(runtime, "Cast", &option, 1, &results[1], 1, &rounded, 1), TN_OK);
    cr_expect(test_tensors_agree(tn_tensor_view(results[0]), tn_tensor_view(rounded), 1e-5, 1e-7,
                                 message, sizeof message),
              "%s", message);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_tensor_release(rounded);
}
