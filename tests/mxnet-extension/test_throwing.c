/*
 * Every function that a library exports throws, one after the other: an error that names the
 * library, where there is somebody to tell, and a host that goes on.
 */
#include <criterion/parameterized.h>
#include <stdlib.h>

#include <tenon/partition.h>

#include "extension_fixture.h"

static const struct {
    const char *name;
    int first_version;
    int is_told; /* 0: the log says it, or nobody, since the work is done */
} functions[] = {
    {"_opVersion", 7, 1},
    {"initialize", 7, 1},
    {"_opRegSize", 7, 1},
    {"_opRegGet", 7, 1},
    {"_opCallFree", 7, 0},
    {"_msgSize", 8, 0},
    {"_msgGet", 8, 0},
    {"_opCallParseAttrs", 7, 1},
    {"_opCallInferShape", 7, 1},
    {"_opCallInferType", 7, 1},
    {"_opCallInferSType", 7, 1},
    {"_opCallMutateInputs", 7, 1},
    {"_opCallFCompute", 7, 1},
    {"_opCallFStatefulCompute", 7, 1},
    {"_opCallCreateOpState", 7, 1},
    {"_opCallDestroyOpState", 11, 0},
    {"_partRegSize", 7, 1},
    {"_partRegGetCount", 7, 1},
    {"_partRegGet", 7, 1},
    {"_partCallSupportedOps", 7, 1},
    {"_partCallCreateSelector", 7, 1},
    {"_partCallSelect", 7, 1},
    {"_partCallSelectInput", 7, 1},
    {"_partCallSelectOutput", 7, 1},
    {"_partCallFilter", 7, 1},
    {"_partCallReset", 7, 0},
    {"_partCallReviewSubgraph", 7, 1},
    {"_passRegSize", 7, 1},
    {"_passRegGet", 7, 1},
    {"_passCallGraphPass", 7, 1},
};

static const char *throwing; /* the function that throws */
static int was_told;

/* Whether an error is about what was thrown; nothing else may go wrong. */
static tn_status look(tn_status status, int may_fail) {
    const int is_thrown = status != TN_OK && strstr(tn_error_message(), throwing) != NULL;
    cr_expect(status == TN_OK || is_thrown || may_fail, "%s: %s", throwing, tn_error_message());
    if (is_thrown) {
        cr_expect_not_null(strstr(tn_error_message(), "threw an exception: thrown in"), "%s",
                           tn_error_message());
    }
    was_told = was_told || is_thrown;
    return status;
}

static int load(const char *kind, int version) {
    char name[32];
    snprintf(name, sizeof name, "%s_%d", kind, version);
    return look(tn_plugin_load(runtime, extension_path(name), TN_LOAD_ALLOW_WRITABLE, NULL), 0) ==
           TN_OK;
}

static void invoke(const char *op, uint32_t input_count, int may_fail) {
    const int64_t two_by_two[] = {2, 2};
    const float values[] = {1, 2, 3, 4};
    tn_tensor *inputs[] = {floats(2, two_by_two, values), floats(2, two_by_two, values)};
    tn_tensor *output = NULL;
    look(tn_invoke(runtime, op, NULL, 0, inputs, input_count, &output, 1), may_fail);
    tn_tensor_release(output);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

/* log(x) - exp(x), which a partitioner takes and a pass leaves. */
static void change(const char *partitioner, const char *pass) {
    tn_graph *graph;
    uint32_t x, log, exp, difference;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    const tn_value input = {x, 0};
    cr_assert_eq(tn_graph_add_node(graph, "log", "l", NULL, 0, &input, 1, &log), TN_OK);
    cr_assert_eq(tn_graph_add_node(graph, "exp", "e", NULL, 0, &input, 1, &exp), TN_OK);
    const tn_value both[] = {{log, 0}, {exp, 0}};
    cr_assert_eq(tn_graph_add_node(graph, "elemwise_sub", "d", NULL, 0, both, 2, &difference),
                 TN_OK);
    const tn_value output = {difference, 0};
    cr_assert_eq(tn_graph_set_outputs(graph, &output, 1), TN_OK);
    look(partitioner != NULL ? tn_graph_partition(graph, partitioner, NULL, 0, NULL, 0)
                             : tn_graph_run_pass(graph, pass, NULL, 0, NULL, 0),
         0);
    cr_expect_eq(tn_graph_verify(graph), TN_OK, "%s", tn_error_message());
    tn_graph_destroy(graph);
}

/* Uses the libraries, as far as they can be loaded. */
static void use_all(int version) {
    if (load("operators", version)) {
        invoke("ext_product", 2, 0);
        invoke("ext_accumulate", 2, 0);
        invoke("ext_state_product", 2, 0);
        invoke("ext_transpose_csr", 1, 1); /* wants CSR */
        invoke("bad_forward_fails", 1, 1);
    }
    if (load("partitioners", version)) {
        change("ext_supported", NULL);
        change("ext_selector", NULL);
    }
    if (load("passes", version)) {
        change(NULL, "ext_keep");
    }
}

ParameterizedTestParameters(throwing_extension, every_function) {
    static int versions[] = {7, 10, 11};
    return cr_make_param_array(int, versions, 3);
}

ParameterizedTest(int *version, throwing_extension, every_function) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i].first_version > *version) {
            continue;
        }
        throwing = functions[i].name;
        was_told = 0;
        log_text[0] = '\0';
        extension_set_up();
        setenv("TEST_EXTENSION_THROWS", throwing, 1);
        use_all(*version);
        cr_expect_eq(was_told, functions[i].is_told, "%s", throwing);
        extension_tear_down();
        unsetenv("TEST_EXTENSION_THROWS");
        if (strcmp(throwing, "_partCallReset") == 0 ||
            strcmp(throwing, "_opCallDestroyOpState") == 0) {
            cr_expect_not_null(strstr(log_text, throwing), "%s: %s", throwing, log_text);
        }
    }
    throwing = "nothing";
    extension_set_up();
    use_all(*version);
    extension_tear_down();
}
