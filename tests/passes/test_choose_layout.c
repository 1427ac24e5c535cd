/* choose-layout on a network with its channels last: it runs, and transposes stand at its ends. */
#include <criterion/criterion.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_graph.h"

static tn_runtime *runtime;
static tn_device *device;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
}

static void tear_down(void) {
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

/* A node, and variables for the inputs that are not given, which inference then types. */
static tn_value node(tn_graph *graph, const char *op, const char *name, const tn_option *options,
                     uint32_t option_count, const tn_value *inputs, uint32_t input_count) {
    tn_value made = {0, 0};
    cr_assert_eq(
        tn_graph_add_node(graph, op, name, options, option_count, inputs, input_count, &made.node),
        TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_complete_inputs(graph, made.node), TN_OK);
    return made;
}

/* Convolution, BatchNorm, relu, Pooling, a second Convolution, a sum over both branches, Concat.
 * `layout` is NHWC or NCHW, and so are the axes. */
static tn_graph *network(const char *layout) {
    const int is_last = strcmp(layout, "NHWC") == 0;
    const tn_option convolution[] = {
        {"kernel", "(3,3)"}, {"pad", "(1,1)"}, {"num_filter", "6"}, {"layout", layout}};
    const tn_option pooling[] = {{"kernel", "(2,2)"}, {"stride", "(2,2)"}, {"layout", layout}};
    const tn_option axis = {"axis", is_last ? "3" : "1"}, relu = {"act_type", "relu"};
    const tn_option dim = {"dim", is_last ? "-1" : "1"};
    const int64_t last[] = {2, 8, 10, 3}, first[] = {2, 3, 8, 10};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, is_last ? last : first)};
    tn_graph *graph;
    tn_value x = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x.node), TN_OK);
    tn_value y = node(graph, "Convolution", "conv0", convolution, 4, &x, 1);
    y = node(graph, "BatchNorm", "norm0", &axis, 1, &y, 1);
    y = node(graph, "Activation", "relu0", &relu, 1, &y, 1);
    y = node(graph, "Pooling", "pool0", pooling, 3, &y, 1);
    const tn_value both[] = {node(graph, "Convolution", "conv1", convolution, 4, &y, 1), y};
    const tn_value parts[] = {node(graph, "elemwise_add", "sum", NULL, 0, both, 2), y};
    y = node(graph, "Concat", "joined", &dim, 1, parts, 2);
    cr_assert_eq(tn_graph_set_outputs(graph, &y, 1), TN_OK);
    cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK, "%s", tn_error_message());
    return graph;
}

/* (batch, channels, rows, columns) as (batch, rows, columns, channels). */
static tn_tensor *turned(tn_tensor *tensor, const char *axes) {
    const tn_option option = {"axes", axes};
    tn_tensor *made = NULL;
    cr_assert_eq(tn_invoke(runtime, "transpose", &option, 1, &tensor, 1, &made, 1), TN_OK);
    return made;
}

/* The same parameters for both layouts, as each has them. */
static void set_parameters(tn_graph *graph, int is_last) {
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        tn_tensor_type type;
        cr_assert_eq(tn_graph_node(graph, i, &info), TN_OK);
        if (info.op != NULL || strcmp(info.name, "x") == 0) {
            continue;
        }
        cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK);
        cr_assert_eq(tn_graph_type(graph, (tn_value){i, 0}, &type), TN_OK);
        int64_t extents[4];
        memcpy(extents, type.shape.extents, sizeof extents);
        if (is_last && type.shape.rank == 4) {
            const int64_t *given = type.shape.extents;
            memcpy(extents, (int64_t[]){given[0], given[3], given[1], given[2]}, sizeof extents);
        }
        tn_tensor *tensor = random_tensor(runtime, i, type.shape.rank, extents);
        for (int64_t k = 0; strstr(info.name, "_var") != NULL && k < extents[0]; k++) {
            ((float *)tn_tensor_data(tensor))[k] += 1.5f;
        }
        if (is_last && type.shape.rank == 4) {
            tn_tensor *moved = turned(tensor, "(0,2,3,1)");
            tn_tensor_release(tensor);
            tensor = moved;
        }
        cr_assert_eq(tn_graph_set_parameter(graph, info.name, tensor), TN_OK);
        tn_tensor_release(tensor);
    }
}

static tn_tensor *run(tn_graph *graph, tn_tensor *input) {
    tn_session *session;
    tn_tensor *output = NULL;
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &output), TN_OK, "%s", tn_error_message());
    tn_session_destroy(session);
    return output;
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

static void apply(tn_graph *graph, const char *pass, const tn_option *option) {
    cr_assert_eq(tn_graph_run_pass(graph, pass, option, option != NULL, NULL, 0), TN_OK, "%s",
                 tn_error_message());
}

Test(choose_layout, makes_channels_last_run, .init = set_up, .fini = tear_down) {
    const int64_t extents[] = {2, 3, 8, 10};
    tn_graph *first = network("NCHW"), *last = network("NHWC");
    tn_tensor *input = random_tensor(runtime, 5, 4, extents);
    tn_tensor *turned_input = turned(input, "(0,2,3,1)");
    tn_session *session;
    tn_tensor *nothing = NULL;
    char message[512];
    set_parameters(first, 0);
    set_parameters(last, 1);
    tn_tensor *direct = run(first, input), *expected = turned(direct, "(0,2,3,1)");
    cr_assert_eq(tn_session_create(last, device, NULL, &session), TN_OK);
    cr_expect_eq(tn_session_run(session, &turned_input, &nothing), TN_UNSUPPORTED);
    cr_expect_not_null(strstr(tn_error_message(), "--pass choose-layout"), "%s",
                       tn_error_message());
    tn_session_destroy(session);
    apply(last, "choose-layout", NULL);
    apply(last, "fold-constants", NULL);
    cr_expect_eq(count_of(last, "transpose"), 2u);
    tn_tensor *got = run(last, turned_input);
    cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(expected), 1e-5, 1e-5, message,
                                 sizeof message),
              "%s", message);
    tn_tensor *const tensors[] = {got, expected, direct, turned_input, input};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        tn_tensor_release(tensors[i]);
    }
    tn_graph_destroy(first);
    tn_graph_destroy(last);
}

/* There and back again: every node is what it was, but for transposes that cancel. */
Test(choose_layout, goes_both_ways, .init = set_up, .fini = tear_down) {
    static const tn_option to_last = {"layout", "channels-last"};
    const int64_t extents[] = {2, 3, 8, 10};
    tn_graph *graph = network("NCHW");
    tn_tensor *input = random_tensor(runtime, 5, 4, extents);
    char message[512];
    set_parameters(graph, 0);
    tn_tensor *expected = run(graph, input);
    const uint32_t nodes = count_nodes(graph, 1);
    apply(graph, "choose-layout", &to_last);
    cr_expect_eq(count_of(graph, "transpose"), 4u); /* two of weights */
    apply(graph, "choose-layout", NULL);
    apply(graph, "fold-constants", NULL);
    apply(graph, "simplify-transpose", NULL);
    cr_expect_eq(count_nodes(graph, 1), nodes);
    tn_tensor *got = run(graph, input);
    cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(expected), 0, 0, message,
                                 sizeof message),
              "%s", message);
    tn_tensor_release(got);
    tn_tensor_release(expected);
    tn_tensor_release(input);
    tn_graph_destroy(graph);
}
