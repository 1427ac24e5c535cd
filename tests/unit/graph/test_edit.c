/* Changing a graph that is there. */
#include "graph_fixture.h"

TestSuite(edit, .init = fixture_set_up, .fini = fixture_tear_down);

static uint32_t first_input(uint32_t node, uint32_t input) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, node, &info), TN_OK);
    return info.inputs[input].node;
}

Test(edit, uses_are_replaced_in_nodes_and_outputs) {
    const tn_value x = variable("x"), y = variable("y");
    const tn_value a = unary("relu", "a", x);
    const tn_value b = binary("elemwise_add", "b", a, a);
    const tn_value outputs[] = {a, b};
    uint32_t count;
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    cr_assert_eq(tn_graph_replace_uses(graph, a, y), TN_OK);
    cr_expect_eq(first_input(b.node, 0), y.node);
    cr_expect_eq(first_input(b.node, 1), y.node);
    cr_expect_eq(tn_graph_outputs(graph, &count)[0].node, y.node);
    cr_expect_eq(tn_graph_outputs(graph, &count)[1].node, b.node);
    cr_expect_eq(tn_graph_replace_uses(graph, a, (tn_value){99, 0}), TN_OUT_OF_RANGE);
}

Test(edit, outputs_keep_their_names_where_they_are) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", "a", x), b = unary("tanh", "b", x);
    cr_assert_eq(tn_graph_set_outputs(graph, (tn_value[]){a, a}, 2), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(graph, 1), "a_output");
    cr_assert_eq(tn_graph_name_output(graph, 1, "scores"), TN_OK);
    cr_expect_eq(tn_graph_name_output(graph, 2, "other"), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_graph_replace_uses(graph, a, b), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(graph, 0), "b_output");
    cr_expect_str_eq(tn_graph_output_name(graph, 1), "scores");
    cr_assert_eq(tn_graph_set_outputs(graph, (tn_value[]){b, x}, 2), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(graph, 1), "scores");
    cr_assert_eq(tn_graph_set_outputs(graph, &b, 1), TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, (tn_value[]){b, x}, 2), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(graph, 1), "x");
    cr_assert_eq(tn_graph_name_output(graph, 0, "first"), TN_OK);
    cr_assert_eq(tn_graph_name_output(graph, 0, NULL), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(graph, 0), "b_output");
    cr_expect_str_eq(tn_graph_output_name(graph, 7), "");
}

Test(edit, a_node_is_put_behind_another) {
    const tn_value x = variable("x");
    const tn_value user = unary("relu", "user", x);
    const tn_value between = unary("tanh", "between", x);
    output(user);
    cr_assert_eq(tn_graph_replace_uses(graph, x, between), TN_OK);
    cr_expect_eq(first_input(user.node, 0), between.node);
    cr_expect_eq(first_input(between.node, 0), x.node);
}

Test(edit, a_used_node_is_not_removed) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", "a", x);
    const tn_value b = unary("relu", "b", a);
    output(b);
    cr_expect_eq(tn_graph_remove_node(graph, a.node), TN_FAILED_PRECONDITION);
    expect_message("node 'a' is still used, by 'b'");
    cr_expect_eq(tn_graph_remove_node(graph, b.node), TN_FAILED_PRECONDITION);
    expect_message("node 'b' is an output of the graph");
}

Test(edit, removed_nodes_leave_holes_until_the_graph_is_compact) {
    const tn_value x = variable("x");
    const tn_value dead = unary("relu", "dead", x);
    const tn_value deader = unary("relu", "deader", dead);
    const tn_value b = unary("tanh", "b", x);
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    output(b);
    cr_assert_eq(tn_graph_remove_node(graph, deader.node), TN_OK);
    cr_assert_eq(tn_graph_remove_node(graph, dead.node), TN_OK);
    cr_expect_eq(tn_graph_node_count(graph), 4u);
    cr_expect_eq(tn_graph_node(graph, dead.node, &info), TN_NOT_FOUND);
    expect_message("node 'dead' was removed");
    cr_expect_eq(tn_graph_find_node(graph, "dead"), TN_NO_NODE);
    cr_expect_eq(tn_graph_find_node(graph, "b"), b.node);
    cr_expect_eq(tn_graph_remove_node(graph, dead.node), TN_NOT_FOUND);
    cr_expect_eq(tn_graph_verify(graph), TN_OK);
    cr_expect_eq(tn_graph_infer(graph, NULL, 0), TN_OK, "%s", tn_error_message());

    char *text;
    cr_assert_eq(tn_graph_to_json(graph, &text), TN_OK); /* a file has no holes */
    cr_expect_null(strstr(text, "dead"));
    cr_expect_not_null(strstr(text, "\"inputs\":[[0,0]]}],"));
    tn_text_free(text);

    cr_assert_eq(tn_graph_compact(graph), TN_OK);
    cr_expect_eq(tn_graph_node_count(graph), 2u);
    cr_expect_eq(tn_graph_find_node(graph, "b"), 1u);
    const tn_value again = unary("relu", "dead", (tn_value){1, 0});
    cr_expect_eq(again.node, 2u);
}

Test(edit, a_graph_with_holes_runs) {
    const tn_value x = variable("x");
    const tn_value dead = unary("relu", "dead", x);
    const tn_value y = unary("negative", "y", x);
    tn_device *device;
    tn_session *session;
    tn_tensor *input = floats_of(2, (const float[]){1, -2}), *result = NULL;
    output(y);
    cr_assert_eq(tn_graph_remove_node(graph, dead.node), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(((float *)tn_tensor_data(result))[1], 2);
    tn_tensor_release(result);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
}

Test(edit, one_input_is_set) {
    const tn_value x = variable("x"), y = variable("y");
    const tn_value sum = binary("elemwise_add", "sum", x, x);
    cr_assert_eq(tn_graph_set_input(graph, sum.node, 1, y), TN_OK);
    cr_expect_eq(first_input(sum.node, 0), x.node);
    cr_expect_eq(first_input(sum.node, 1), y.node);
    cr_expect_eq(tn_graph_set_input(graph, sum.node, 2, y), TN_OUT_OF_RANGE);
    expect_message("node 'sum' has no input 2: it has 2");
}

Test(edit, attributes_are_set_and_taken_away) {
    const tn_value x = variable("x");
    static const char *const shape[] = {"shape", "(2,3)", NULL};
    const tn_value y = node_of("Reshape", "y", &x, 1, shape);
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    tn_tensor_type type;
    output(y);
    cr_assert_eq(tn_graph_set_attribute(graph, y.node, "shape", "(3,2)"), TN_OK);
    cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK);
    cr_assert_eq(tn_graph_type(graph, y, &type), TN_OK);
    cr_expect_eq(type.shape.extents[0], 3);
    cr_assert_eq(tn_graph_set_attribute(graph, y.node, "reverse", "True"), TN_OK);
    cr_assert_eq(tn_graph_node(graph, y.node, &info), TN_OK);
    cr_expect_eq(info.attribute_count, 2u);
    cr_assert_eq(tn_graph_set_attribute(graph, y.node, "reverse", NULL), TN_OK);
    cr_assert_eq(tn_graph_node(graph, y.node, &info), TN_OK);
    cr_expect_eq(info.attribute_count, 1u);
    cr_expect_eq(tn_graph_set_attribute(graph, y.node, "shape", "(3,"), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_graph_set_attribute(graph, x.node, "shape", "1"), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_graph_node(graph, y.node, &info), TN_OK);
    cr_expect_str_eq(info.attributes[0].value, "(3,2)");
}

Test(edit, an_attribute_may_open_an_input) {
    static const char *const attributes[] = {"num_hidden", "2", "no_bias", "True", NULL};
    const tn_value inputs[] = {variable("x"), variable("w")};
    const tn_value y = node_of("FullyConnected", "y", inputs, 2, attributes);
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    output(y);
    cr_assert_eq(tn_graph_set_attribute(graph, y.node, "no_bias", "False"), TN_OK);
    cr_expect_eq(tn_graph_verify(graph), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_graph_complete_inputs(graph, y.node), TN_OK);
    cr_assert_eq(tn_graph_node(graph, y.node, &info), TN_OK);
    cr_expect_eq(info.input_count, 3u);
    cr_expect_eq(tn_graph_set_attribute(graph, y.node, "no_bias", "True"), TN_INVALID_ARGUMENT);
}

Test(edit, attributes_do_not_change_the_number_of_outputs) {
    static const char *const attributes[] = {"num_outputs", "2", "axis", "0", NULL};
    const tn_value x = variable("x");
    const tn_value y = node_of("SliceChannel", "y", &x, 1, attributes);
    cr_expect_eq(tn_graph_set_attribute(graph, y.node, "num_outputs", "3"), TN_FAILED_PRECONDITION);
    expect_message("would change how many outputs there are");
}

Test(edit, names_move) {
    const tn_value x = variable("x");
    const tn_value y = unary("relu", "y", x);
    cr_expect_eq(tn_graph_rename(graph, y.node, "x"), TN_ALREADY_EXISTS);
    cr_assert_eq(tn_graph_rename(graph, y.node, "z"), TN_OK);
    cr_expect_eq(tn_graph_find_node(graph, "z"), y.node);
    cr_expect_eq(tn_graph_find_node(graph, "y"), TN_NO_NODE);
    cr_expect_eq(tn_graph_rename(graph, y.node, "z"), TN_OK);
    cr_expect_eq(tn_graph_rename(graph, y.node, ""), TN_INVALID_ARGUMENT);
}

Test(edit, uses_are_listed) {
    const tn_value x = variable("x");
    const tn_value a = binary("elemwise_add", "a", x, x);
    const tn_value b = unary("relu", "b", x);
    const tn_value outputs[] = {x, b};
    const tn_use *uses;
    uint32_t count;
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    cr_assert_eq(tn_graph_add_control(graph, b.node, a.node), TN_OK);
    cr_assert_eq(tn_graph_uses(graph, x.node, &uses, &count), TN_OK);
    cr_assert_eq(count, 4u);
    cr_expect(uses[0].node == a.node && uses[0].input == 0);
    cr_expect(uses[1].node == a.node && uses[1].input == 1);
    cr_expect(uses[2].node == b.node && uses[2].input == 0);
    cr_expect(uses[3].node == TN_NO_NODE && uses[3].input == 0);
    cr_assert_eq(tn_graph_uses(graph, a.node, &uses, &count), TN_OK);
    cr_expect(count == 1 && uses[0].node == b.node && uses[0].input == TN_USE_CONTROL);
    cr_expect_eq(tn_graph_remove_node(graph, a.node), TN_FAILED_PRECONDITION);
}

/* The uses of a node as they are listed, against a search of the whole graph. */
static void expect_uses(uint32_t number) {
    const tn_use *uses;
    uint32_t listed, found = 0, output_count;
    const tn_value *outputs = tn_graph_outputs(graph, &output_count);
    cr_assert_eq(tn_graph_uses(graph, number, &uses, &listed), TN_OK);
    for (uint32_t i = 0; i < output_count; i++) {
        found += outputs[i].node == number;
    }
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (tn_graph_node(graph, i, &info) == TN_OK) {
            for (uint32_t j = 0; j < info.input_count; j++) {
                found += info.inputs[j].node == number;
            }
            for (uint32_t j = 0; j < info.control_count; j++) {
                found += info.controls[j] == number;
            }
        }
    }
    cr_assert_eq(listed, found, "node %u has %u uses, %u are listed", number, found, listed);
    for (uint32_t i = 0; i < listed; i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (uses[i].node == TN_NO_NODE) {
            cr_assert(outputs[uses[i].input].node == number &&
                      outputs[uses[i].input].output == uses[i].output);
            continue;
        }
        cr_assert_eq(tn_graph_node(graph, uses[i].node, &info), TN_OK);
        cr_assert(uses[i].input == TN_USE_CONTROL ||
                  (info.inputs[uses[i].input].node == number &&
                   info.inputs[uses[i].input].output == uses[i].output));
    }
}

static uint32_t any(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return below == 0 ? 0 : (*state >> 8) % below;
}

/* The result may be a hole: the functions refuse it, and nothing may have changed. */
static tn_value any_value(uint32_t *state) {
    return (tn_value){any(state, tn_graph_node_count(graph)), 0};
}

static void change_something(uint32_t *state, int round) {
    const tn_value a = any_value(state), b = any_value(state);
    char name[32];
    uint32_t node;
    snprintf(name, sizeof name, "n%d", round);
    switch (any(state, 8)) {
    case 0:
    case 1:
        (void)tn_graph_add_node(graph, "elemwise_add", name, NULL, 0, (tn_value[]){a, b}, 2, &node);
        break;
    case 2: (void)tn_graph_replace_uses(graph, a, b); break;
    case 3: (void)tn_graph_set_input(graph, a.node, any(state, 2), b); break;
    case 4: (void)tn_graph_remove_node(graph, a.node); break;
    case 5: (void)tn_graph_add_control(graph, a.node, b.node); break;
    case 6: (void)tn_graph_set_outputs(graph, (tn_value[]){a, b, a}, any(state, 4)); break;
    default:
        if (any(state, 10) == 0) {
            cr_assert_eq(tn_graph_compact(graph), TN_OK);
        }
    }
}

Test(edit, the_uses_listed_are_those_that_a_search_finds) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        uint32_t state = seed;
        fixture_tear_down();
        fixture_set_up();
        (void)variable("x");
        (void)variable("y");
        for (int round = 0; round < 300; round++) {
            change_something(&state, round);
            for (uint32_t i = 0; round % 10 == 0 && i < tn_graph_node_count(graph); i++) {
                tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
                if (tn_graph_node(graph, i, &info) == TN_OK) {
                    expect_uses(i);
                }
            }
        }
    }
}

Test(edit, parameters_come_and_go) {
    uint32_t w;
    tn_tensor *two = floats_of(2, (const float[]){1, 2});
    tn_tensor *three = floats_of(3, (const float[]){1, 2, 3});
    const tn_tensor_type wrong = {TN_F32, 0, tn_shape_of(1, (const int64_t[]){7})};
    cr_assert_eq(tn_graph_add_parameter(graph, "w", two, &w), TN_OK);
    cr_expect_eq(tn_graph_parameter(graph, w), two);
    cr_expect_eq(tn_graph_set_parameter(graph, "w", three), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_graph_set_variable(graph, w, &wrong, three), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_graph_parameter(graph, w), two);
    cr_assert_eq(tn_graph_set_variable(graph, w, NULL, three), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_graph_parameter(graph, w), three);
    cr_assert_eq(tn_graph_set_variable(graph, w, NULL, NULL), TN_OK);
    cr_expect_null(tn_graph_parameter(graph, w));
    const tn_value y = unary("relu", "y", (tn_value){w, 0});
    cr_expect_eq(tn_graph_set_variable(graph, y.node, NULL, two), TN_INVALID_ARGUMENT);
    tn_tensor_release(two);
    tn_tensor_release(three);
}

Test(edit, an_annotation_is_taken_away) {
    const tn_value x = variable("x");
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_annotate(graph, x.node, "a", "1"), TN_OK);
    cr_assert_eq(tn_graph_annotate(graph, x.node, "b", "2"), TN_OK);
    cr_assert_eq(tn_graph_annotate(graph, x.node, "a", NULL), TN_OK);
    cr_assert_eq(tn_graph_node(graph, x.node, &info), TN_OK);
    cr_assert_eq(info.annotation_count, 1u);
    cr_expect_str_eq(info.annotations[0].name, "b");
}
