/* fuse-elementwise on a chain that is known: one node is left, and every bit stays. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_graph.h"
#include "run_graph.h"

static tn_runtime *runtime;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

static tn_value node(tn_graph *graph, const char *op, const char *option, const char *value,
                     tn_value first, tn_value second) {
    const tn_option options[] = {{option, value}};
    const tn_value inputs[] = {first, second};
    tn_value made = {0, 0};
    cr_assert_eq(tn_graph_add_node(graph, op, NULL, options, option != NULL, inputs,
                                   second.node == TN_NO_NODE ? 1 : 2, &made.node),
                 TN_OK, "%s", tn_error_message());
    return made;
}

static tn_value parameter(tn_graph *graph, const char *name, int32_t rank, const int64_t *extents) {
    tn_tensor *tensor = random_tensor(runtime, (uint32_t)rank + 7, rank, extents);
    tn_value made = {0, 0};
    cr_assert_eq(tn_graph_add_parameter(graph, name, tensor, &made.node), TN_OK);
    tn_tensor_release(tensor);
    return made;
}

/* A per-channel scale and shift, activations, a scalar on the left, and x once more. */
static tn_graph *chain(int64_t *extents) {
    const tn_value none = {TN_NO_NODE, 0};
    const int64_t channels[] = {extents[1], 1, 1}, columns[] = {extents[3]};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, extents)};
    tn_graph *graph;
    tn_value x = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x.node), TN_OK);
    tn_value y = node(graph, "broadcast_mul", NULL, NULL, x, parameter(graph, "w", 3, channels));
    y = node(graph, "broadcast_add", NULL, NULL, parameter(graph, "b", 1, columns), y);
    y = node(graph, "Activation", "act_type", "relu", y, none);
    y = node(graph, "_rminus_scalar", "scalar", "0.7", y, none);
    y = node(graph, "sigmoid", NULL, NULL, y, none);
    y = node(graph, "elemwise_mul", NULL, NULL, y, x);
    y = node(graph, "_maximum_scalar", "scalar", "-0.25", y, none);
    y = node(graph, "sqrt", NULL, NULL, node(graph, "abs", NULL, NULL, y, none), none);
    cr_assert_eq(tn_graph_set_outputs(graph, &y, 1), TN_OK);
    return graph;
}

/* Runs the chain before on the CPU and after on a device. */
static void compare_on(const char *device, double tolerance) {
    int64_t extents[] = {2, 3, 7, 41}; /* blocks end within rows */
    tn_graph *graph = chain(extents);
    tn_tensor *input = random_tensor(runtime, 3, 4, extents);
    tn_tensor *before = run_graph_on(runtime, graph, "cpu", input);
    char message[512];
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-elementwise", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(count_nodes(graph, 1), 1u);
    tn_tensor *after = run_graph_on(runtime, graph, device, input);
    cr_expect(test_tensors_agree(tn_tensor_view(after), tn_tensor_view(before), tolerance,
                                 tolerance, message, sizeof message),
              "%s", message);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_tensor_release(input);
    tn_graph_destroy(graph);
}

Test(fusion, keeps_every_bit_on_the_cpu, .init = set_up, .fini = tear_down) {
    compare_on("cpu", 0);
}

Test(fusion, gives_the_same_on_a_device, .init = set_up, .fini = tear_down) {
    compare_on("vulkan", 1e-5);
}

/* A value that someone else reads, or that is an output, stays. */
Test(fusion, leaves_values_that_are_read_elsewhere, .init = set_up, .fini = tear_down) {
    const int64_t extents[] = {4};
    const tn_value none = {TN_NO_NODE, 0};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(1, extents)};
    tn_graph *graph;
    tn_value x = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x.node), TN_OK);
    const tn_value shared = node(graph, "exp", NULL, NULL, x, none);
    const tn_value y = node(graph, "sqrt", NULL, NULL, shared, none);
    const tn_value outputs[] = {y, node(graph, "sum", NULL, NULL, shared, none)};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-elementwise", NULL, 0, NULL, 0), TN_OK);
    cr_expect_eq(count_nodes(graph, 1), 3u);
    tn_graph_destroy(graph);
}

/* The batch is not known: what surely keeps its shape is fused all the same. */
Test(fusion, needs_no_more_than_ranks, .init = set_up, .fini = tear_down) {
    int64_t extents[] = {TN_UNKNOWN, 3, 7, 41};
    tn_graph *graph = chain(extents);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-elementwise", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(count_nodes(graph, 1), 1u);
    tn_graph_destroy(graph);
}
