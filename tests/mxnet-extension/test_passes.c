/* Graph passes of extension libraries, in all versions of the library API. */
#include <criterion/parameterized.h>

#include "extension_fixture.h"

#define VERSIONED(name)                                                                            \
    ParameterizedTestParameters(extension_passes, name) {                                          \
        static int versions[] = {7, 10, 11};                                                       \
        return cr_make_param_array(int, versions, 3);                                              \
    }                                                                                              \
    ParameterizedTest(int *version, extension_passes, name, .init = extension_set_up,              \
                      .fini = extension_tear_down)

static const int64_t three = 3;
static const float ones[] = {1, 1, 1}, ramp[] = {1, 2, 3};

static void load_passes(int version) {
    char name[32];
    snprintf(name, sizeof name, "passes_%d", version);
    cr_assert_eq(tn_plugin_load(runtime, extension_path(name), TN_LOAD_ALLOW_WRITABLE, &library),
                 TN_OK, "%s", tn_error_message());
}

static tn_value node_of(tn_graph *graph, const char *op, const char *name, const tn_value *inputs,
                        uint32_t count) {
    uint32_t node;
    cr_assert_eq(tn_graph_add_node(graph, op, name, NULL, 0, inputs, count, &node), TN_OK, "%s",
                 tn_error_message());
    return (tn_value){node, 0};
}

static tn_value parameter(tn_graph *graph, const char *name, const float *values) {
    uint32_t node;
    tn_tensor *tensor = floats(1, &three, values);
    cr_assert_eq(tn_graph_add_variable(graph, name, NULL, &node), TN_OK);
    cr_assert_eq(tn_graph_set_parameter(graph, name, tensor), TN_OK);
    tn_tensor_release(tensor);
    return (tn_value){node, 0};
}

/* relu(x) + w + b */
static tn_graph *make_graph(void) {
    tn_graph *graph;
    uint32_t x;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    const tn_value input = {x, 0};
    const tn_value first[] = {node_of(graph, "relu", "r", &input, 1), parameter(graph, "w", ramp)};
    const tn_value second[] = {node_of(graph, "elemwise_add", "s", first, 2),
                               parameter(graph, "b", ones)};
    const tn_value sum = node_of(graph, "elemwise_add", "out", second, 2);
    cr_assert_eq(tn_graph_set_outputs(graph, &sum, 1), TN_OK);
    cr_assert_eq(tn_graph_annotate(graph, first[0].node, "note", "kept"), TN_OK);
    return graph;
}

static tn_status run_pass(tn_graph *graph, const char *name, const tn_option *options,
                          uint32_t count) {
    const tn_named_type x = {"x", {TN_F32, 0, tn_shape_of(1, &three)}};
    return tn_graph_run_pass(graph, name, options, count, &x, 1);
}

/* The third element of the graph's output for x = (1, 2, 3). */
static float result_of(tn_graph *graph) {
    tn_session *session;
    tn_tensor *x = floats(1, &three, ramp), *result = NULL;
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_session_run(session, &x, &result), TN_OK, "%s", tn_error_message());
    const float value = values_of(result)[2];
    tn_tensor_release(x);
    tn_tensor_release(result);
    tn_session_destroy(session);
    return value;
}

VERSIONED(what_is_not_changed_stays) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(run_pass(graph, "ext_keep", NULL, 0), TN_OK, "%s", tn_error_message());
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, "r"), &info), TN_OK);
    cr_expect_eq(info.annotation_count, 1u);
    cr_expect_eq(tn_graph_node_count(graph), 6u);
    cr_expect_eq(result_of(graph), 7);
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
}

VERSIONED(operators_are_exchanged) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    const tn_option op = {"op", "negative"};
    cr_assert_eq(run_pass(graph, "ext_exchange", &op, 1), TN_OK, "%s", tn_error_message());
    cr_expect_eq(result_of(graph), 1);
    cr_expect_eq(tn_graph_node_count(graph), 6u);
    tn_graph_destroy(graph);
}

VERSIONED(parameters_are_made_and_replaced) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(run_pass(graph, "ext_twice", NULL, 0), TN_OK, "%s", tn_error_message());
    cr_expect_eq(result_of(graph), 3 + 6 + 2);
    cr_expect_eq(tn_graph_find_node(graph, "w"), TN_NO_NODE);
    tn_graph_destroy(graph);
}

/* A node behind an output takes its name. */
VERSIONED(nodes_are_appended) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(run_pass(graph, "ext_append", NULL, 0), TN_OK, "%s", tn_error_message());
    cr_expect_float_eq(result_of(graph), 0.99908895f, 1e-6);
    uint32_t count;
    const tn_value *outputs = tn_graph_outputs(graph, &count);
    cr_expect_str_eq(tn_graph_value_name(graph, outputs[0]), "out_output");
    tn_graph_destroy(graph);
}

/* What a library makes of a model may be another model. */
VERSIONED(outputs_change_their_types) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    const tn_option op = {"op", "sum"};
    tn_tensor_type type;
    cr_assert_eq(run_pass(graph, "ext_append", &op, 1), TN_OK, "%s", tn_error_message());
    const tn_named_type x = {"x", {TN_F32, 0, tn_shape_of(1, &three)}};
    cr_assert_eq(tn_graph_infer(graph, &x, 1), TN_OK);
    uint32_t count;
    cr_assert_eq(tn_graph_type(graph, tn_graph_outputs(graph, &count)[0], &type), TN_OK);
    cr_expect_eq(tn_extent_product(type.shape.extents, 0, type.shape.rank), 1);
    tn_graph_destroy(graph);
}

VERSIONED(outputs_are_added_and_not_taken_away) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    uint32_t count;
    cr_assert_eq(run_pass(graph, "ext_more", NULL, 0), TN_OK, "%s", tn_error_message());
    const tn_value *outputs = tn_graph_outputs(graph, &count);
    cr_assert_eq(count, 2u);
    cr_expect_str_eq(tn_graph_value_name(graph, outputs[0]), "out_output");
    cr_expect_eq(run_pass(graph, "bad_no_output", NULL, 0), TN_FAILED_PRECONDITION);
    cr_expect_eq(tn_graph_outputs(graph, &count)[0].node, tn_graph_find_node(graph, "out"));
    tn_graph_destroy(graph);
}

static void expect_fault(tn_graph *graph, const char *pass, const char *text) {
    cr_expect_neq(run_pass(graph, pass, NULL, 0), TN_OK, "%s", pass);
    expect_message(text);
    expect_message(pass);
    cr_expect_eq(result_of(graph), 7, "%s left something behind", pass);
}

VERSIONED(faults_leave_the_graph_as_it_was) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    expect_fault(graph, "bad_fails", *version == 7 ? "reports a failure" : "does not like it");
    expect_fault(graph, "bad_nothing", "it gave no graph");
    expect_fault(graph, "bad_cut_short", "it gave a text that is no graph");
    expect_fault(graph, "bad_no_heads", "no lists of nodes and heads");
    expect_fault(graph, "bad_input", "is not [node, output] of one of the 6 nodes");
    expect_fault(graph, "bad_cycle", "");
    expect_fault(graph, "bad_parameter", *version == 7 ? "" : "no room for a type 77");
    expect_fault(graph, "ext_exchange", "no plugin offers the operator");
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
}

VERSIONED(types_and_arrays_are_handed_over) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    expect_fault(graph, "bad_shapes", "__ext_shape__\": \"[[3]]\", \"__ext_dtype__\": \"[0]\"");
    expect_fault(graph, "bad_describe", " argument w argument b");
    tn_graph_destroy(graph);
}

/* Shapes are told without types, where they are known alone. */
VERSIONED(shapes_are_handed_over_without_types) {
    load_passes(*version);
    tn_graph *graph;
    uint32_t x;
    const tn_named_type shape = {"x", {0, 0, tn_shape_of(1, &three)}};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    const tn_value input = {x, 0}, output = node_of(graph, "relu", "r", &input, 1);
    cr_assert_eq(tn_graph_set_outputs(graph, &output, 1), TN_OK);
    cr_expect_neq(tn_graph_run_pass(graph, "bad_shapes", NULL, 0, &shape, 1), TN_OK);
    expect_message("__ext_shape__\": \"[[3]]\"}, \"inputs\"");
    tn_graph_destroy(graph);
}

/* The parser in libraries of version 7 ends a string at the first quote. */
VERSIONED(quotes) {
    load_passes(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(tn_graph_annotate(graph, tn_graph_find_node(graph, "r"), "note", "a \"b\""),
                 TN_OK);
    const tn_status status = run_pass(graph, "ext_keep", NULL, 0);
    if (*version == 7) {
        cr_expect_eq(status, TN_UNSUPPORTED);
        expect_message("node 'r': the text a \"b\" has a quote or a backslash");
    } else {
        cr_expect_eq(status, TN_OK, "%s", tn_error_message());
    }
    tn_graph_destroy(graph);
}
