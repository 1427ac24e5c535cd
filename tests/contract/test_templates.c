/* The templates for authors: each is built as its first comment says, loaded, and used. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/dataset.h>
#include <tenon/device.h>
#include <tenon/invoke.h>
#include <tenon/partition.h>
#include <tenon/pass.h>
#include <tenon/session.h>
#include <tenon/tensor.h>

#include "base/text.h"
#include "zoo.h"

TestSuite(templates, .init = zoo_begin, .fini = zoo_end);

#define BUILD_LINE                                                                                 \
    "cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) sample.c -o sample.so\n"

/* The template's text with its one placeholder replaced. */
static void fill(const char *kind, tni_text *out_text) {
    size_t size;
    const char *text = zoo_read(zoo_text("%s/%s.c", TEMPLATES, kind), &size);
    for (const char *mark = strstr(text, "@NAME@"); mark != NULL; mark = strstr(text, "@NAME@")) {
        tni_text_add_bytes(out_text, text, (size_t)(mark - text));
        tni_text_add(out_text, "sample");
        text = mark + strlen("@NAME@");
    }
    tni_text_add(out_text, "%s", text);
}

/* Builds the template as the line in its first comment says, but stricter and against the headers
 * of the source tree, and loads the result. */
static tni_plugin *build(const char *kind) {
    tni_text text = {0};
    fill(kind, &text);
    const char *line = strstr(text.data, "cc -shared -fPIC ");
    cr_assert_not_null(line, "%s: no line that builds it", kind);
    const char *source = zoo_path("sample.c");
    const char *library = zoo_path("sample.so");
    zoo_write(source, text.data, text.size);
    cr_assert_eq(strncmp(line, BUILD_LINE, strlen(BUILD_LINE)), 0, "%s", line);
    tni_text_finish(&text);
    const char *command =
        zoo_text("cc -shared -fPIC -O2 -I'%s' -Wall -Wextra -Wpedantic -Wconversion -Werror "
                 "'%s' -o '%s'",
                 SDK_INCLUDE, source, library);
    cr_assert_eq(system(command), 0, "%s", command);
    cr_assert_eq(tn_plugin_load(zoo_runtime, library, 0, NULL), TN_OK, "%s", tn_error_message());
    return tni_plugin_find(zoo_runtime, "sample");
}

static tn_tensor *vector(const float *values, int64_t count) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(zoo_runtime, TN_F32, 1, &count, &tensor), TN_OK);
    memcpy(tn_tensor_view(tensor)->data, values, (size_t)count * sizeof values[0]);
    return tensor;
}

Test(templates, operator_is_short) {
    size_t size;
    int lines = 0;
    const char *text = zoo_read(TEMPLATES "/operator.c", &size);
    for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n')) {
        lines++;
    }
    cr_expect_leq(lines, 40);
}

Test(templates, operator) {
    build("operator");
    const char *cpu = zoo_text("%s/cpu.so", getenv("TENON_TEST_BACKENDS"));
    cr_assert_eq(tn_plugin_load(zoo_runtime, cpu, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK, "%s",
                 tn_error_message());
    tn_tensor *input = vector((const float[]){0, 1, -2}, 3);
    tn_tensor *output = NULL;
    cr_assert_eq(tn_invoke(zoo_runtime, "sample", NULL, 0, &input, 1, &output, 1), TN_OK, "%s",
                 tn_error_message());
    const float *values = tn_tensor_view(output)->data;
    cr_expect(values[0] == 1 && values[1] == 3 && values[2] == -3);
    tn_tensor_release(input);
    tn_tensor_release(output);
}

Test(templates, kernel) {
    uint32_t count;
    build("kernel");
    tni_registry_kernels(zoo_runtime, "relu", &count);
    cr_expect_eq(count, 1u);
}

Test(templates, function) {
    char text[32];
    build("function");
    cr_expect_eq(tn_function_call_text(zoo_runtime, "sample", (const char *[]){"3", "4"}, 2, text,
                                       sizeof text),
                 TN_OK);
    cr_expect_str_eq(text, "25");
}

Test(templates, dataset) {
    tn_open_dataset *set;
    tn_tensor *tensors[2] = {NULL, NULL};
    build("dataset");
    cr_assert_eq(tn_dataset_open(zoo_runtime, "sample:count=5", &set), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(tn_dataset_describe(set)->length, 5u);
    cr_assert_eq(tn_dataset_read(set, 3, 2, tensors), TN_OK, "%s", tn_error_message());
    cr_expect_eq(((const float *)tn_tensor_view(tensors[0])->data)[7], 7.0f);
    cr_expect_eq(((const int32_t *)tn_tensor_view(tensors[1])->data)[0], 1);
    cr_expect_eq(tn_dataset_read(set, 4, 2, tensors), TN_OUT_OF_RANGE);
    tn_tensor_release(tensors[0]);
    tn_tensor_release(tensors[1]);
    tn_dataset_close(set);
}

Test(templates, format) {
    tn_tensor_list *list, *again;
    build("format");
    const char *path = zoo_path("list.sample");
    tn_tensor *tensor = vector((const float[]){1, 2, 3}, 3);
    cr_assert_eq(tn_tensor_list_create(zoo_runtime, &list), TN_OK);
    cr_assert_eq(tn_tensor_list_add(list, NULL, tensor), TN_OK);
    cr_assert_eq(tn_tensor_list_write(list, path, "sample"), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_list_read(zoo_runtime, path, &again), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_list_count(again), 1u);
    cr_expect_eq(((const float *)tn_tensor_view(tn_tensor_list_get(again, 0))->data)[2], 3.0f);
    tn_tensor_list_destroy(list);
    tn_tensor_list_destroy(again);
    tn_tensor_release(tensor);
}

/* A node `op` over the last one; the number of it. */
static uint32_t put_node(tn_graph *graph, const char *op, uint32_t input) {
    const tn_value value = {input, 0};
    uint32_t node;
    cr_assert_eq(tn_graph_add_node(graph, op, NULL, NULL, 0, &value, 1, &node), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
    return node;
}

Test(templates, pass) {
    tn_graph *graph;
    uint32_t x, count;
    build("pass");
    const char *math = zoo_text("%s/ops-math.so", getenv("TENON_TEST_PLUGINS"));
    cr_assert_eq(tn_plugin_load(zoo_runtime, math, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_create(zoo_runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    put_node(graph, "floor", put_node(graph, "floor", x));
    cr_assert_eq(tn_graph_run_pass(graph, "sample", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    tn_graph_order(graph, &count);
    cr_expect_eq(count, 3u);
    const tn_option option = {"op", "floor"};
    cr_assert_eq(tn_graph_run_pass(graph, "sample", &option, 1, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    tn_graph_order(graph, &count);
    cr_expect_eq(count, 2u);
    tn_graph_destroy(graph);
}

/* A library that knows nothing of Tenon, and what the loader makes of it. */
Test(templates, loader) {
    char text[32];
    build("loader");
    const char *source = zoo_path("twice.c");
    const char *library = zoo_path("twice.so");
    static const char code[] = "double sample_apply(double x);\n"
                               "double sample_apply(double x) { return 2 * x; }\n";
    zoo_write(source, code, sizeof code - 1);
    cr_assert_eq(system(zoo_text("cc -shared -fPIC '%s' -o '%s'", source, library)), 0);
    cr_assert_eq(tn_plugin_load(zoo_runtime, library, 0, NULL), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_function_call_text(zoo_runtime, "apply.twice", (const char *[]){"21"}, 1, text,
                                       sizeof text),
                 TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(text, "42");
}

/* relu, negative, square: one node, with the same numbers. */
Test(templates, partitioner) {
    tn_graph *graph;
    tn_device *device;
    tn_session *session;
    tn_tensor *input, *result = NULL;
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    uint32_t x;
    const int64_t three = 3;
    build("partitioner");
    static const char *const plugins[] = {"%s/ops-math.so", "%s/../backends/cpu.so"};
    for (int i = 0; i < 2; i++) {
        const char *path = zoo_text(plugins[i], getenv("TENON_TEST_PLUGINS"));
        cr_assert_eq(tn_plugin_load(zoo_runtime, path, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK, "%s",
                     tn_error_message());
    }
    cr_assert_eq(tn_graph_create(zoo_runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    put_node(graph, "square", put_node(graph, "negative", put_node(graph, "relu", x)));
    cr_assert_eq(tn_graph_partition(graph, "sample", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_node(graph, 1, &info), TN_OK);
    cr_expect_str_eq(info.op, "sample");
    cr_assert_eq(tn_tensor_create(zoo_runtime, TN_F32, 1, &three, &input), TN_OK);
    memcpy(tn_tensor_data(input), (const float[]){-2, 3, 0.5f}, 3 * sizeof(float));
    cr_assert_eq(tn_device_open(zoo_runtime, "cpu", &device), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_arr_eq((float *)tn_tensor_data(result), ((const float[]){0, 9, 0.25f}),
                     3 * sizeof(float));
    tn_tensor_release(result);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
    tn_graph_destroy(graph);
}

Test(templates, device) {
    tn_device *device;
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    build("device");
    cr_assert_eq(tn_device_open(zoo_runtime, "sample:0", &device), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_device_describe(device, &info), TN_OK);
    cr_expect_str_eq(info.kind, "other");
    cr_expect_eq(tn_device_memory(device, &usage), TN_OK);
    cr_expect_eq(usage.allocated, 0u);
    tn_device_close(device);
}
