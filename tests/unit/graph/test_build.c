#include "graph_fixture.h"

TestSuite(build, .init = fixture_set_up, .fini = fixture_tear_down);

Test(build, nodes_have_names_of_their_own) {
    uint32_t node;
    variable("x");
    cr_expect_eq(tn_graph_add_variable(graph, "x", NULL, &node), TN_ALREADY_EXISTS);
    expect_message("'x' already");
    cr_expect_eq(tn_graph_add_variable(graph, "", NULL, &node), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_graph_node_count(graph), 1);
}

Test(build, texts_that_are_not_utf8_are_refused) {
    uint32_t node;
    const tn_value x = variable("x");
    const tn_option wrong = {"act_type", "\xff"};
    cr_expect_eq(tn_graph_add_variable(graph, "\x94test", NULL, &node), TN_INVALID_ARGUMENT);
    expect_message("the name of a node is not UTF-8");
    cr_expect_eq(tn_graph_add_node(graph, "Activation", "a", &wrong, 1, &x, 1, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("act_type is not UTF-8");
    cr_expect_eq(tn_graph_annotate(graph, x.node, "note", "\xc3"), TN_INVALID_ARGUMENT);
    expect_message("note is not UTF-8");
    cr_expect_eq(tn_graph_node_count(graph), 1);
}

Test(build, a_name_is_made_when_none_is_given) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", NULL, x), b = unary("relu", NULL, a);
    tn_node_info first = {.struct_size = TN_NODE_INFO_SIZE}, second = first;
    cr_assert_eq(tn_graph_node(graph, a.node, &first), TN_OK);
    cr_assert_eq(tn_graph_node(graph, b.node, &second), TN_OK);
    cr_expect_str_eq(first.name, "relu1");
    cr_expect_str_eq(second.name, "relu2");
}

Test(build, an_unknown_operator_is_named) {
    uint32_t node;
    cr_expect_eq(tn_graph_add_node(graph, "NoSuchThing", "n", NULL, 0, NULL, 0, &node),
                 TN_NOT_FOUND);
    expect_message("node 'n': no plugin offers the operator NoSuchThing");
}

Test(build, a_wrong_attribute_names_node_attribute_and_expectation) {
    uint32_t node;
    const tn_value x = variable("x");
    const tn_option kernel[] = {{"kernel", "(0,3)"}, {"num_filter", "4"}};
    cr_expect_eq(tn_graph_add_node(graph, "Convolution", "conv0", kernel, 2, &x, 1, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("node 'conv0' (Convolution): ");
    expect_message("kernel");
    const tn_option unknown = {"colour", "red"};
    cr_expect_eq(tn_graph_add_node(graph, "relu", "r", &unknown, 1, &x, 1, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("attribute colour is not known");
    const tn_option twice[] = {{"scalar", "1"}, {"scalar", "2"}};
    cr_expect_eq(tn_graph_add_node(graph, "_plus_scalar", "p", twice, 2, &x, 1, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("given twice");
}

Test(build, inputs_must_exist) {
    uint32_t node;
    const tn_value nowhere = {7, 0};
    cr_expect_eq(tn_graph_add_node(graph, "relu", "r", NULL, 0, &nowhere, 1, &node),
                 TN_OUT_OF_RANGE);
    const tn_value x = variable("x"), second = {x.node, 1};
    cr_expect_eq(tn_graph_add_node(graph, "relu", "r", NULL, 0, &second, 1, &node),
                 TN_OUT_OF_RANGE);
    const tn_value both[] = {x, x};
    cr_expect_eq(tn_graph_add_node(graph, "relu", "r", NULL, 0, both, 2, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("2 inputs are given, but it takes 1");
}

Test(build, missing_inputs_are_completed_by_variables) {
    const tn_value x = variable("data");
    const char *attributes[] = {"num_hidden", "5", NULL};
    const tn_value fc = node_of("FullyConnected", "fc1", &x, 1, attributes);
    output(fc);
    cr_expect_eq(tn_graph_verify(graph), TN_INVALID_ARGUMENT);
    expect_message("input 1 (weight) is missing");
    cr_assert_eq(tn_graph_complete_inputs(graph, fc.node), TN_OK);
    cr_expect_neq(tn_graph_find_node(graph, "fc1_weight"), TN_NO_NODE);
    cr_expect_neq(tn_graph_find_node(graph, "fc1_bias"), TN_NO_NODE);
    cr_expect_eq(tn_graph_verify(graph), TN_OK);
    uint32_t count;
    const uint32_t *order = tn_graph_order(graph, &count);
    cr_assert_not_null(order);
    cr_expect_eq(count, 4);
    cr_expect_eq(order[count - 1], fc.node);
}

Test(build, variables_are_told_apart) {
    const tn_value data = variable("data"), label = variable("label"), total = variable("total");
    const tn_value softmax = binary("SoftmaxOutput", "softmax", data, label);
    const tn_value sum = binary("probe_accumulate", "sum", softmax, total);
    output(sum);
    cr_expect_eq(tn_graph_variable_kind(graph, data.node), TN_VARIABLE_INPUT);
    cr_expect_eq(tn_graph_variable_kind(graph, label.node), TN_VARIABLE_TRAINING);
    cr_expect_eq(tn_graph_variable_kind(graph, total.node), TN_VARIABLE_AUXILIARY);
    const float one[] = {1};
    tn_tensor *tensor = floats_of(1, one);
    cr_assert_eq(tn_graph_set_parameter(graph, "data", tensor), TN_OK);
    tn_tensor_release(tensor);
    cr_expect_eq(tn_graph_variable_kind(graph, data.node), TN_VARIABLE_PARAMETER);
}

Test(build, a_parameter_must_have_the_declared_type) {
    const int64_t extents[] = {3};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(1, extents)};
    const float values[] = {1, 2};
    uint32_t node;
    tn_tensor *tensor = floats_of(2, values);
    cr_assert_eq(tn_graph_add_variable(graph, "w", &type, &node), TN_OK);
    cr_expect_eq(tn_graph_set_parameter(graph, "w", tensor), TN_INVALID_ARGUMENT);
    expect_message("parameter 'w' is float32 (2), but the graph declares float32 (3)");
    cr_expect_eq(tn_graph_set_parameter(graph, "v", tensor), TN_NOT_FOUND);
    tn_tensor_release(tensor);
}

Test(build, cycles_are_found) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", "a", x), b = unary("relu", "b", a);
    output(b);
    cr_assert_eq(tn_graph_add_control(graph, a.node, b.node), TN_OK);
    cr_expect_eq(tn_graph_verify(graph), TN_INVALID_ARGUMENT);
    expect_message("depends on itself");
}

Test(build, controls_order_nodes) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", "a", x), b = unary("relu", "b", x);
    uint32_t count;
    output(a);
    cr_assert_eq(tn_graph_add_control(graph, a.node, b.node), TN_OK);
    const uint32_t *order = tn_graph_order(graph, &count);
    cr_assert_eq(count, 3);
    cr_expect_eq(order[1], b.node);
    cr_expect_eq(order[2], a.node);
}

Test(build, value_names) {
    const tn_value x = variable("x");
    const char *attributes[] = {"num_outputs", "2", NULL};
    const tn_value split = node_of("SliceChannel", "split0", &x, 1, attributes);
    cr_expect_str_eq(tn_graph_value_name(graph, x), "x");
    cr_expect_str_eq(tn_graph_value_name(graph, unary("relu", "r", x)), "r_output");
    cr_expect_str_eq(tn_graph_value_name(graph, (tn_value){split.node, 1}), "split0_output1");
}

Test(build, annotations_are_kept_and_replaced) {
    const tn_value x = variable("x");
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_annotate(graph, x.node, "__lr_mult__", "2"), TN_OK);
    cr_assert_eq(tn_graph_annotate(graph, x.node, "__lr_mult__", "3"), TN_OK);
    cr_assert_eq(tn_graph_node(graph, x.node, &info), TN_OK);
    cr_assert_eq(info.annotation_count, 1);
    cr_expect_str_eq(info.annotations[0].value, "3");
}

Test(build, subgraphs_belong_to_operators_that_hold_them) {
    const tn_value x = variable("x");
    tn_graph *subgraph;
    const tn_value plain = unary("relu", "r", x), repeat = unary("probe_repeat", "again", x);
    cr_expect_eq(tn_graph_add_subgraph(graph, plain.node, &subgraph), TN_FAILED_PRECONDITION);
    output(repeat);
    cr_expect_eq(tn_graph_verify(graph), TN_INVALID_ARGUMENT);
    expect_message("it holds 0 subgraphs, expected 1");
    cr_assert_eq(tn_graph_add_subgraph(graph, repeat.node, &subgraph), TN_OK);
    cr_expect_eq(tn_graph_verify(graph), TN_INVALID_ARGUMENT);
    expect_message("subgraph 0: the graph has no outputs");
    cr_expect_eq(tn_graph_add_subgraph(graph, repeat.node, &subgraph), TN_FAILED_PRECONDITION);
}

Test(build, attributes_without_a_row_of_their_own_are_the_rest) {
    const tn_value inputs[] = {variable("x"), variable("y")};
    const char *attributes[] = {"colour", "red", "changes", "1", "any thing", "", NULL};
    const tn_value value = node_of("probe_rest", "r", inputs, 2, attributes);
    cr_expect_eq(tn_graph_input_is_mutated(graph, value.node, 0), 0);
    cr_expect_eq(tn_graph_input_is_mutated(graph, value.node, 1), 1);
    output(value);
    cr_expect_eq(tn_graph_variable_kind(graph, inputs[0].node), TN_VARIABLE_INPUT);
    cr_expect_eq(tn_graph_variable_kind(graph, inputs[1].node), TN_VARIABLE_AUXILIARY);
}

Test(build, a_node_says_which_inputs_it_changes) {
    uint32_t node;
    const tn_value inputs[] = {variable("x"), variable("y")};
    const tn_value plain = node_of("probe_rest", "plain", inputs, 2, NULL);
    cr_expect_eq(tn_graph_input_is_mutated(graph, plain.node, 1), 0);
    const tn_option wrong = {"changes", "2"};
    cr_expect_eq(tn_graph_add_node(graph, "probe_rest", "r", &wrong, 1, inputs, 2, &node),
                 TN_INVALID_ARGUMENT);
    expect_message("node 'r' (probe_rest): it changes input 2, but there are 2");
    cr_expect_eq(tn_graph_set_attribute(graph, plain.node, "changes", "0"), TN_FAILED_PRECONDITION);
    expect_message("attribute changes would change which inputs it changes");
}
