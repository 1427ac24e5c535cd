/* The library of docs/mxnet-extensions.md. */
#include "extension_fixture.h"

TestSuite(extension_example, .init = extension_set_up, .fini = extension_tear_down);

Test(extension_example, computes_with_its_gradient) {
    const int64_t four = 4;
    const float values[] = {-2, -1, 1, 2};
    const tn_option slope = {"slope", "0.5"};
    cr_assert_eq(
        tn_plugin_load(runtime, extension_path("leaky_lib"), TN_LOAD_ALLOW_WRITABLE, &library),
        TN_OK, "%s", tn_error_message());
    tn_graph *graph;
    tn_session *session;
    uint32_t x, node;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    const tn_value input = {x, 0};
    cr_assert_eq(tn_graph_add_node(graph, "my_leaky", "leaky", &slope, 1, &input, 1, &node), TN_OK,
                 "%s", tn_error_message());
    tn_value outputs[] = {{node, 0}, {0, 0}};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 1), TN_OK);
    cr_assert_eq(tn_graph_add_gradient(graph, &x, 1, &outputs[1]), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK);
    tn_tensor *given = floats(1, &four, values), *results[2] = {NULL, NULL};
    cr_assert_eq(tn_session_run(session, &given, results), TN_OK, "%s", tn_error_message());
    cr_expect(values_of(results[0])[0] == -1 && values_of(results[0])[3] == 2);
    cr_expect(values_of(results[1])[0] == 0.5f && values_of(results[1])[3] == 1);
    tn_tensor_release(given);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_session_destroy(session);
    tn_graph_destroy(graph);
}
