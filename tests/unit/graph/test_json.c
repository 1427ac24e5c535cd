#include "graph_fixture.h"

TestSuite(json, .init = fixture_set_up, .fini = fixture_tear_down);

static void build_example(void) {
    const int64_t extents[] = {TN_UNKNOWN, 3};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(2, extents)};
    uint32_t x;
    cr_assert_eq(tn_graph_add_variable(graph, "x \"quoted\" \xc3\xa9", &type, &x), TN_OK);
    const char *attributes[] = {"num_hidden", "5", "no_bias", "True", NULL};
    const tn_value data = {x, 0};
    const tn_value fc = node_of("FullyConnected", "fc", &data, 1, attributes);
    cr_assert_eq(tn_graph_complete_inputs(graph, fc.node), TN_OK);
    const tn_value repeat = unary("probe_repeat", "again", fc);
    cr_assert_eq(tn_graph_annotate(graph, fc.node, "__lr_mult__", "2"), TN_OK);
    cr_assert_eq(tn_graph_add_control(graph, repeat.node, x), TN_OK);
    tn_graph *outer = graph;
    cr_assert_eq(tn_graph_add_subgraph(outer, repeat.node, &graph), TN_OK);
    output(unary("relu", "inner", variable("item")));
    graph = outer;
    output(repeat);
    cr_assert_eq(tn_graph_name_output(graph, 0, "result"), TN_OK);
}

Test(json, reading_and_writing_again_gives_the_same_bytes) {
    char *first, *second;
    tn_graph *copy;
    build_example();
    cr_assert_eq(tn_graph_to_json(graph, &first), TN_OK);
    cr_assert_eq(tn_graph_from_json(runtime, first, strlen(first), &copy), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_to_json(copy, &second), TN_OK);
    cr_expect_str_eq(first, second);
    cr_expect_eq(tn_graph_verify(copy), TN_OK);
    cr_expect_str_eq(tn_graph_output_name(copy, 0), "result");
    tn_graph_destroy(copy);
    tn_text_free(first);
    tn_text_free(second);
}

static void expect_refused(const char *text, tn_status status, const char *message) {
    tn_graph *copy = NULL;
    cr_expect_eq(tn_graph_from_json(runtime, text, strlen(text), &copy), status, "%s", text);
    cr_expect_not_null(strstr(tn_error_message(), message), "for %s the message is: %s", text,
                       tn_error_message());
    cr_expect_null(copy);
}

Test(json, malformed_texts_are_refused) {
    expect_refused("", TN_CORRUPT, "graph JSON: line 1");
    expect_refused("{\"tenon\":2,\"nodes\":[],\"outputs\":[]}", TN_CORRUPT, "version, 1");
    expect_refused("{\"tenon\":1,\"nodes\":{},\"outputs\":[]}", TN_CORRUPT, "nodes");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"x\"}],\"outputs\":[[0,0]],"
                   "\"output_names\":[]}",
                   TN_CORRUPT, "output_names");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"x\"}],\"outputs\":[[0,0]],"
                   "\"output_names\":[1]}",
                   TN_CORRUPT, "output_names");
    expect_refused("{\"tenon\":1,\"nodes\":[],\"outputs\":[],\"extra\":1}", TN_CORRUPT, "extra");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"op\":\"relu\"}],\"outputs\":[]}", TN_CORRUPT,
                   "node 0: name");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"x\",\"shape\":[-1]}],\"outputs\":[]}",
                   TN_CORRUPT, "shape");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"x\",\"dtype\":\"f31\"}],\"outputs\":[]}",
                   TN_CORRUPT, "dtype");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"x\"}],\"outputs\":[[1,0]]}",
                   TN_OUT_OF_RANGE, "node 1 does not exist");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"r\",\"op\":\"relu\",\"inputs\":[[5,0]]}],"
                   "\"outputs\":[]}",
                   TN_OUT_OF_RANGE, "node 'r': input 0");
    expect_refused("{\"tenon\":1,\"nodes\":[{\"name\":\"r\",\"op\":\"nope\",\"inputs\":[]}],"
                   "\"outputs\":[]}",
                   TN_NOT_FOUND, "nope");
}
