/* fold-batch-norm on ONNX's operator, whose further outputs nobody reads, and where it must not. */
#include <criterion/criterion.h>

#include "common/arrays.h"
#include "random_graph.h"

enum { CHANNELS = 5 };

static tn_runtime *runtime;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

static tn_value parameter(tn_graph *graph, const char *name, uint32_t seed, int32_t rank,
                          const int64_t *extents, float more) {
    tn_tensor *tensor = random_tensor(runtime, seed, rank, extents);
    tn_value made = {0, 0};
    float *elements = tn_tensor_data(tensor);
    for (uint64_t i = 0; i < tn_tensor_byte_size(tensor) / sizeof *elements; i++) {
        elements[i] += more;
    }
    cr_assert_eq(tn_graph_add_parameter(graph, name, tensor, &made.node), TN_OK);
    tn_tensor_release(tensor);
    return made;
}

static tn_value node(tn_graph *graph, const char *op, const tn_option *options, uint32_t count,
                     const tn_value *inputs, uint32_t input_count) {
    tn_value made = {0, 0};
    cr_assert_eq(
        tn_graph_add_node(graph, op, NULL, options, count, inputs, input_count, &made.node), TN_OK,
        "%s", tn_error_message());
    return made;
}

/* A convolution and a norm; the graph's outputs are a relu of output 0 and, wanted or not, the
 * norm's output 1. */
static tn_graph *make_graph(const char *training, int wants_statistics) {
    static const tn_option convolution[] = {
        {"kernel", "(2,2)"}, {"num_filter", "5"}, {"no_bias", "True"}};
    const tn_option norm[] = {{"epsilon", "0.25"}, {"training_mode", training}};
    const int64_t data[] = {2, 3, 4, 5}, weight[] = {CHANNELS, 3, 2, 2}, channels[] = {CHANNELS};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, data)};
    tn_graph *graph;
    tn_value inputs[5] = {{0, 0}};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &inputs[0].node), TN_OK);
    inputs[1] = parameter(graph, "weight", 1, 4, weight, 0);
    inputs[0] = node(graph, "Convolution", convolution, 3, inputs, 2);
    inputs[1] = parameter(graph, "scale", 2, 1, channels, 0);
    inputs[2] = parameter(graph, "shift", 3, 1, channels, 0);
    inputs[3] = parameter(graph, "mean", 4, 1, channels, 0);
    inputs[4] = parameter(graph, "variance", 5, 1, channels, 1.5f);
    const tn_value y = node(graph, "onnx.BatchNormalization", norm, 2, inputs, 5);
    const tn_value outputs[] = {node(graph, "relu", NULL, 0, &y, 1), {y.node, 1}};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, wants_statistics ? 2 : 1), TN_OK);
    return graph;
}

static tn_tensor *run(tn_graph *graph, tn_tensor *input) {
    tn_device *device;
    tn_session *session;
    tn_tensor *output = NULL;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &output), TN_OK, "%s", tn_error_message());
    tn_session_destroy(session);
    tn_device_close(device);
    return output;
}

static void fold(tn_graph *graph) {
    cr_assert_eq(tn_graph_run_pass(graph, "fold-batch-norm", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
}

Test(fold_batch_norm, knows_the_operator_of_onnx, .init = set_up, .fini = tear_down) {
    const int64_t extents[] = {2, 3, 4, 5};
    tn_graph *graph = make_graph("False", 0);
    tn_tensor *input = random_tensor(runtime, 9, 4, extents), *before = run(graph, input);
    char message[512];
    cr_expect_eq(count_nodes(graph, 1), 3u);
    fold(graph);
    cr_expect_eq(count_nodes(graph, 1), 2u);
    tn_tensor *after = run(graph, input);
    cr_expect(test_tensors_agree(tn_tensor_view(after), tn_tensor_view(before), 1e-5, 1e-5, message,
                                 sizeof message),
              "%s", message);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_tensor_release(input);
    tn_graph_destroy(graph);
}

Test(fold_batch_norm, leaves_what_is_wanted_besides, .init = set_up, .fini = tear_down) {
    tn_graph *graph = make_graph("False", 1);
    fold(graph);
    cr_expect_eq(count_nodes(graph, 1), 3u);
    tn_graph_destroy(graph);
    graph = make_graph("True", 0);
    fold(graph);
    cr_expect_eq(count_nodes(graph, 1), 3u);
    tn_graph_destroy(graph);
}
