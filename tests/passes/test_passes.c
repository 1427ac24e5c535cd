/* Each pass on random graphs: the results stay, names and all, and there is something to gain. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include "common/arrays.h"
#include "random_graph.h"

enum { ROUNDS = 100 };

static tn_runtime *runtime;
static tn_device *device;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
}

static void tear_down(void) {
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

/* Runs the graph on the one input, if it needs that. */
static void run_graph(tn_graph *graph, tn_tensor *input, tn_tensor **outputs, uint32_t seed) {
    tn_session *session;
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "seed %u: %s", seed,
                 tn_error_message());
    cr_assert_leq(tn_session_input_count(session), 1u);
    cr_assert_eq(tn_session_output_count(session), (uint32_t)RANDOM_OUTPUTS);
    cr_assert_eq(tn_session_run(session, &input, outputs), TN_OK, "seed %u: %s", seed,
                 tn_error_message());
    tn_session_destroy(session);
}

typedef struct pass_case {
    char text[64];     /* one pass, two with a blank between them, or the number of a set */
    double tolerance;  /* relative and absolute; 0: every bit is the same */
    int counts_dead;   /* the gain is in nodes that nothing needs */
    int gain;          /* in nodes: GAINS, or GROWS where the gain is another */
    uint32_t may_jump; /* of a hundred graphs, in which rounding carries a number over a step */
} pass_case;

enum { GAINS, GROWS };

/* What the graph gives against what it gave: names, types, numbers. Returns whether the numbers
 * agree, which is expected where none may jump. */
static int compare(const tn_graph *before, const tn_graph *after, tn_tensor *const *expected,
                   tn_tensor *const *got, const pass_case *test, uint32_t seed) {
    uint32_t count, after_count;
    const tn_value *old = tn_graph_outputs(before, &count);
    const tn_value *new = tn_graph_outputs(after, &after_count);
    int agree = 1;
    cr_assert_eq(count, after_count);
    for (uint32_t i = 0; i < count; i++) {
        char message[512], name[256];
        const tn_dtype dtype = tn_tensor_view(expected[i])->dtype;
        const double tolerance =
            dtype == TN_F16 || dtype == TN_BF16 ? 50 * test->tolerance : test->tolerance;
        snprintf(name, sizeof name, "%s", tn_graph_value_name(before, old[i]));
        cr_expect_str_eq(tn_graph_value_name(after, new[i]), name);
        const int agrees = test_tensors_agree(tn_tensor_view(got[i]), tn_tensor_view(expected[i]),
                                              tolerance, tolerance, message, sizeof message);
        cr_expect(agrees || test->may_jump > 0, "%s, seed %u, output %s: %s", test->text, seed,
                  name, message);
        agree = agree && agrees;
    }
    return agree;
}

/* What is seen over all graphs. */
typedef struct tally {
    int32_t saved; /* nodes */
    uint32_t jumped, changed;
} tally;

static int differs(const tn_graph *before, const tn_graph *after) {
    char *text;
    cr_assert_eq(tn_graph_diff(before, after, &text), TN_OK, "%s", tn_error_message());
    const int found = text[0] != '\0';
    tn_text_free(text);
    return found;
}

/* Runs the passes on one random graph. */
static void try_graph(const tn_pipeline *pipeline, const pass_case *test, uint32_t seed,
                      tally *seen) {
    const int kind = test->tolerance > 0 ? GRAPH_STEADY : GRAPH_OF_ANY;
    random_graph made;
    tn_graph *before;
    tn_tensor *got[RANDOM_OUTPUTS] = {NULL};
    cr_assert(random_graph_create(runtime, seed, kind, &made));
    cr_assert_eq(tn_graph_copy(made.graph, &before), TN_OK);
    cr_assert_eq(tn_pipeline_run(pipeline, made.graph, NULL, 0), TN_OK, "%s, seed %u: %s",
                 test->text, seed, tn_error_message());
    run_graph(made.graph, made.input, got, seed);
    seen->changed += differs(before, made.graph);
    seen->jumped += !compare(before, made.graph, made.outputs, got, test, seed);
    const uint32_t old = count_nodes(before, !test->counts_dead);
    const uint32_t new = count_nodes(made.graph, !test->counts_dead);
    for (int i = 0; i < RANDOM_OUTPUTS; i++) {
        tn_tensor_release(got[i]);
    }
    tn_graph_destroy(before);
    random_graph_destroy(&made);
    cr_expect(test->gain == GROWS || new <= old, "%s, seed %u", test->text, seed);
    seen->saved += (int32_t)old - (int32_t) new;
}

static void add_passes(tn_pipeline *pipeline, const char *text) {
    char first[64];
    const char *rest = strchr(text, ' ');
    if (strlen(text) == 1) {
        cr_assert_eq(tn_pipeline_add_set(pipeline, text), TN_OK, "%s", tn_error_message());
        return;
    }
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, " "), text);
    cr_assert_eq(tn_pipeline_add(pipeline, first), TN_OK, "%s", tn_error_message());
    if (rest != NULL) {
        cr_assert_eq(tn_pipeline_add(pipeline, rest + 1), TN_OK, "%s", tn_error_message());
    }
}

ParameterizedTestParameters(passes, keep_what_a_graph_computes) {
    static pass_case cases[] = {
        {"remove-dead-nodes", 0, 1, GAINS, 0},
        {"remove-identity", 0, 0, GAINS, 0},
        {"merge-equal-nodes", 0, 0, GAINS, 0},
        {"fold-constants", 0, 0, GAINS, 0},
        {"simplify-transpose", 0, 0, GAINS, 0},
        {"simplify-reshape", 0, 0, GAINS, 0},
        {"fold-batch-norm", 1e-3, 0, GAINS, 0},
        {"fuse-convolution", 1e-3, 0, GAINS, 0},
        {"fuse-elementwise", 1e-3, 0, GAINS, 0},
        /* 16 bits are off by 5e-4, and a steady graph makes what is off 100 times as much. */
        {"convert-dtype", 5e-2, 0, GROWS, 1},
        /* There and back, since kernels have their channels first. */
        {"choose-layout:layout=channels-last choose-layout", 0, 0, GROWS, 0},
        {"1", 0, 1, GAINS, 0},
        {"2", 1e-3, 1, GAINS, 0},
    };
    return cr_make_param_array(pass_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(pass_case *test, passes, keep_what_a_graph_computes, .init = set_up,
                  .fini = tear_down) {
    tn_pipeline *pipeline;
    tally seen = {0};
    cr_assert_eq(tn_pipeline_create(runtime, &pipeline), TN_OK);
    add_passes(pipeline, test->text);
    const uint32_t rounds = random_rounds(ROUNDS);
    for (uint32_t seed = 1; seed <= rounds; seed++) {
        try_graph(pipeline, test, seed, &seen);
    }
    cr_expect_leq(seen.jumped * 100, rounds * test->may_jump, "%s: %u of %u graphs jumped",
                  test->text, seen.jumped, rounds);
    cr_log_info("%s: %d nodes fewer, %u of %u graphs changed", test->text, (int)seen.saved,
                seen.changed, rounds);
    cr_expect_gt(seen.changed, 0u, "%s: nothing was there to change", test->text);
    cr_expect(test->gain == GROWS || seen.saved > 0, "%s: no gain", test->text);
    tn_pipeline_destroy(pipeline);
}

Test(passes, a_limit_keeps_large_constants_unfolded, .init = set_up, .fini = tear_down) {
    static const int64_t extents[] = {8};
    static const tn_option limit = {"limit", "7"};
    tn_tensor *tensor = random_tensor(runtime, 1, 1, extents);
    tn_graph *graph;
    uint32_t x, w, square, sum;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    cr_assert_eq(tn_graph_add_parameter(graph, "w", tensor, &w), TN_OK);
    const tn_value weight = {w, 0};
    cr_assert_eq(tn_graph_add_node(graph, "square", NULL, NULL, 0, &weight, 1, &square), TN_OK);
    const tn_value inputs[] = {{x, 0}, {square, 0}};
    cr_assert_eq(tn_graph_add_node(graph, "elemwise_add", NULL, NULL, 0, inputs, 2, &sum), TN_OK);
    const tn_value output = {sum, 0};
    cr_assert_eq(tn_graph_set_outputs(graph, &output, 1), TN_OK);
    cr_assert_eq(tn_graph_run_pass(graph, "fold-constants", &limit, 1, NULL, 0), TN_OK);
    cr_expect_eq(count_nodes(graph, 1), 2u);
    cr_assert_eq(tn_graph_run_pass(graph, "fold-constants", NULL, 0, NULL, 0), TN_OK);
    cr_expect_eq(count_nodes(graph, 1), 1u);
    cr_expect_eq(tn_graph_find_node(graph, "w"), TN_NO_NODE);
    tn_graph_destroy(graph);
    tn_tensor_release(tensor);
}
