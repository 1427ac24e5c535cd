/* Operators of extension libraries, in all versions of the library API. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <pthread.h>

#include "extension_fixture.h"

/* A test in each version. */
#define VERSIONED(suite, name)                                                                     \
    ParameterizedTestParameters(suite, name) {                                                     \
        static int versions[] = {7, 10, 11};                                                       \
        return cr_make_param_array(int, versions, 3);                                              \
    }                                                                                              \
    ParameterizedTest(int *version, suite, name, .init = extension_set_up,                         \
                      .fini = extension_tear_down)

TestSuite(extension_rules, .init = extension_set_up, .fini = extension_tear_down);

static const int64_t two_by_three[] = {2, 3}, three_by_two[] = {3, 2};
static const float one_to_six[] = {1, 2, 3, 4, 5, 6};

VERSIONED(extension_operators, a_stateless_one_computes) {
    load_version(*version);
    tn_tensor *inputs[] = {floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six)};
    tn_tensor *result = NULL;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(tn_invoke(runtime, "ext_product", NULL, 0, inputs, 2, &result, 1), TN_OK, "%s",
                     tn_error_message());
        const float *c = values_of(result);
        cr_expect(c[0] == 22 && c[1] == 28 && c[2] == 49 && c[3] == 64);
    }
    cr_expect_eq(ask("test_told_version"), *version == 7 ? 10700 : *version == 10 ? 10800 : 20000);
    tn_tensor_release(result);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    cr_expect_eq(ask("test_live_blocks"), 0);
}

VERSIONED(extension_operators, attributes_arrive_as_given) {
    load_version(*version);
    const tn_option options[] = {{"factor", "2.5"}, {"any other", "\"x\""}};
    tn_tensor *input = floats(2, two_by_three, one_to_six), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "ext_scale", options, 2, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(values_of(result)[5], 15);
    tn_tensor_release(result);
    tn_tensor_release(input);
}

/* What the gradient of the sum of a node's outputs is by its inputs. */
static tn_session *differentiate(const char *op, const tn_option *options, uint32_t option_count,
                                 const int64_t *const *extents, uint32_t input_count,
                                 uint32_t output_count) {
    tn_graph *graph;
    tn_session *session;
    tn_value inputs[2], outputs[4];
    uint32_t variables[2], node;
    tn_named_type types[2];
    static const char *const names[] = {"a", "b"};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    for (uint32_t i = 0; i < input_count; i++) {
        cr_assert_eq(tn_graph_add_variable(graph, names[i], NULL, &variables[i]), TN_OK);
        inputs[i] = (tn_value){variables[i], 0};
        types[i] = (tn_named_type){names[i], {TN_F32, 0, tn_shape_of(2, extents[i])}};
    }
    cr_assert_eq(
        tn_graph_add_node(graph, op, "node", options, option_count, inputs, input_count, &node),
        TN_OK, "%s", tn_error_message());
    for (uint32_t i = 0; i < output_count; i++) {
        outputs[i] = (tn_value){node, i};
    }
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, output_count), TN_OK);
    tn_value gradients[3] = {outputs[0]};
    cr_assert_eq(tn_graph_add_gradient(graph, variables, input_count, gradients + 1), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, gradients, 1 + input_count), TN_OK);
    cr_assert_eq(tn_graph_infer(graph, types, input_count), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                 tn_error_message());
    tn_graph_destroy(graph);
    return session;
}

VERSIONED(extension_operators, gradients_flow) {
    load_version(*version);
    const int64_t *const extents[] = {two_by_three, three_by_two};
    tn_session *session = differentiate("ext_product", NULL, 0, extents, 2, 1);
    tn_tensor *inputs[] = {floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six)};
    tn_tensor *outputs[3] = {0};
    cr_assert_eq(tn_session_run(session, inputs, outputs), TN_OK, "%s", tn_error_message());
    /* The sums of the second input's rows, and of the first one's columns. */
    const float *a = values_of(outputs[1]), *b = values_of(outputs[2]);
    cr_expect(a[0] == 3 && a[1] == 7 && a[2] == 11 && a[3] == 3);
    cr_expect(b[0] == 5 && b[1] == 5 && b[2] == 7 && b[4] == 9);
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(outputs[i]);
    }
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_session_destroy(session);
}

/* An output that takes no part has a gradient of zeros. */
VERSIONED(extension_operators, gradients_of_some_outputs) {
    load_version(*version);
    const int64_t *const extents[] = {two_by_three};
    const tn_option parts = {"parts", "3"};
    tn_session *session = differentiate("ext_split", &parts, 1, extents, 1, 2);
    tn_tensor *input = floats(2, two_by_three, one_to_six), *outputs[2] = {0};
    cr_assert_eq(tn_session_run(session, &input, outputs), TN_OK, "%s", tn_error_message());
    cr_expect_eq(values_of(outputs[0])[5], 6);
    cr_expect_eq(values_of(outputs[1])[5], 2);
    tn_tensor_release(outputs[0]);
    tn_tensor_release(outputs[1]);
    tn_tensor_release(input);
    tn_session_destroy(session);
}

/* The state counts runs, each session has its own, and backward meets that of its forward. */
VERSIONED(extension_operators, states_live_with_their_session) {
    load_version(*version);
    const int64_t *const extents[] = {two_by_three, three_by_two};
    const tn_option begin = {"begin", "10"};
    tn_session *sessions[] = {differentiate("ext_state_product", &begin, 1, extents, 2, 1),
                              differentiate("ext_state_product", NULL, 0, extents, 2, 1)};
    tn_tensor *inputs[] = {floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six)};
    for (int run = 1; run <= 3; run++) {
        for (int i = 0; i < 2; i++) {
            tn_tensor *outputs[3] = {0};
            const float runs = (float)(run + (i == 0 ? 10 : 0));
            cr_assert_eq(tn_session_run(sessions[i], inputs, outputs), TN_OK, "%s",
                         tn_error_message());
            cr_expect_eq(values_of(outputs[0])[0], 22 + runs);
            cr_expect_eq(values_of(outputs[1])[0], 3 + 1000 * runs);
            for (int j = 0; j < 3; j++) {
                tn_tensor_release(outputs[j]);
            }
        }
    }
    cr_expect_eq(ask("test_live_states"), 2);
    tn_session_destroy(sessions[0]);
    tn_session_destroy(sessions[1]);
    cr_expect_eq(ask("test_live_states"), *version == 11 ? 0 : 2);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

/* A number that no forward node gave finds no state. */
Test(extension_rules, states_are_not_found_by_chance) {
    load_version(11);
    const int64_t two_by_two[] = {2, 2};
    tn_tensor *number, *outputs[2] = {0};
    cr_assert_eq(tn_tensor_create(runtime, TN_I64, 0, NULL, &number), TN_OK);
    *(int64_t *)tn_tensor_data(number) = 0x7fff00000000;
    tn_tensor *inputs[] = {floats(2, two_by_two, one_to_six), floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six), floats(2, two_by_two, one_to_six),
                           number};
    cr_expect_eq(tn_invoke(runtime, "_backward_ext_state_product", NULL, 0, inputs, 5, outputs, 2),
                 TN_FAILED_PRECONDITION);
    expect_message("library operators_11: operator ext_state_product: the state of the forward "
                   "node is gone");
    for (int i = 0; i < 5; i++) {
        tn_tensor_release(inputs[i]);
    }
}

/* What is known of one input tells of the other. */
VERSIONED(extension_operators, inputs_are_inferred) {
    load_version(*version);
    tn_graph *graph;
    uint32_t a, b, node;
    tn_tensor_type type;
    const tn_tensor_type half = {TN_F32, 0, {2, 0, {TN_UNKNOWN, 2}}};
    const tn_named_type known = {"a", {TN_F32, 0, tn_shape_of(2, two_by_three)}};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "a", NULL, &a), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "b", &half, &b), TN_OK);
    const tn_value inputs[] = {{a, 0}, {b, 0}};
    cr_assert_eq(tn_graph_add_node(graph, "ext_product", "p", NULL, 0, inputs, 2, &node), TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
    cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_infer(graph, &known, 1), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_type(graph, inputs[1], &type), TN_OK);
    cr_expect(type.shape.rank == 2 && type.shape.extents[0] == 3 && type.shape.extents[1] == 2);
    cr_assert_eq(tn_graph_type(graph, (tn_value){node, 0}, &type), TN_OK);
    cr_expect(type.shape.rank == 2 && type.shape.extents[0] == 2 && type.shape.extents[1] == 2);
    tn_graph_destroy(graph);
    cr_expect_eq(ask("test_live_blocks"), 0);
}

VERSIONED(extension_operators, inputs_are_changed) {
    load_version(*version);
    for (int which = 0; which < 2; which++) {
        tn_graph *graph;
        tn_session *session;
        uint32_t x, sum, node;
        const tn_option where = {"where", which == 0 ? "1" : "0"};
        cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
        cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
        cr_assert_eq(tn_graph_add_variable(graph, "sum", NULL, &sum), TN_OK);
        const tn_value inputs[] = {{x, 0}, {sum, 0}};
        cr_assert_eq(tn_graph_add_node(graph, "ext_accumulate", "n", &where, 1, inputs, 2, &node),
                     TN_OK, "%s", tn_error_message());
        cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
        cr_expect_eq(tn_graph_variable_kind(graph, which == 0 ? sum : x), TN_VARIABLE_AUXILIARY);
        cr_expect_eq(tn_graph_variable_kind(graph, which == 0 ? x : sum), TN_VARIABLE_INPUT);
        tn_tensor *begin = floats(2, two_by_three, one_to_six), *result = NULL;
        cr_assert_eq(tn_graph_set_parameter(graph, which == 0 ? "sum" : "x", begin), TN_OK);
        cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK, "%s",
                     tn_error_message());
        for (int run = 1; which == 0 && run <= 2; run++) {
            cr_assert_eq(tn_session_run(session, &begin, &result), TN_OK, "%s", tn_error_message());
            cr_expect_eq(values_of(result)[0], 1.0f + (float)run);
        }
        tn_session_destroy(session);
        tn_graph_destroy(graph);
        tn_tensor_release(begin);
        tn_tensor_release(result);
    }
}

/* The numbers of std::mt19937 with the seeds 0, 1, …; from the beginning in each runtime. */
VERSIONED(extension_operators, random_states_are_those_of_the_standard) {
    load_version(*version);
    tn_tensor *input = floats(2, two_by_three, one_to_six), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "ext_noise", NULL, 0, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    const float *values = values_of(result);
    cr_expect_eq(values[0], (float)(2357136044u >> 8)); /* the first number of seed 0 */
    cr_expect_eq(values[1], (float)(1791095845u >> 8)); /* and of seed 1 */
    cr_assert_eq(tn_invoke(runtime, "ext_noise", NULL, 0, &input, 1, &result, 1), TN_OK);
    cr_expect_eq(values_of(result)[0], (float)(2546248239u >> 8)); /* the second of seed 0 */
    tn_tensor_release(input);
    tn_tensor_release(result);
}

/* State k begins with 127 times the seed and k, whenever a seed is set. */
VERSIONED(extension_operators, random_states_begin_anew_with_a_seed) {
    load_version(*version);
    tn_tensor *input = floats(2, two_by_three, one_to_six), *result = NULL;
    float first[6];
    for (int i = 0; i < 3; i++) {
        tn_runtime_set_seed(runtime, i < 2 ? 42 : 0);
        cr_assert_eq(tn_invoke(runtime, "ext_noise", NULL, 0, &input, 1, &result, 1), TN_OK, "%s",
                     tn_error_message());
        if (i == 0) {
            memcpy(first, values_of(result), sizeof first);
            cr_expect_eq(first[0], (float)(3560930129u >> 8)); /* the first number of seed 5334 */
        } else if (i == 1) {
            cr_expect_arr_eq(values_of(result), first, sizeof first);
        } else {
            cr_expect_eq(values_of(result)[0], (float)(2357136044u >> 8));
        }
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
}

/* Loading twice is one plugin; unloading ends it, unless something holds it. */
VERSIONED(extension_operators, are_unloaded) {
    load_version(*version);
    load_version(*version);
    tn_graph *graph;
    uint32_t x;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    const tn_option factor = {"factor", "1"};
    const tn_value input = {x, 0};
    uint32_t node;
    cr_assert_eq(tn_graph_add_node(graph, "ext_scale", "n", &factor, 1, &input, 1, &node), TN_OK);
    char name[32];
    snprintf(name, sizeof name, "%s", library);
    cr_expect_eq(tn_plugin_unload(runtime, name, 0, NULL), TN_BUSY);
    expect_message("1 graph");
    tn_graph_destroy(graph);
    cr_expect_eq(tn_plugin_unload(runtime, name, 0, NULL), TN_OK, "%s", tn_error_message());
    load_version(*version);
    cr_expect_eq(tn_plugin_unload(runtime, name, 0, NULL), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_plugin_unload(runtime, "loader-mxnet", 0, NULL), TN_OK, "%s",
                 tn_error_message());
}

/* A number stands for what was in a tensor: it changes when the elements may have. */
Test(extension_rules, ids_change_with_the_elements) {
    load_version(7);
    tn_graph *graph;
    tn_session *session;
    uint32_t x, w, node;
    const int64_t two = 2;
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "w", NULL, &w), TN_OK);
    const tn_value inputs[] = {{x, 0}, {w, 0}};
    cr_assert_eq(tn_graph_add_node(graph, "ext_ids", "n", NULL, 0, inputs, 2, &node), TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
    tn_tensor *tensor = floats(1, &two, one_to_six), *first = NULL, *second = NULL;
    cr_assert_eq(tn_graph_set_parameter(graph, "w", tensor), TN_OK);
    cr_assert_eq(tn_session_create(graph, device(), NULL, &session), TN_OK);
    cr_assert_eq(tn_session_run(session, &tensor, &first), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &tensor, &second), TN_OK);
    cr_expect_neq(values_of(first)[0], values_of(second)[0]);
    cr_expect_eq(values_of(first)[1], values_of(second)[1]);
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    tn_tensor_release(tensor);
    tn_tensor_release(first);
    tn_tensor_release(second);
}

/* What is made and dropped a hundred times leaves no state behind. */
Test(extension_rules, states_end_with_their_sessions) {
    load_version(11);
    const int64_t *const extents[] = {two_by_three, three_by_two};
    tn_tensor *inputs[] = {floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six)};
    for (int i = 0; i < 100; i++) {
        tn_session *session = differentiate("ext_state_product", NULL, 0, extents, 2, 1);
        tn_tensor *outputs[3] = {NULL, NULL, NULL};
        cr_assert_eq(tn_session_run(session, inputs, outputs), TN_OK, "%s", tn_error_message());
        cr_assert_eq(values_of(outputs[0])[0], 23);
        for (int j = 0; j < 3; j++) {
            tn_tensor_release(outputs[j]);
        }
        tn_session_destroy(session);
    }
    cr_expect_eq(ask("test_live_states"), 0);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

/* Calls at the same time share neither random states nor scratch memory. */
static void *call_often(void *context) {
    tn_tensor *inputs[] = {floats(2, two_by_three, one_to_six),
                           floats(2, three_by_two, one_to_six)};
    const int64_t *const extents[] = {two_by_three, three_by_two};
    tn_session *session = differentiate("ext_product", NULL, 0, extents, 2, 1);
    tn_tensor *outputs[3] = {NULL, NULL, NULL}, *noise = NULL;
    for (int i = 0; i < 500; i++) {
        cr_assert_eq(tn_session_run(session, inputs, outputs), TN_OK, "%s", tn_error_message());
        cr_assert_eq(tn_invoke(runtime, "ext_noise", NULL, 0, inputs, 1, &noise, 1), TN_OK);
        *(int *)context += values_of(outputs[0])[3] == 64 && values_of(outputs[1])[2] == 11;
    }
    for (int j = 0; j < 3; j++) {
        tn_tensor_release(outputs[j]);
    }
    tn_tensor_release(noise);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_session_destroy(session);
    return NULL;
}

Test(extension_rules, threads_do_not_meet) {
    load_version(11);
    device(); /* opened before the threads ask for it */
    pthread_t threads[4];
    int right[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, call_often, &right[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(right[i], 500);
    }
}
