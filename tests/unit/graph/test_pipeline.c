/* Passes in order: from texts, from sets, from files. */
#include "graph_fixture.h"

#include <stdio.h>
#include <unistd.h>

static tn_pipeline *pipeline;
static char path[64];

static void set_up(void) {
    fixture_set_up();
    output(unary("relu", "y", variable("x")));
    cr_assert_eq(tn_pipeline_create(runtime, &pipeline), TN_OK);
    strcpy(path, "/tmp/tenon-pipeline-XXXXXX");
    close(mkstemp(path));
}

static void tear_down(void) {
    unlink(path);
    tn_pipeline_destroy(pipeline);
    fixture_tear_down();
}

TestSuite(pipeline, .init = set_up, .fini = tear_down);

static tn_status add_file(const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    return tn_pipeline_add_set(pipeline, path);
}

static const char *annotation_of_y(void) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    cr_assert_eq(tn_graph_node(graph, tn_graph_find_node(graph, "y"), &info), TN_OK);
    return info.annotation_count == 0 ? "" : info.annotations[0].value;
}

Test(pipeline, takes_a_pass_as_a_user_writes_it) {
    cr_assert_eq(tn_pipeline_add(pipeline, "probe:what=annotate,text=one\\,two"), TN_OK);
    cr_expect_eq(tn_pipeline_count(pipeline), 1u);
    cr_expect_str_eq(tn_pipeline_name(pipeline, 0), "probe");
    cr_expect_null(tn_pipeline_name(pipeline, 1));
    cr_assert_eq(tn_pipeline_run(pipeline, graph, NULL, 0), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(annotation_of_y(), "one,two");
    cr_expect_eq(tn_pipeline_run_pass(pipeline, 1, graph, NULL, 0), TN_OUT_OF_RANGE);
}

Test(pipeline, refuses_what_is_no_pass) {
    cr_expect_eq(tn_pipeline_add(pipeline, ""), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_pipeline_add(pipeline, ":a=b"), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_pipeline_add(pipeline, "probe:what"), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_pipeline_add(pipeline, "nobody"), TN_NOT_FOUND);
    cr_expect_eq(tn_pipeline_count(pipeline), 0u);
}

Test(pipeline, has_sets) {
    cr_expect_eq(tn_pipeline_add_set(pipeline, "0"), TN_OK);
    cr_expect_eq(tn_pipeline_count(pipeline), 0u);
    cr_expect_eq(tn_pipeline_add_set(pipeline, "1"), TN_OK);
    const uint32_t exact = tn_pipeline_count(pipeline);
    cr_expect_eq(tn_pipeline_add_set(pipeline, "2"), TN_OK);
    cr_expect_geq(tn_pipeline_count(pipeline), 2 * exact);
    cr_expect_eq(tn_pipeline_run(pipeline, graph, NULL, 0), TN_OK, "%s", tn_error_message());
}

Test(pipeline, reads_a_file) {
    cr_assert_eq(add_file("{\"passes\": [\"probe\", {\"name\": \"probe\", \"options\": "
                          "{\"text\": [1, 2]}}]}"),
                 TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_pipeline_count(pipeline), 2u);
    cr_assert_eq(tn_pipeline_run(pipeline, graph, NULL, 0), TN_OK);
    cr_expect_str_eq(annotation_of_y(), "[1,2]");
}

Test(pipeline, refuses_what_is_no_such_file) {
    static const struct {
        const char *text;
        tn_status status;
        const char *message;
    } bad[] = {
        {"{", TN_CORRUPT, "line 1: "},
        {"[]", TN_CORRUPT, "expected {\"passes\": […]}"},
        {"{\"passes\": 3}", TN_CORRUPT, "expected {\"passes\": […]}"},
        {"{\"passes\": [], \"more\": 1}", TN_CORRUPT, "expected {\"passes\": […]}"},
        {"{\"passes\": [3]}", TN_CORRUPT, "pass 0: expected a pass's name"},
        {"{\"passes\": [\"probe\", {\"name\": \"probe\", \"option\": {}}]}", TN_CORRUPT,
         "pass 1: member \"option\" is not known"},
        {"{\"passes\": [{\"name\": \"probe\", \"options\": 1}]}", TN_CORRUPT,
         "options: expected an object"},
        {"{\"passes\": [\"nobody\"]}", TN_NOT_FOUND, "no plugin offers the pass nobody"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(add_file(bad[i].text), bad[i].status, "%s", bad[i].text);
        expect_message(bad[i].message);
        expect_message(path);
    }
    cr_expect_eq(tn_pipeline_add_set(pipeline, "/nowhere/at/all"), TN_NOT_FOUND);
}

Test(pipeline, stops_at_the_first_failure) {
    cr_assert_eq(tn_pipeline_add(pipeline, "probe:text=first"), TN_OK);
    cr_assert_eq(tn_pipeline_add(pipeline, "probe:what=fail,text=second"), TN_OK);
    cr_expect_eq(tn_pipeline_run(pipeline, graph, NULL, 0), TN_UNSUPPORTED);
    cr_expect_str_eq(annotation_of_y(), "first");
}
