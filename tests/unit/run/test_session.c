#include "../graph/graph_fixture.h"

static tn_device *device;
static tn_session *session;

static void set_up(void) {
    fixture_set_up();
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK, "%s", tn_error_message());
}

static void tear_down(void) {
    tn_session_destroy(session);
    tn_device_close(device);
    fixture_tear_down();
}

TestSuite(session, .init = set_up, .fini = tear_down);

static void open_session(void) {
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
}

static void expect_floats(const tn_tensor *tensor, int64_t count, const float *expected) {
    const float *got = tn_tensor_data(tensor);
    cr_assert_eq(tn_element_count(tn_tensor_view(tensor)), count);
    for (int64_t i = 0; i < count; i++) {
        cr_expect_float_eq(got[i], expected[i], 1e-6, "element %lld is %g, expected %g",
                           (long long)i, (double)got[i], (double)expected[i]);
    }
}

static tn_plan_info plan_info(void) {
    tn_plan_info info = {.struct_size = TN_PLAN_INFO_SIZE};
    cr_assert_eq(tn_session_plan(session, &info), TN_OK);
    return info;
}

/* One input of floats, one output. */
static void run_once(int64_t count, const float *input, const float *expected) {
    tn_tensor *tensor = floats_of(count, input), *result = NULL;
    cr_assert_eq(tn_session_run(session, &tensor, &result), TN_OK, "%s", tn_error_message());
    expect_floats(result, count, expected);
    tn_tensor_release(tensor);
    tn_tensor_release(result);
}

Test(session, shapes_may_differ_from_run_to_run) {
    const float two[] = {1, -2}, three[] = {-1, 5, -6}, two_out[] = {1, 0}, three_out[] = {0, 5, 0};
    output(unary("relu", "y", variable("x")));
    open_session();
    run_once(2, two, two_out);
    run_once(3, three, three_out);
    run_once(2, two, two_out);
    cr_expect_eq(plan_info().plans_made, 2);
}

Test(session, the_plan_used_longest_ago_is_given_up) {
    const tn_session_options options = {.struct_size = TN_SESSION_OPTIONS_SIZE,
                                        .plan_cache_size = 2};
    const float values[4] = {1, 2, 3, 4};
    output(unary("relu", "y", variable("x")));
    cr_assert_eq(tn_session_create(graph, device, &options, &session), TN_OK);
    const int64_t sizes[] = {1, 2, 1, 3, 1, 2};
    const uint32_t made[] = {1, 2, 2, 3, 3, 4};
    for (int i = 0; i < 6; i++) {
        run_once(sizes[i], values, values);
        cr_expect_eq(plan_info().plans_made, made[i], "after run %d", i);
    }
}

Test(session, memory_is_reused_and_chains_run_in_place) {
    tn_value value = variable("x");
    for (int i = 0; i < 10; i++) {
        value = unary("probe_workspace", NULL, value);
    }
    output(value);
    open_session();
    const float in[] = {1, 2, 3}, out[] = {11, 12, 13};
    run_once(3, in, out);
    const tn_plan_info info = plan_info();
    cr_expect_eq(info.instruction_count, 10);
    cr_expect_eq(info.naive_size, 120);
    cr_expect_eq(info.workspace_size, 12);
    cr_expect_eq(info.arena_size, 64); /* the workspace alone: the rest is the output's memory */
    cr_expect_eq(info.lower_bound, 64);
}

Test(session, tells_what_is_written_over) {
    tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
    const tn_value first = unary("probe_workspace", "first", variable("x"));
    output(unary("probe_workspace", "second", first));
    open_session();
    const float in[] = {1, 2, 3}, out[] = {3, 4, 5};
    run_once(3, in, out);
    cr_assert_eq(tn_session_step(session, 0, &step), TN_OK);
    cr_expect_str_eq(step.overwrites, "");
    cr_assert_eq(tn_session_step(session, 1, &step), TN_OK);
    cr_expect_str_eq(step.overwrites, "first");
}

Test(session, an_input_is_never_overwritten) {
    output(unary("probe_workspace", "y", variable("x")));
    open_session();
    const float in[] = {1, 2, 3}, out[] = {4, 3, 2};
    tn_tensor *tensor = floats_of(3, in), *result = NULL;
    cr_assert_eq(tn_session_run(session, &tensor, &result), TN_OK);
    expect_floats(result, 3, out);
    expect_floats(tensor, 3, in);
    tn_tensor_release(tensor);
    tn_tensor_release(result);
}

Test(session, a_value_with_a_later_reader_is_not_overwritten) {
    const tn_value x = variable("x");
    const tn_value a = unary("probe_workspace", "a", x);
    const tn_value b = unary("probe_workspace", "b", a);
    output(binary("elemwise_add", "sum", a, b));
    open_session();
    const float in[] = {1, 2, 3}, out[] = {4 + 3, 3 + 4, 2 + 5};
    run_once(3, in, out);
}

Test(session, reshapes_share_memory) {
    const tn_value x = variable("x");
    const char *attributes[] = {"shape", "(1,-1)", NULL};
    const tn_value shaped = node_of("Reshape", "shaped", &x, 1, attributes);
    const tn_value flat =
        node_of("Reshape", "flat", &shaped, 1, (const char *[]){"shape", "(-1,)", NULL});
    output(unary("relu", "y", flat));
    open_session();
    const float in[] = {1, -2, 3}, out[] = {1, 0, 3};
    run_once(3, in, out);
    cr_expect_eq(plan_info().elided_count, 2);
    cr_expect_eq(plan_info().instruction_count, 1);
}

Test(session, an_input_can_be_an_output_and_outputs_can_share) {
    const tn_value x = variable("x");
    const tn_value y = unary("relu", "y", x);
    const tn_value copy = unary("_copy", "copy", y);
    const tn_value outputs[] = {x, y, copy, y};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 4), TN_OK);
    open_session();
    const float in[] = {1, -2}, out[] = {1, 0};
    tn_tensor *tensor = floats_of(2, in), *results[4] = {0};
    cr_assert_eq(tn_session_run(session, &tensor, results), TN_OK, "%s", tn_error_message());
    expect_floats(results[0], 2, in);
    for (int i = 1; i < 4; i++) {
        expect_floats(results[i], 2, out);
    }
    for (int i = 0; i < 4; i++) {
        tn_tensor_release(results[i]);
    }
    tn_tensor_release(tensor);
}

Test(session, an_output_tensor_may_be_the_input_tensor) {
    const tn_value x = variable("x");
    const tn_value reversed = unary("probe_workspace", "a", x);
    output(binary("elemwise_add", "sum", reversed, x));
    open_session();
    const float in[] = {1, 2, 3}, out[] = {4 + 1, 3 + 2, 2 + 3};
    tn_tensor *tensor = floats_of(3, in), *result = tensor;
    cr_assert_eq(tn_session_run(session, &tensor, &result), TN_OK, "%s", tn_error_message());
    expect_floats(tensor, 3, out);
    tn_tensor_release(tensor);
}

Test(session, outputs_of_the_wrong_type_are_refused) {
    output(unary("relu", "y", variable("x")));
    open_session();
    const float in[] = {1, 2};
    tn_tensor *tensor = floats_of(2, in), *result = floats_of(1, in);
    tn_tensor *given = result;
    cr_expect_eq(tn_session_run(session, &tensor, &given), TN_INVALID_ARGUMENT);
    expect_message("run: output 'y_output' is given a tensor of float32 (1): expected float32 (2)");
    tensor = (tn_tensor_release(tensor), NULL);
    cr_expect_eq(tn_session_run(session, &tensor, &given), TN_INVALID_ARGUMENT);
    expect_message("input 'x' is missing");
    tn_tensor_release(result);
}

Test(session, a_failing_node_is_named_and_new_outputs_stay_null) {
    output(unary("probe_fail", "picky", variable("x")));
    open_session();
    const float bad[] = {-1}, good[] = {1};
    tn_tensor *tensor = floats_of(1, bad), *result = NULL;
    cr_expect_eq(tn_session_run(session, &tensor, &result), TN_OUT_OF_RANGE);
    cr_expect_str_eq(tn_error_message(), "run: node 'picky' (probe_fail): the first element is -1: "
                                         "expected at least 0");
    cr_expect_null(result);
    tn_tensor_release(tensor);
    run_once(1, good, good);
}

Test(session, a_node_that_nothing_computes_is_named_with_its_types) {
    output(unary("probe_no_kernel", "orphan", variable("x")));
    open_session();
    const float in[] = {1};
    tn_tensor *tensor = floats_of(1, in), *result = NULL;
    cr_expect_eq(tn_session_run(session, &tensor, &result), TN_UNSUPPORTED);
    expect_message("node 'orphan' (probe_no_kernel): no kernel on cpu");
    expect_message("float32 (1); no plugin has a kernel for it");
    tn_tensor_release(tensor);
}

Test(session, kernels_are_chosen_by_dtype) {
    const int64_t extents[] = {1};
    output(unary("probe_typed", "typed", variable("x")));
    open_session();
    tn_tensor *tensor, *result = NULL;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, extents, &tensor), TN_OK);
    cr_assert_eq(tn_session_run(session, &tensor, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(*(int32_t *)tn_tensor_data(result), 7);
    tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
    cr_assert_eq(tn_session_step(session, 0, &step), TN_OK);
    cr_expect_str_eq(step.kernel, "probe_typed.integer");
    cr_expect_str_eq(step.plugin, "probe-ops");
    tn_tensor_release(tensor);
    tn_tensor_release(result);
}

Test(session, a_state_belongs_to_one_session) {
    const float in[] = {9}, one[] = {1}, two[] = {2};
    tn_session *first;
    output(unary("probe_counter", "counter", variable("x")));
    open_session();
    run_once(1, in, one);
    run_once(1, in, two);
    first = session;
    open_session();
    run_once(1, in, one);
    tn_session_destroy(first);
}

Test(session, a_changed_input_is_the_sessions_own) {
    const float start[] = {10}, in[] = {1}, eleven[] = {11}, twelve[] = {12};
    const tn_value x = variable("x"), total = variable("total");
    output(binary("probe_accumulate", "sum", x, total));
    tn_tensor *tensor = floats_of(1, start);
    cr_assert_eq(tn_graph_set_parameter(graph, "total", tensor), TN_OK);
    open_session();
    cr_assert_eq(tn_session_input_count(session), 1);
    run_once(1, in, eleven);
    run_once(1, in, twelve);
    expect_floats(tensor, 1, start);
    tn_session *first = session;
    open_session();
    run_once(1, in, eleven);
    tn_session_destroy(first);
    tn_tensor_release(tensor);
}

Test(session, a_changed_input_must_be_a_variable) {
    const tn_value x = variable("x");
    output(binary("probe_accumulate", "sum", x, unary("relu", "made", x)));
    open_session();
    const float in[] = {1};
    tn_tensor *tensor = floats_of(1, in), *result = NULL;
    cr_expect_eq(tn_session_run(session, &tensor, &result), TN_INVALID_ARGUMENT);
    expect_message("so it must be a variable");
    tn_tensor_release(tensor);
}

Test(session, labels_are_not_demanded) {
    const tn_value data = variable("data"), label = variable("softmax_label");
    output(binary("LinearRegressionOutput", "out", data, label));
    open_session();
    cr_assert_eq(tn_session_input_count(session), 1);
    cr_expect_str_eq(tn_session_input_name(session, 0), "data");
    const float in[] = {1, 2};
    run_once(2, in, in);
}

Test(session, a_subgraph_is_run_by_its_node) {
    const tn_value x = variable("x");
    const tn_value repeat =
        node_of("probe_repeat", "again", &x, 1, (const char *[]){"times", "3", NULL});
    tn_graph *outer = graph;
    cr_assert_eq(tn_graph_add_subgraph(outer, repeat.node, &graph), TN_OK);
    const tn_value item = variable("item");
    output(binary("elemwise_add", "twice", item, item));
    graph = outer;
    output(repeat);
    open_session();
    const float in[] = {1, 2}, out[] = {8, 16};
    run_once(2, in, out);
}

Test(session, empty_tensors_run) {
    output(unary("relu", "y", variable("x")));
    open_session();
    run_once(0, NULL, NULL);
}

Test(session, a_missing_parameter_is_named) {
    const tn_value x = variable("x"), state = variable("state");
    output(binary("probe_accumulate", "sum", x, state));
    open_session();
    const float in[] = {1};
    tn_tensor *tensor = floats_of(1, in), *result = NULL;
    cr_expect_eq(tn_session_run(session, &tensor, &result), TN_INVALID_ARGUMENT);
    expect_message("variable 'state' has no value");
    tn_tensor_release(tensor);
}

/* A node that only copies shares the parameter's memory: whoever reads it, and the graph's caller,
 * must find it there. */
Test(session, a_reshaped_parameter_is_read_and_given_out) {
    static const char *const shape[] = {"shape", "(1,2)", NULL};
    tn_tensor *weight = floats_of(2, (const float[]){3, -4});
    tn_tensor *outputs[2] = {NULL, NULL};
    tn_device *cpu;
    tn_session *made;
    uint32_t w;
    cr_assert_eq(tn_graph_add_parameter(graph, "w", weight, &w), TN_OK);
    const tn_value whole = {w, 0};
    const tn_value shaped = node_of("Reshape", "shaped", &whole, 1, shape);
    const tn_value values[] = {shaped, unary("negative", "turned", shaped)};
    cr_assert_eq(tn_graph_set_outputs(graph, values, 2), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    cr_assert_eq(tn_session_create(graph, cpu, NULL, &made), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(made, NULL, outputs), TN_OK, "%s", tn_error_message());
    cr_expect_eq(((float *)tn_tensor_data(outputs[0]))[1], -4);
    cr_expect_eq(((float *)tn_tensor_data(outputs[1]))[1], 4);
    tn_tensor_release(outputs[0]);
    tn_tensor_release(outputs[1]);
    tn_tensor_release(weight);
    tn_session_destroy(made);
    tn_device_close(cpu);
}

Test(session, profiling_notes_each_step_of_each_run) {
    tn_tensor *input = floats_of(2, (const float[]){1, 2}), *result = NULL;
    tn_step_time time = {.struct_size = TN_STEP_TIME_SIZE};
    output(unary("tanh", "second", unary("relu", "first", variable("x"))));
    open_session();
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK);
    cr_expect_eq(tn_session_step_time_count(session), 0);
    cr_assert_eq(tn_session_set_profiling(session, 1), TN_OK);
    for (int run = 0; run < 2; run++) {
        cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    }
    cr_assert_eq(tn_session_step_time_count(session), 4);
    uint64_t before = 0;
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(tn_session_step_time(session, i, &time), TN_OK);
        cr_expect_str_eq(time.node, i % 2 == 0 ? "first" : "second");
        cr_expect_str_eq(time.device, "cpu:0");
        cr_expect_eq(time.run, i / 2);
        cr_expect(time.begin_ns >= before && time.end_ns >= time.begin_ns);
        before = time.end_ns;
    }
    cr_expect_eq(tn_session_step_time(session, 4, &time), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_session_set_profiling(session, 0), TN_OK);
    cr_expect_eq(tn_session_step_time_count(session), 0);
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK);
    tn_tensor_release(input);
    tn_tensor_release(result);
}
