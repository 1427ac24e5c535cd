/* Partitioners and subgraph operators of extension libraries, in all versions of the library API.
 */
#include <criterion/parameterized.h>
#include <math.h>

#include <tenon/partition.h>

#include "extension_fixture.h"

#define VERSIONED(name)                                                                            \
    ParameterizedTestParameters(extension_partitioners, name) {                                    \
        static int versions[] = {7, 10, 11};                                                       \
        return cr_make_param_array(int, versions, 3);                                              \
    }                                                                                              \
    ParameterizedTest(int *version, extension_partitioners, name, .init = extension_set_up,        \
                      .fini = extension_tear_down)

static const int64_t three = 3;
static const float ramp[] = {1, 2, 3};

static void load_partitioners(int version) {
    char name[32];
    snprintf(name, sizeof name, "partitioners_%d", version);
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

/* negative(exp(log(x))) + exp(w): two subgraphs */
static tn_graph *make_graph(void) {
    tn_graph *graph;
    uint32_t x, w;
    tn_tensor *tensor = floats(1, &three, ramp);
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "w", NULL, &w), TN_OK);
    cr_assert_eq(tn_graph_set_parameter(graph, "w", tensor), TN_OK);
    tn_tensor_release(tensor);
    const tn_value inputs[] = {{x, 0}, {w, 0}};
    const tn_value log = node_of(graph, "log", "log", &inputs[0], 1);
    const tn_value exp = node_of(graph, "exp", "exp", &log, 1);
    const tn_value both[] = {node_of(graph, "negative", "negative", &exp, 1),
                             node_of(graph, "exp", "other", &inputs[1], 1)};
    const tn_value sum = node_of(graph, "elemwise_add", "sum", both, 2);
    cr_assert_eq(tn_graph_set_outputs(graph, &sum, 1), TN_OK);
    return graph;
}

static tn_status partition(tn_graph *graph, const char *name, const tn_option *options,
                           uint32_t count) {
    const tn_named_type x = {"x", {TN_F32, 0, tn_shape_of(1, &three)}};
    return tn_graph_partition(graph, name, options, count, &x, 1);
}

/* The second element of the output for x = (1, 2, 3): -2 + e². */
static void expect_result(tn_graph *graph, float plus) {
    tn_session *session;
    tn_tensor *x = floats(1, &three, ramp), *result = NULL;
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                 tn_error_message());
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_run(session, &x, &result), TN_OK, "%s", tn_error_message());
        cr_expect_float_eq(values_of(result)[1], -2 + expf(2) + plus, 1e-4);
    }
    tn_tensor_release(x);
    tn_tensor_release(result);
    tn_session_destroy(session);
}

static const char *attribute_of(const tn_graph *graph, const char *node, const char *name) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, node), &info), TN_OK, "%s",
                 tn_error_message());
    for (uint32_t i = 0; i < info.attribute_count; i++) {
        if (strcmp(info.attributes[i].name, name) == 0) {
            return info.attributes[i].value;
        }
    }
    return "";
}

static void expect_partitioned(int version, const char *name) {
    load_partitioners(version);
    tn_graph *graph = make_graph();
    cr_assert_eq(partition(graph, name, NULL, 0), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_graph_find_node(graph, "log"), TN_NO_NODE);
    cr_expect_eq(tn_graph_find_node(graph, "other"), TN_NO_NODE);
    cr_expect_str_eq(attribute_of(graph, "only0", "seen"), "0 w isArg shapes");
    cr_expect_str_eq(attribute_of(graph, "only1", "seen"), "1 w isArg shapes");
    expect_result(graph, 0);
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
    cr_expect_eq(ask("test_live_states"), version == 11 ? 0 : 2);
}

VERSIONED(supported_nodes_become_subgraphs) {
    expect_partitioned(*version, "ext_supported");
}

VERSIONED(selected_nodes_become_subgraphs) {
    expect_partitioned(*version, "ext_selector");
}

VERSIONED(attributes_of_a_review_reach_the_operator) {
    load_partitioners(*version);
    tn_graph *graph = make_graph();
    const tn_option plus = {"plus", "10"};
    cr_assert_eq(partition(graph, "ext_supported", &plus, 1), TN_OK, "%s", tn_error_message());
    expect_result(graph, 0); /* -(2 + 10) + (e² + 10) */
    cr_expect_str_eq(attribute_of(graph, "only0", "plus"), "10");
    tn_graph_destroy(graph);
}

VERSIONED(a_review_that_rejects_leaves_the_graph) {
    load_partitioners(*version);
    tn_graph *graph = make_graph();
    const tn_option reject = {"reject", "True"};
    cr_assert_eq(partition(graph, "ext_selector", &reject, 1), TN_OK, "%s", tn_error_message());
    cr_expect_neq(tn_graph_find_node(graph, "log"), TN_NO_NODE);
    expect_result(graph, 0);
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
}

/* MXNet's own operator for subgraphs is the host's. */
VERSIONED(subgraphs_can_be_run_as_they_are) {
    load_partitioners(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(partition(graph, "ext_plain", NULL, 0), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_graph_find_node(graph, "log"), TN_NO_NODE);
    expect_result(graph, 0);
    tn_graph_destroy(graph);
}

/* x - exp(w), whose nodes ask for w first, and whose text tells of x first. */
VERSIONED(inputs_are_in_the_order_of_the_text) {
    static const char *const names[] = {"ext_supported", "ext_selector"};
    load_partitioners(*version);
    for (int i = 0; i < 2; i++) {
        tn_graph *graph;
        uint32_t x, w;
        tn_tensor *tensor = floats(1, &three, ramp);
        cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
        cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
        cr_assert_eq(tn_graph_add_parameter(graph, "w", tensor, &w), TN_OK);
        const tn_value input = {w, 0};
        const tn_value both[] = {{x, 0}, node_of(graph, "exp", "exp", &input, 1)};
        const tn_value difference = node_of(graph, "elemwise_sub", "sub", both, 2);
        cr_assert_eq(tn_graph_set_outputs(graph, &difference, 1), TN_OK);
        cr_assert_eq(partition(graph, names[i], NULL, 0), TN_OK, "%s", tn_error_message());
        cr_expect_eq(tn_graph_node_count(graph), 3u);
        tn_session *session;
        tn_tensor *result = NULL;
        cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                     tn_error_message());
        cr_assert_eq(tn_session_run(session, &tensor, &result), TN_OK, "%s", tn_error_message());
        cr_expect_float_eq(values_of(result)[1], 2 - expf(2), 1e-4, "%s", names[i]);
        tn_tensor_release(tensor);
        tn_tensor_release(result);
        tn_session_destroy(session);
        tn_graph_destroy(graph);
    }
}

/* What a library may look for when it makes a state: the types of the outputs, and what the inputs
 * were in the graph. */
VERSIONED(a_state_is_told_of_its_subgraph) {
    load_partitioners(*version);
    tn_graph *graph = make_graph();
    tn_session *session;
    const tn_option tell = {"tell", "True"};
    cr_assert_eq(partition(graph, "ext_supported", &tell, 1), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_set_attribute(graph, tn_graph_find_node(graph, "only1"), "tell", NULL),
                 TN_OK);
    tn_tensor *x = floats(1, &three, ramp), *result = NULL;
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK);
    cr_expect_neq(tn_session_run(session, &x, &result), TN_OK);
    tn_tensor_release(x);
    tn_session_destroy(session);
    expect_message("[[3]][0]\"attrs\": {\"argName\": \"x\", \"isArg\": \"True\", \"isAux\": "
                   "\"False\", \"__ext_shape__\": \"[[3]]\", \"__ext_dtype__\": \"[0]\"");
    tn_graph_destroy(graph);
}

/* The slope of the output's sum by x and by w: -1 and exp(w). */
static void expect_gradients(tn_graph *graph) {
    const uint32_t variables[] = {tn_graph_find_node(graph, "x"), tn_graph_find_node(graph, "w")};
    tn_value slopes[2];
    tn_session *session;
    tn_tensor *x = floats(1, &three, ramp), *results[2] = {NULL, NULL};
    cr_assert_eq(tn_graph_add_gradient(graph, variables, 2, slopes), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, slopes, 2), TN_OK);
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_session_run(session, &x, results), TN_OK, "%s", tn_error_message());
    for (int i = 0; i < 3; i++) {
        cr_expect_float_eq(values_of(results[0])[i], -1, 1e-5);
        cr_expect_float_eq(values_of(results[1])[i], expf(ramp[i]), 1e-4);
    }
    tn_tensor_release(x);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_session_destroy(session);
}

/* By the library where it computes the subgraph, and by the host where that does. */
VERSIONED(gradients_flow_through_subgraphs) {
    static const char *const names[] = {"ext_supported", "ext_plain"};
    load_partitioners(*version);
    for (int i = 0; i < 2; i++) {
        tn_graph *graph = make_graph();
        cr_assert_eq(partition(graph, names[i], NULL, 0), TN_OK, "%s", tn_error_message());
        expect_gradients(graph);
        tn_graph_destroy(graph);
    }
    cr_expect_eq(ask("test_live_blocks"), 0);
    cr_expect_eq(ask("test_live_states"), *version == 11 ? 0 : 2);
}

/* Passes of a library find the graphs that nodes hold, and change the nodes that hold them. */

static void load_passes(int version) {
    char name[32];
    const char *loaded;
    snprintf(name, sizeof name, "passes_%d", version);
    cr_assert_eq(tn_plugin_load(runtime, extension_path(name), TN_LOAD_ALLOW_WRITABLE, &loaded),
                 TN_OK, "%s", tn_error_message());
}

static tn_status run_pass(tn_graph *graph, const char *name, const tn_option *options,
                          uint32_t count) {
    const tn_named_type x = {"x", {TN_F32, 0, tn_shape_of(1, &three)}};
    return tn_graph_run_pass(graph, name, options, count, &x, 1);
}

VERSIONED(a_pass_gives_a_subgraph_node_further_inputs) {
    load_partitioners(*version);
    load_passes(*version);
    tn_graph *graph = make_graph();
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(partition(graph, "ext_supported", NULL, 0), TN_OK, "%s", tn_error_message());
    const tn_status status = run_pass(graph, "ext_extra", NULL, 0);
    if (*version == 7) { /* knows no further inputs */
        cr_expect_eq(status, TN_OUT_OF_RANGE);
        expect_message("'only0' has no input 1: it has 1 and takes 1");
        expect_result(graph, 0);
    } else {
        cr_assert_eq(status, TN_OK, "%s", tn_error_message());
        cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, "only0"), &info), TN_OK);
        cr_expect_eq(info.input_count, 2u);
        expect_result(graph, 5); /* -(x - 5) + exp(w) */
        expect_gradients(graph);
    }
    tn_graph_destroy(graph);
}

VERSIONED(a_pass_changes_nodes_inside_a_subgraph) {
    const tn_option options[] = {{"from", "log"}, {"op", "negative"}};
    load_partitioners(*version);
    load_passes(*version);
    tn_graph *graph = make_graph();
    cr_assert_eq(partition(graph, "ext_plain", NULL, 0), TN_OK, "%s", tn_error_message());
    cr_assert_eq(run_pass(graph, "ext_exchange", options, 2), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_graph_find_node(graph, "log"), TN_NO_NODE);
    expect_result(graph, 2 - expf(-2)); /* -exp(-x) + exp(w) */
    tn_graph_destroy(graph);
}

static void expect_fault(tn_graph *graph, const char *name, const char *text) {
    cr_expect_neq(partition(graph, name, NULL, 0), TN_OK, "%s", name);
    expect_message(text);
    expect_message(name);
    expect_result(graph, 0);
}

VERSIONED(faults_leave_the_graph_as_it_was) {
    load_partitioners(*version);
    tn_graph *graph = make_graph();
    expect_fault(graph, "bad_supported",
                 *version == 7 ? "reports a failure" : "supportedOps does not like it");
    expect_fault(graph, "bad_group", "supportedOps gave the subgraph -9 for a node");
    expect_fault(graph, "bad_selector", "createSelector gave no selector");
    expect_fault(graph, "bad_filter", "Filter keeps node 4711, which was not offered");
    expect_fault(graph, "bad_review", "it threw an exception: nothing pleases it");
    expect_fault(graph, "bad_strategy", "it has neither supportedOps nor a selector");
    expect_fault(graph, "bad_operator", "_nobody_offers_this");
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
}
