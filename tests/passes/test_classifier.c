/* A real network: fewer nodes, the same answers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/arrays.h"
#include "random_graph.h"

enum { PICTURES = 500, CLASSES = 10 };

static int best_of(const float *scores) {
    int best = 0;
    for (int i = 1; i < CLASSES; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

static void classify(tn_runtime *runtime, tn_graph *graph, int *answers) {
    static const int64_t extents[] = {PICTURES, 1, 28, 28};
    tn_device *device;
    tn_session *session;
    tn_tensor *pictures = random_tensor(runtime, 7, 4, extents), *scores = NULL;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &pictures, &scores), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_view(scores)->shape[1], CLASSES);
    for (int i = 0; i < PICTURES; i++) {
        answers[i] = best_of((const float *)tn_tensor_data(scores) + i * CLASSES);
    }
    tn_tensor_release(scores);
    tn_tensor_release(pictures);
    tn_session_destroy(session);
    tn_device_close(device);
}

Test(classifier, answers_the_same_with_fewer_nodes) {
    char path[4096];
    int before[PICTURES], after[PICTURES];
    tn_runtime *runtime = test_runtime();
    tn_graph *graph;
    cr_assert_not_null(runtime);
    snprintf(path, sizeof path, "%s/docs/examples/fashion-mnist/fashion-mnist-symbol.json",
             getenv("TENON_TEST_SOURCE"));
    cr_assert_eq(tn_graph_read(runtime, path, NULL, NULL, 0, &graph), TN_OK, "%s",
                 tn_error_message());
    classify(runtime, graph, before);
    const uint32_t nodes = count_nodes(graph, 1);
    cr_assert_eq(tn_graph_run_pass(graph, "fold-batch-norm", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    cr_expect_lt(count_nodes(graph, 1), nodes);
    classify(runtime, graph, after);
    int same = 0;
    for (int i = 0; i < PICTURES; i++) {
        same += before[i] == after[i];
    }
    cr_expect_eq(same, PICTURES);
    cr_log_info("%u nodes instead of %u", count_nodes(graph, 1), nodes);
    tn_graph_destroy(graph);
    tn_runtime_destroy(runtime);
}
