#include "graph_fixture.h"

TestSuite(infer, .init = fixture_set_up, .fini = fixture_tear_down);

static void expect_shape(tn_value value, const char *expected) {
    tn_tensor_type type;
    char text[256];
    cr_assert_eq(tn_graph_type(graph, value, &type), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(tn_shape_text(&type.shape, text, sizeof text), expected);
}

Test(infer, types_flow_to_outputs_and_back_to_weights) {
    const tn_value data = variable("data");
    const char *attributes[] = {"num_hidden", "5", NULL};
    const tn_value fc = node_of("FullyConnected", "fc1", &data, 1, attributes);
    cr_assert_eq(tn_graph_complete_inputs(graph, fc.node), TN_OK);
    const tn_value last = unary("relu", "relu", fc);
    output(last);
    const int64_t extents[] = {2, 3, 4};
    const tn_named_type type = float_type("data", 3, extents);
    cr_assert_eq(tn_graph_infer(graph, &type, 1), TN_OK, "%s", tn_error_message());
    expect_shape(last, "(2,5)");
    expect_shape((tn_value){tn_graph_find_node(graph, "fc1_weight"), 0}, "(5,12)");
    expect_shape((tn_value){tn_graph_find_node(graph, "fc1_bias"), 0}, "(5)");
    tn_tensor_type weight;
    cr_assert_eq(
        tn_graph_type(graph, (tn_value){tn_graph_find_node(graph, "fc1_weight"), 0}, &weight),
        TN_OK);
    cr_expect_eq(weight.dtype, TN_F32);
    cr_expect_eq(weight.storage, TN_STORAGE_DENSE);
}

Test(infer, an_output_can_tell_its_inputs) {
    const int64_t extents[] = {2, 3};
    const tn_value x = variable("x"), y = variable("y");
    const tn_value sum = binary("elemwise_add", "sum", x, y);
    output(sum);
    const tn_named_type type = float_type("y", 2, extents);
    cr_assert_eq(tn_graph_infer(graph, &type, 1), TN_OK);
    expect_shape(x, "(2,3)");
}

Test(infer, partial_knowledge_is_no_failure) {
    const int64_t extents[] = {TN_UNKNOWN, 3};
    const tn_value x = variable("x");
    const tn_value y = unary("relu", "y", x);
    output(y);
    const tn_named_type type = float_type("x", 2, extents);
    cr_assert_eq(tn_graph_infer(graph, &type, 1), TN_OK);
    expect_shape(y, "(?,3)");
    cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK);
    expect_shape(y, "(unknown rank)");
}

Test(infer, contradictions_name_the_node) {
    const int64_t two[] = {2}, three[] = {3};
    const tn_value sum = binary("elemwise_add", "sum", variable("x"), variable("y"));
    output(sum);
    const tn_named_type types[] = {float_type("x", 1, two), float_type("y", 1, three)};
    cr_expect_eq(tn_graph_infer(graph, types, 2), TN_INVALID_ARGUMENT);
    expect_message("infer: node 'sum' (elemwise_add): ");
    tn_tensor_type type;
    cr_expect_eq(tn_graph_type(graph, sum, &type), TN_FAILED_PRECONDITION);
}

Test(infer, an_unknown_name_is_refused) {
    const int64_t two[] = {2};
    output(unary("relu", "y", variable("x")));
    const tn_named_type type = float_type("z", 1, two);
    cr_expect_eq(tn_graph_infer(graph, &type, 1), TN_NOT_FOUND);
    expect_message("no variable 'z'");
}

Test(infer, subgraphs_take_part) {
    const int64_t extents[] = {4};
    const tn_value x = variable("x");
    const tn_value repeat = unary("probe_repeat", "again", x);
    tn_graph *outer = graph;
    cr_assert_eq(tn_graph_add_subgraph(outer, repeat.node, &graph), TN_OK);
    output(unary("relu", "inner", variable("item")));
    graph = outer;
    output(repeat);
    const tn_named_type type = float_type("x", 1, extents);
    cr_assert_eq(tn_graph_infer(graph, &type, 1), TN_OK, "%s", tn_error_message());
    expect_shape(repeat, "(4)");
}

Test(infer, storages_are_inferred_backwards) {
    const tn_value x = variable("x");
    output(unary("probe_sparse", "s", unary("probe_sparse", "first", x)));
    cr_expect_eq(tn_graph_infer(graph, NULL, 0), TN_OK);
    tn_tensor_type type;
    cr_assert_eq(tn_graph_type(graph, x, &type), TN_OK);
    cr_expect_eq(type.storage, TN_STORAGE_ROW_SPARSE);
    const float values[] = {1};
    tn_tensor *dense = floats_of(1, values);
    cr_assert_eq(tn_graph_set_parameter(graph, "x", dense), TN_OK);
    tn_tensor_release(dense);
    cr_expect_eq(tn_graph_infer(graph, NULL, 0), TN_INVALID_ARGUMENT);
}

Test(infer, a_long_chain_settles) {
    const int64_t extents[] = {2};
    tn_value value = variable("x");
    for (int i = 0; i < 2000; i++) {
        value = unary("relu", NULL, value);
    }
    output(value);
    const tn_named_type type = float_type("x", 1, extents);
    cr_assert_eq(tn_graph_infer(graph, &type, 1), TN_OK);
    expect_shape(value, "(2)");
}
