/* Passes inside nodes: the branches of an If are graphs that passes change, too. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/arrays.h"

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

TestSuite(inside, .init = set_up, .fini = tear_down);

static tn_tensor *scalar(tn_dtype dtype, const void *element, size_t size) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, dtype, 0, NULL, &tensor), TN_OK);
    memcpy(tn_tensor_view(tensor)->data, element, size);
    return tensor;
}

/* op(left, right), or of one input where `right` is NULL. */
static tn_value add(tn_graph *graph, const char *op, const tn_value *left, const tn_value *right) {
    const tn_value inputs[] = {*left, right == NULL ? *left : *right};
    tn_value value = {0, 0};
    cr_assert_eq(
        tn_graph_add_node(graph, op, NULL, NULL, 0, inputs, right == NULL ? 1 : 2, &value.node),
        TN_OK, "%s", tn_error_message());
    return value;
}

/* x + square(square(3)), or relu(x), which does not read `unused`. */
static void add_branch(tn_graph *graph, uint32_t node, int is_first) {
    const float three = 3;
    tn_graph *branch;
    tn_value unused = {0, 0}, x = {0, 0}, constant = {0, 0}, result;
    cr_assert_eq(tn_graph_add_subgraph(graph, node, &branch), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_add_variable(branch, "unused", NULL, &unused.node), TN_OK);
    cr_assert_eq(tn_graph_add_variable(branch, "x", NULL, &x.node), TN_OK);
    if (is_first) {
        tn_tensor *tensor = scalar(TN_F32, &three, sizeof three);
        cr_assert_eq(tn_graph_add_parameter(branch, "three", tensor, &constant.node), TN_OK);
        tn_tensor_release(tensor);
        constant = add(branch, "square", &constant, NULL);
        constant = add(branch, "square", &constant, NULL);
        result = add(branch, "broadcast_add", &x, &constant);
    } else {
        result = add(branch, "relu", &x, NULL);
    }
    cr_assert_eq(tn_graph_set_outputs(branch, &result, 1), TN_OK);
}

static tn_graph *build(void) {
    tn_graph *graph;
    tn_value inputs[3] = {{0, 0}}, output = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "condition", NULL, &inputs[0].node), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "unused", NULL, &inputs[1].node), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &inputs[2].node), TN_OK);
    cr_assert_eq(tn_graph_add_node(graph, "onnx.If", "choice", NULL, 0, inputs, 3, &output.node),
                 TN_OK, "%s", tn_error_message());
    add_branch(graph, output.node, 1);
    add_branch(graph, output.node, 0);
    cr_assert_eq(tn_graph_set_outputs(graph, &output, 1), TN_OK);
    return graph;
}

static float run(tn_graph *graph, uint8_t condition, float x) {
    tn_session *session;
    tn_tensor *inputs[] = {scalar(TN_BOOL, &condition, 1), scalar(TN_F32, &x, sizeof x),
                           scalar(TN_F32, &x, sizeof x)};
    tn_tensor *output = NULL;
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, inputs, &output), TN_OK, "%s", tn_error_message());
    const float result = *(const float *)tn_tensor_view(output)->data;
    tn_tensor_release(output);
    tn_session_destroy(session);
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(inputs[i]);
    }
    return result;
}

static const tn_named_type types[] = {
    {"condition", {.dtype = TN_BOOL}}, {"unused", {.dtype = TN_F32}}, {"x", {.dtype = TN_F32}}};

static void run_pass(tn_graph *graph, const char *pass) {
    cr_assert_eq(tn_graph_run_pass(graph, pass, NULL, 0, types, 3), TN_OK, "%s",
                 tn_error_message());
}

Test(inside, constants_of_a_branch_are_folded) {
    tn_graph *graph = build();
    char *text;
    run_pass(graph, "fold-constants");
    cr_assert_eq(tn_graph_to_json(graph, &text), TN_OK, "%s", tn_error_message());
    cr_expect_null(strstr(text, "\"square\""), "%s", text);
    tn_text_free(text);
    cr_expect_float_eq(run(graph, 1, 2), 83, 0);
    cr_expect_float_eq(run(graph, 0, -2), 0, 0);
    tn_graph_destroy(graph);
}

Test(inside, what_a_branch_does_not_read_stays_its_input) {
    tn_graph *graph = build();
    run_pass(graph, "remove-dead-nodes");
    run_pass(graph, "fuse-elementwise");
    cr_expect_float_eq(run(graph, 1, 2), 83, 0);
    cr_expect_float_eq(run(graph, 0, 2), 2, 0);
    tn_graph_destroy(graph);
}
