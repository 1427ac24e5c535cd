/* Passes as transactions: what is wrong is found, named, and leaves the graph as it was. */
#include "graph_fixture.h"

#include <stdlib.h>

/* Two outputs: y = relu(x) + x, and z = tanh(y); all of (2, 3). */
static void set_up(void) {
    fixture_set_up();
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(2, (const int64_t[]){2, 3})};
    uint32_t x;
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x), TN_OK);
    const tn_value a = unary("relu", "a", (tn_value){x, 0});
    const tn_value y = binary("elemwise_add", "y", a, (tn_value){x, 0});
    const tn_value outputs[] = {y, unary("tanh", "z", y)};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
}

TestSuite(pass, .init = set_up, .fini = fixture_tear_down);

static tn_status run_probe(const char *what) {
    const tn_option option = {"what", what};
    return tn_graph_run_pass(graph, "probe", &option, 1, NULL, 0);
}

static void expect_refused(const char *what, tn_status status, const char *message) {
    char *before, *after;
    cr_assert_eq(tn_graph_to_json(graph, &before), TN_OK);
    cr_expect_eq(run_probe(what), status, "%s: %s", what, tn_error_message());
    expect_message(message);
    cr_expect_eq(strncmp(tn_error_message(), "pass probe: ", 12), 0, "%s", tn_error_message());
    cr_assert_eq(tn_graph_to_json(graph, &after), TN_OK);
    cr_expect_str_eq(before, after, "%s", what);
    tn_text_free(before);
    tn_text_free(after);
}

static const char *annotation(const char *node, const char *name) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, node), &info), TN_OK);
    for (uint32_t i = 0; i < info.annotation_count; i++) {
        if (strcmp(info.annotations[i].name, name) == 0) {
            return info.annotations[i].value;
        }
    }
    return "";
}

Test(pass, is_listed_with_its_options) {
    bool found = false;
    for (uint32_t i = 0; i < tn_pass_count(runtime); i++) {
        tn_pass_info info = {.struct_size = TN_PASS_INFO_SIZE};
        cr_assert_eq(tn_pass_get(runtime, i, &info), TN_OK);
        if (strcmp(info.name, "probe") == 0) {
            found = true;
            cr_expect_str_eq(info.plugin, "probe-ops");
            cr_expect_str_eq(info.doc, "For the tests. It does little good.");
            cr_expect_eq(info.option_count, 2u);
            cr_expect_str_eq(info.options[1].name, "text");
        }
    }
    cr_expect(found);
    tn_pass_info info = {.struct_size = TN_PASS_INFO_SIZE};
    cr_expect_eq(tn_pass_get(runtime, tn_pass_count(runtime), &info), TN_OUT_OF_RANGE);
}

Test(pass, changes_the_graph) {
    const tn_option option = {"text", "seen"};
    tn_tensor_type type;
    cr_assert_eq(tn_graph_run_pass(graph, "probe", &option, 1, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_str_eq(annotation("a", "probe"), "seen");
    const uint32_t z = tn_graph_find_node(graph, "z");
    cr_assert_eq(tn_graph_type(graph, (tn_value){z, 0}, &type), TN_OK, "%s", tn_error_message());
    cr_expect_eq(type.shape.extents[1], 3);
}

Test(pass, reads_types_while_it_changes) {
    output((tn_value){tn_graph_find_node(graph, "z"), 0});
    cr_assert_eq(run_probe("write-types"), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(annotation("z", "before"), "2");
    cr_expect_str_eq(annotation("z", "after"), "2");
    cr_expect_str_eq(annotation("added_again", "new"), "-1");
    cr_expect_str_eq(annotation("added_again", "inferred"), "2");
}

Test(pass, takes_types_from_its_caller) {
    static const int64_t good[] = {2, 3}, bad[] = {5, 5};
    tn_named_type known = float_type("x", 2, good);
    cr_expect_eq(tn_graph_run_pass(graph, "probe", NULL, 0, &known, 1), TN_OK);
    known = float_type("x", 2, bad);
    cr_expect_eq(tn_graph_run_pass(graph, "probe", NULL, 0, &known, 1), TN_INVALID_ARGUMENT);
    known = float_type("nobody", 2, good);
    cr_expect_eq(tn_graph_run_pass(graph, "probe", NULL, 0, &known, 1), TN_NOT_FOUND);
}

Test(pass, that_fails_leaves_the_graph) {
    expect_refused("fail", TN_UNSUPPORTED, "pass probe: not today");
    expect_refused("fail-silently", TN_UNSUPPORTED, "this is valid, but nothing here can do it");
}

Test(pass, that_is_wrong_leaves_the_graph) {
    expect_refused("drop-output", TN_FAILED_PRECONDITION, "had 2 outputs and has now 1");
    expect_refused("rename-output", TN_FAILED_PRECONDITION,
                   "node 'other': output 0 was 'y_output' and is now 'other_output'");
    expect_refused("change-type", TN_FAILED_PRECONDITION,
                   "node 'y': output 'y_output' was float32 (2,3) and is now float32 (1,2,3)");
    expect_refused("new-input", TN_FAILED_PRECONDITION,
                   "node 'extra': it must be given to run, and was no input before");
    expect_refused("mismatch", TN_INVALID_ARGUMENT, "node 'y' (elemwise_add): ");
    expect_refused("cycle", TN_INVALID_ARGUMENT, "depends on itself");
    expect_refused("incomplete", TN_INVALID_ARGUMENT,
                   "node 'half' (elemwise_add): input 1 (rhs) is missing");
    expect_refused("remove-used", TN_FAILED_PRECONDITION, "node 'x' is still used");
}

Test(pass, options_are_checked) {
    const tn_option unknown = {"colour", "red"};
    expect_refused("nothing", TN_INVALID_ARGUMENT, "options: ");
    cr_expect_eq(tn_graph_run_pass(graph, "probe", &unknown, 1, NULL, 0), TN_INVALID_ARGUMENT);
    expect_message("colour");
    cr_expect_eq(tn_graph_run_pass(graph, "nobody", NULL, 0, NULL, 0), TN_NOT_FOUND);
    expect_message("no plugin offers the pass nobody");
}

Test(pass, subgraphs_come_along) {
    tn_graph *whole = graph, *inner;
    const tn_value x = {tn_graph_find_node(graph, "x"), 0};
    const tn_value again = unary("probe_repeat", "again", x);
    cr_assert_eq(tn_graph_add_subgraph(graph, again.node, &inner), TN_OK);
    graph = inner;
    output(unary("relu", "inside", variable("item")));
    graph = whole;
    output(again);
    cr_assert_eq(run_probe("annotate"), TN_OK, "%s", tn_error_message());
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, "again"), &info), TN_OK);
    cr_expect_neq(tn_graph_find_node(info.subgraphs[0], "inside"), TN_NO_NODE);
    cr_expect_eq(tn_graph_verify(graph), TN_OK);
}

/* What a pass puts into a graph may hold a graph itself: it is inferred, checked and run. */
Test(pass, may_add_a_subgraph) {
    tn_device *device;
    tn_session *session;
    tn_tensor *results[2] = {NULL};
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    const float values[] = {1, 2, 3, 4, 5, 6};
    const int64_t extents[] = {2, 3};
    tn_tensor *input;
    cr_assert_eq(run_probe("add-subgraph"), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, "y"), &info), TN_OK);
    cr_assert_eq(info.subgraph_count, 1u);
    cr_expect_neq(tn_graph_find_node(info.subgraphs[0], "twice"), TN_NO_NODE);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, extents, &input), TN_OK);
    cr_assert_eq(tn_tensor_write(input, values, sizeof values), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, results), TN_OK, "%s", tn_error_message());
    /* relu(x) + x, doubled as often as probe_repeat does by default: once */
    cr_expect_eq(((const float *)tn_tensor_data(results[0]))[5], 24.0f, "%g",
                 (double)((const float *)tn_tensor_data(results[0]))[5]);
    tn_session_destroy(session);
    tn_device_close(device);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_tensor_release(input);
}

Test(pass, a_subgraph_is_checked_too) {
    expect_refused("add-empty-subgraph", TN_INVALID_ARGUMENT,
                   "node 'y' (probe_repeat): subgraph 0: the graph has no outputs");
}

Test(pass, differences_are_told) {
    tn_graph *before;
    char *text;
    cr_assert_eq(tn_graph_copy(graph, &before), TN_OK);
    cr_assert_eq(tn_graph_diff(before, graph, &text), TN_OK);
    cr_expect_str_eq(text, "");
    tn_text_free(text);
    const tn_value x = {tn_graph_find_node(graph, "x"), 0};
    const uint32_t a = tn_graph_find_node(graph, "a"), y = tn_graph_find_node(graph, "y");
    cr_assert_eq(tn_graph_set_input(graph, y, 0, unary("negative", "b", x)), TN_OK);
    cr_assert_eq(tn_graph_remove_node(graph, a), TN_OK);
    cr_assert_eq(tn_graph_diff(before, graph, &text), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(text, "- a = relu(x)\n"
                           "+ b = negative(x)\n"
                           "- y = elemwise_add(a, x)\n"
                           "+ y = elemwise_add(b, x)\n"
                           "1 removed, 1 added, 1 changed\n");
    tn_text_free(text);
    tn_graph_destroy(before);
}
