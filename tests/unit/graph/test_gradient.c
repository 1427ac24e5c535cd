#include "graph_fixture.h"

#include <math.h>

TestSuite(gradient, .init = fixture_set_up, .fini = fixture_tear_down);

enum { COUNT = 4 };

/* Runs `graph`, whose inputs are floats of COUNT elements. */
static float *run_graph(tn_device *device, const float *const *inputs, uint32_t input_count,
                        float *result) {
    tn_session *session;
    tn_tensor *tensors[4] = {0}, *outputs[1] = {0};
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_input_count(session), input_count);
    for (uint32_t i = 0; i < input_count; i++) {
        tensors[i] = floats_of(COUNT, inputs[i]);
    }
    cr_assert_eq(tn_session_run(session, tensors, outputs), TN_OK, "%s", tn_error_message());
    memcpy(result, tn_tensor_data(outputs[0]), tn_tensor_byte_size(outputs[0]));
    for (uint32_t i = 0; i < input_count; i++) {
        tn_tensor_release(tensors[i]);
    }
    tn_tensor_release(outputs[0]);
    tn_session_destroy(session);
    return result;
}

static bool has_subgraph(void) {
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (tn_graph_node(graph, i, &info) == TN_OK && info.subgraph_count > 0) {
            return true;
        }
    }
    return false;
}

/* The sum of the graph's output, which is element by element in x. The graph is given to the
 * partitioners first, of which the last is NULL. */
static void expect_gradient_after(const char *const *partitions,
                                  tn_value (*build)(tn_value x, tn_value y)) {
    const float x[COUNT] = {0.3f, 1.2f, 2.5f, 0.7f}, y[COUNT] = {1.5f, 0.4f, 2.0f, 3.0f};
    tn_device *device;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    const tn_value vx = variable("x"), vy = variable("y");
    const tn_value result = build(vx, vy);
    output(result);
    float low[COUNT], high[COUNT], below[COUNT], above[COUNT], got[COUNT];
    const float step = 1.0f / 256;
    for (int i = 0; i < COUNT; i++) {
        below[i] = x[i] - step;
        above[i] = x[i] + step;
    }
    const float *low_inputs[] = {below, y}, *high_inputs[] = {above, y}, *inputs[] = {x, y};
    run_graph(device, low_inputs, 2, low);
    run_graph(device, high_inputs, 2, high);
    for (; *partitions != NULL; partitions++) {
        cr_assert_eq(tn_graph_partition_text(graph, *partitions, NULL, 0), TN_OK, "%s",
                     tn_error_message());
        cr_assert(has_subgraph(), "%s does nothing", *partitions);
    }
    tn_value slope;
    const uint32_t x_node = tn_graph_find_node(graph, "x");
    cr_assert_eq(tn_graph_add_gradient(graph, &x_node, 1, &slope), TN_OK, "%s", tn_error_message());
    cr_assert_neq(slope.node, TN_NO_NODE);
    output(slope);
    run_graph(device, inputs, 2, got);
    for (int i = 0; i < COUNT; i++) {
        const float expected = (high[i] - low[i]) / (2 * step);
        cr_expect_lt(fabsf(got[i] - expected), 2e-3f * (1 + fabsf(expected)),
                     "element %d is %g, expected about %g", i, (double)got[i], (double)expected);
    }
    tn_device_close(device);
}

static void expect_gradient_of(tn_value (*build)(tn_value x, tn_value y)) {
    const char *const none[] = {NULL};
    expect_gradient_after(none, build);
}

static tn_value arithmetic(tn_value x, tn_value y) {
    const tn_value product = binary("elemwise_mul", NULL, x, y);
    const tn_value quotient =
        binary("elemwise_div", NULL, product, binary("elemwise_add", NULL, x, y));
    return binary("elemwise_sub", NULL, quotient, x);
}

static tn_value functions(tn_value x, tn_value y) {
    const tn_value a = unary("exp", NULL, unary("tanh", NULL, x));
    const tn_value b =
        unary("log", NULL, unary("square", NULL, binary("elemwise_add", NULL, a, y)));
    return unary("sigmoid", NULL, b);
}

static tn_value shared(tn_value x, tn_value y) {
    return binary("elemwise_add", NULL, binary("elemwise_mul", NULL, x, x),
                  binary("elemwise_mul", NULL, x, y));
}

Test(gradient, of_arithmetic) {
    expect_gradient_of(arithmetic);
}

Test(gradient, of_functions) {
    expect_gradient_of(functions);
}

Test(gradient, several_flows_are_summed) {
    expect_gradient_of(shared);
}

/* Nodes that stand for subgraphs. */

static const char *const all[] = {"oplist:ops=elemwise_add|elemwise_sub|elemwise_mul|elemwise_div|"
                                  "exp|tanh|square|log|sigmoid",
                                  NULL};
static const char *const some[] = {"oplist:ops=elemwise_mul|elemwise_sub|tanh|square", NULL};
static const char *const nested[] = {
    "oplist:ops=elemwise_mul|tanh|square",
    "oplist:ops=subgraph|elemwise_add|exp|elemwise_div,min_nodes=2", NULL};

Test(gradient, of_a_subgraph) {
    expect_gradient_after(all, arithmetic);
}

Test(gradient, of_a_subgraph_with_functions) {
    expect_gradient_after(all, functions);
}

Test(gradient, flows_that_meet_in_a_subgraph) {
    expect_gradient_after(all, shared);
}

Test(gradient, of_subgraphs_and_nodes) {
    expect_gradient_after(some, arithmetic);
}

Test(gradient, of_several_subgraphs) {
    expect_gradient_after(some, functions);
}

Test(gradient, of_subgraphs_in_subgraphs) {
    expect_gradient_after(nested, arithmetic);
}

Test(gradient, of_subgraphs_in_subgraphs_with_functions) {
    expect_gradient_after(nested, functions);
}

/* d²/dx² of the sum of x³ is 6x. */
Test(gradient, of_the_gradient_of_a_subgraph) {
    const float x[COUNT] = {0.3f, 1.2f, 2.5f, 0.7f}, *inputs[] = {x};
    float got[COUNT];
    tn_device *device;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    const tn_value vx = variable("x");
    output(binary("elemwise_mul", NULL, binary("elemwise_mul", NULL, vx, vx), vx));
    cr_assert_eq(tn_graph_partition_text(graph, all[0], NULL, 0), TN_OK, "%s", tn_error_message());
    for (int i = 0; i < 2; i++) {
        tn_value slope;
        cr_assert_eq(tn_graph_add_gradient(graph, &vx.node, 1, &slope), TN_OK, "%s",
                     tn_error_message());
        output(slope);
    }
    run_graph(device, inputs, 1, got);
    for (int i = 0; i < COUNT; i++) {
        cr_expect_float_eq(got[i], 6 * x[i], 1e-4);
    }
    tn_device_close(device);
}

/* x times how often it has run, as another node counts: what counts is in the first graph alone. */
Test(gradient, nothing_is_computed_twice) {
    const float x[COUNT] = {0.3f, 1.2f, 2.5f, 0.7f}, *inputs[] = {x, x};
    float got[COUNT];
    tn_device *device;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    const tn_value vx = variable("x"), vy = variable("y");
    output(binary("elemwise_mul", NULL, vx, unary("probe_counter", "count", vy)));
    cr_assert_eq(tn_graph_partition_text(graph, "oplist:ops=probe_counter|elemwise_mul", NULL, 0),
                 TN_OK, "%s", tn_error_message());
    tn_value slope;
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    const uint32_t x_node = tn_graph_find_node(graph, "x");
    cr_assert_eq(tn_graph_add_gradient(graph, &x_node, 1, &slope), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_node(graph, slope.node, &info), TN_OK);
    cr_expect_eq(tn_graph_find_node(info.subgraphs[0], "count"), TN_NO_NODE);
    output(slope);
    run_graph(device, inputs, 2, got);
    cr_expect_eq(got[0], 1);
    tn_device_close(device);
}

Test(gradient, a_failure_leaves_subgraphs_as_they_were) {
    const tn_value x = variable("x");
    tn_value slope;
    output(unary("square", NULL, unary("exp", "e", unary("probe_fail", "blocked", x))));
    cr_assert_eq(tn_graph_partition_text(graph, "oplist:ops=exp|square", NULL, 0), TN_OK, "%s",
                 tn_error_message());
    const uint32_t before = tn_graph_node_count(graph);
    uint32_t count;
    const uint32_t holder = tn_graph_outputs(graph, &count)[0].node;
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_expect_eq(tn_graph_add_gradient(graph, &x.node, 1, &slope), TN_UNSUPPORTED);
    expect_message("node 'blocked' (probe_fail): it has no gradient");
    cr_expect_eq(tn_graph_node_count(graph), before);
    cr_assert_eq(tn_graph_node(graph, holder, &info), TN_OK);
    cr_expect_eq(info.output_count, 1u);
    cr_expect_eq(tn_graph_node_count(info.subgraphs[0]), 3u);
    cr_expect_eq(tn_graph_verify(graph), TN_OK, "%s", tn_error_message());
}

Test(gradient, an_operator_without_one_in_a_subgraph_is_named) {
    const tn_value x = variable("x");
    tn_value slope;
    output(unary("exp", NULL, unary("probe_fail", "blocked", x)));
    cr_assert_eq(tn_graph_partition_text(graph, "oplist:ops=exp|probe_fail", NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(tn_graph_add_gradient(graph, &x.node, 1, &slope), TN_UNSUPPORTED);
    expect_message("its subgraph: node 'blocked' (probe_fail): it has no gradient");
}

Test(gradient, an_operator_without_one_is_named_and_nothing_is_added) {
    const tn_value x = variable("x");
    tn_value slope = {1, 2};
    output(unary("probe_fail", "blocked", x));
    const uint32_t before = tn_graph_node_count(graph);
    cr_expect_eq(tn_graph_add_gradient(graph, &x.node, 1, &slope), TN_UNSUPPORTED);
    expect_message("gradient: node 'blocked' (probe_fail): it has no gradient");
    cr_expect_eq(tn_graph_node_count(graph), before);
    cr_expect_eq(slope.output, 2);
}

Test(gradient, a_variable_that_takes_no_part_has_none) {
    const tn_value x = variable("x"), y = variable("y");
    tn_value slope;
    output(unary("exp", "e", x));
    cr_assert_eq(tn_graph_add_gradient(graph, &y.node, 1, &slope), TN_OK);
    cr_expect_eq(slope.node, TN_NO_NODE);
}
