/* fuse-convolution: sums and activations of every kind become part of the convolution, by the
 * kernels of either size and of a device, and what others read stays. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_graph.h"
#include "run_graph.h"

static const tn_value none = {TN_NO_NODE, 0};

static tn_runtime *runtime;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

/* What follows a convolution: an operator with up to two attributes. "": x * sigmoid(x). */
typedef struct follower {
    char op[16];
    char options[2][2][16];
} follower;

static const follower followers[] = {
    {"relu", {{"", ""}}},
    {"sigmoid", {{"", ""}}},
    {"tanh", {{"", ""}}},
    {"Activation", {{"act_type", "relu"}}},
    {"Activation", {{"act_type", "softrelu"}}},
    {"LeakyReLU", {{"slope", "0.125"}}},
    {"LeakyReLU", {{"act_type", "elu"}, {"slope", "0.5"}}},
    {"clip", {{"a_min", "-0.25"}, {"a_max", "0.5"}}},
    {"", {{"", ""}}},
};

enum { FOLLOWERS = sizeof followers / sizeof followers[0], NO_FOLLOWER = FOLLOWERS };

static tn_value node(tn_graph *graph, const char *op, const tn_option *options, uint32_t count,
                     tn_value first, tn_value second) {
    const tn_value inputs[] = {first, second};
    tn_value made = {0, 0};
    cr_assert_eq(tn_graph_add_node(graph, op, NULL, options, count, inputs,
                                   second.node == TN_NO_NODE ? 1 : 2, &made.node),
                 TN_OK, "%s", tn_error_message());
    return made;
}

static tn_value follow(tn_graph *graph, const follower *given, tn_value x) {
    tn_option options[2];
    uint32_t count = 0;
    if (given->op[0] == '\0') {
        return node(graph, "elemwise_mul", NULL, 0, x, node(graph, "sigmoid", NULL, 0, x, none));
    }
    for (; count < 2 && given->options[count][0][0] != '\0'; count++) {
        options[count] = (tn_option){given->options[count][0], given->options[count][1]};
    }
    return node(graph, given->op, options, count, x, none);
}

static tn_value parameter(tn_graph *graph, const char *name, uint32_t seed, int32_t rank,
                          const int64_t *extents) {
    tn_tensor *tensor = random_tensor(runtime, seed, rank, extents);
    tn_value made = {0, 0};
    cr_assert_eq(tn_graph_add_parameter(graph, name, tensor, &made.node), TN_OK, "%s",
                 tn_error_message());
    tn_tensor_release(tensor);
    return made;
}

typedef struct fusion_case {
    char device[8];
    int64_t channels, filters, groups, side; /* small ones are left to the plain kernel */
    int32_t has_bias, has_addend;
} fusion_case;

/* 3x3 with a step of 2 and padding. */
static tn_graph *make_graph(const fusion_case *given, uint32_t which) {
    const int64_t extents[] = {2, given->channels, given->side, given->side + 1};
    const int64_t sum[] = {2, given->filters, (given->side + 1) / 2, given->side / 2 + 1};
    const int64_t weight[] = {given->filters, given->channels / given->groups, 3, 3};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, extents)};
    char filters[16], groups[16];
    snprintf(filters, sizeof filters, "%d", (int)given->filters);
    snprintf(groups, sizeof groups, "%d", (int)given->groups);
    const tn_option options[] = {{"kernel", "(3,3)"},   {"stride", "(2,2)"},
                                 {"pad", "(1,1)"},      {"num_filter", filters},
                                 {"num_group", groups}, {"no_bias", given->has_bias ? "0" : "1"}};
    tn_graph *graph;
    tn_value inputs[3] = {{0, 0}}, y = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &inputs[0].node), TN_OK);
    inputs[1] = parameter(graph, "weight", 5, 4, weight);
    if (given->has_bias) {
        inputs[2] = parameter(graph, "bias", 6, 1, &given->filters);
    }
    cr_assert_eq(tn_graph_add_node(graph, "Convolution", "c", options, 6, inputs,
                                   given->has_bias ? 3 : 2, &y.node),
                 TN_OK, "%s", tn_error_message());
    if (given->has_addend) {
        y = node(graph, "elemwise_add", NULL, 0, parameter(graph, "addend", 9, 4, sum), y);
    }
    y = which == NO_FOLLOWER ? y : follow(graph, &followers[which], y);
    cr_assert_eq(tn_graph_set_outputs(graph, &y, 1), TN_OK);
    return graph;
}

static void compare(const fusion_case *given, uint32_t which) {
    const int64_t extents[] = {2, given->channels, given->side, given->side + 1};
    tn_graph *graph = make_graph(given, which);
    tn_tensor *input = random_tensor(runtime, 3, 4, extents);
    tn_tensor *before = run_graph_on(runtime, graph, "cpu", input);
    char message[512];
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-convolution", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(count_nodes(graph, 1), 1u, "follower %u", which);
    tn_tensor *after = run_graph_on(runtime, graph, given->device, input);
    cr_expect(test_tensors_agree(tn_tensor_view(after), tn_tensor_view(before), 1e-5, 1e-5, message,
                                 sizeof message),
              "follower %u: %s", which, message);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_tensor_release(input);
    tn_graph_destroy(graph);
}

ParameterizedTestParameters(fused_convolution, computes_what_the_nodes_did) {
    static fusion_case cases[] = {
        {"cpu", 32, 48, 1, 14, 1, 1},  {"cpu", 32, 48, 1, 14, 0, 1},  {"cpu", 32, 48, 1, 14, 1, 0},
        {"cpu", 32, 32, 32, 20, 0, 1}, {"cpu", 2, 3, 1, 5, 1, 1},     {"cpu", 2, 4, 2, 5, 0, 1},
        {"vulkan", 2, 3, 1, 5, 0, 1},  {"vulkan", 8, 16, 1, 9, 1, 1}, {"vulkan", 2, 4, 2, 5, 1, 0},
        {"vulkan", 6, 6, 6, 9, 1, 1},
    };
    return cr_make_param_array(fusion_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(fusion_case *given, fused_convolution, computes_what_the_nodes_did,
                  .init = set_up, .fini = tear_down) {
    for (uint32_t which = 0; which < FOLLOWERS; which++) {
        compare(given, which);
    }
    if (given->has_addend) {
        compare(given, NO_FOLLOWER);
    }
}

/* In float16 the plain kernel does it, and rounds once where the nodes round three times. */
Test(fused_convolution, is_there_for_half_floats, .init = set_up, .fini = tear_down) {
    static const fusion_case given = {"cpu", 8, 8, 1, 9, 1, 1};
    const int64_t extents[] = {2, 8, 9, 10};
    static const tn_option half = {"to", "float16"};
    char message[512];
    tn_graph *graph = make_graph(&given, 0);
    tn_tensor *input = random_tensor(runtime, 3, 4, extents);
    tn_tensor *before = run_graph_on(runtime, graph, "cpu", input);
    cr_assert_eq(tn_graph_run_pass(graph, "convert-dtype", &half, 1, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-convolution", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    tn_tensor *after = run_graph_on(runtime, graph, "cpu", input);
    cr_expect(test_tensors_agree(tn_tensor_view(after), tn_tensor_view(before), 2e-2, 2e-2, message,
                                 sizeof message),
              "%s", message);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_tensor_release(input);
    tn_graph_destroy(graph);
}

/* The convolution's own result is read by somebody else, or stretched by the sum. */
Test(fused_convolution, leaves_what_others_read, .init = set_up, .fini = tear_down) {
    static const fusion_case given = {"cpu", 2, 3, 1, 5, 1, 0};
    const int64_t wider[] = {2, 2, 3, 3, 3};
    tn_graph *graph = make_graph(&given, NO_FOLLOWER);
    uint32_t count;
    const tn_value y = *tn_graph_outputs(graph, &count);
    const tn_value outputs[] = {node(graph, "relu", NULL, 0, y, none), y};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-convolution", NULL, 0, NULL, 0), TN_OK);
    cr_expect_eq(count_nodes(graph, 1), 2u);
    tn_graph_destroy(graph);

    graph = make_graph(&given, NO_FOLLOWER);
    const tn_value addend = parameter(graph, "addend", 9, 5, wider);
    const tn_value sum =
        node(graph, "broadcast_add", NULL, 0, *tn_graph_outputs(graph, &count), addend);
    cr_assert_eq(tn_graph_set_outputs(graph, &sum, 1), TN_OK);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-convolution", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(count_nodes(graph, 1), 2u);
    tn_graph_destroy(graph);
}

/* Blocks in a row, each of which adds what the one before it gives: all are fused. */
Test(fused_convolution, takes_in_every_sum_of_a_row, .init = set_up, .fini = tear_down) {
    enum { BLOCKS = 5 };
    static const tn_option options[] = {{"kernel", "(1,1)"}, {"num_filter", "3"}, {"no_bias", "1"}};
    const int64_t extents[] = {1, 3, 4, 4}, weight[] = {3, 3, 1, 1};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, extents)};
    tn_graph *graph;
    tn_value x = {0, 0}, y = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x.node), TN_OK);
    const tn_value weights = parameter(graph, "weight", 5, 4, weight);
    for (int i = 0; i < BLOCKS; i++) {
        y = node(graph, "Convolution", options, 3, x, weights);
        x = node(graph, "broadcast_add", NULL, 0, y, x);
        x = i % 2 == 0 ? node(graph, "relu", NULL, 0, x, none) : x;
    }
    cr_assert_eq(tn_graph_set_outputs(graph, &x, 1), TN_OK);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-convolution", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(count_nodes(graph, 1), (uint32_t)BLOCKS);
    tn_graph_destroy(graph);
}

/* An addend of another shape is refused in words. */
Test(fused_convolution, wants_an_addend_like_the_output, .init = set_up, .fini = tear_down) {
    const int64_t data[] = {1, 2, 4, 4}, weight[] = {3, 2, 1, 1}, wrong[] = {1, 3, 4, 5};
    static const tn_option options[] = {
        {"kernel", "(1,1)"}, {"num_filter", "3"}, {"no_bias", "True"}, {"with_addend", "True"}};
    tn_graph *graph;
    tn_value y = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    const tn_value inputs[] = {parameter(graph, "x", 1, 4, data),
                               parameter(graph, "weight", 2, 4, weight),
                               parameter(graph, "addend", 3, 4, wrong)};
    cr_assert_eq(tn_graph_add_node(graph, "fused_convolution", "c", options, 4, inputs, 3, &y.node),
                 TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, &y, 1), TN_OK);
    cr_expect_neq(tn_graph_infer(graph, NULL, 0), TN_OK);
    cr_expect_not_null(strstr(tn_error_message(), "node 'c'"), "%s", tn_error_message());
    tn_graph_destroy(graph);
}
