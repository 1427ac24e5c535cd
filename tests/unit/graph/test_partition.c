/* Partitioners: convexity, inputs and outputs, review, selectors, and equal results. */
#include "graph_fixture.h"

static void set_up(void) {
    const char *probes[] = {PROBE_PLUGIN, PROBE_PARTITION_PLUGIN};
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    cr_assert_eq(tn_plugin_load_all(runtime, probes, 2, 0), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
}

TestSuite(partition, .init = set_up, .fini = fixture_tear_down);

static void partition(const char *text) {
    cr_assert_eq(tn_graph_partition_text(graph, text, NULL, 0), TN_OK, "%s: %s", text,
                 tn_error_message());
    cr_assert_eq(tn_graph_verify(graph), TN_OK, "%s: %s", text, tn_error_message());
}

static tn_node_info info_of(const char *name) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    const uint32_t node = tn_graph_find_node(graph, name);
    cr_assert_neq(node, TN_NO_NODE, "there is no node '%s'", name);
    cr_assert_eq(tn_graph_node(graph, node, &info), TN_OK);
    return info;
}

static uint32_t count_subgraphs(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        cr_assert_eq(tn_graph_node(graph, i, &info), TN_OK);
        count += info.subgraph_count;
    }
    return count;
}

/* x -> a -> b -> c, and a -> d -> c beside b: a diamond. Numbers 0 to 4. */
static void make_diamond(void) {
    const tn_value x = variable("x");
    const tn_value a = unary("relu", "a", x);
    const tn_value b = unary("negative", "b", a);
    const tn_value d = unary("tanh", "d", a);
    output(binary("elemwise_add", "c", b, d));
}

Test(partition, connected_nodes_become_one) {
    make_diamond();
    partition("probe:groups=(-2\\,0\\,0\\,0\\,0)");
    const tn_node_info info = info_of("grouped0");
    uint32_t count;
    cr_expect_str_eq(info.op, "subgraph");
    cr_expect_eq(info.input_count, 1u);
    cr_expect_eq(info.output_count, 1u);
    cr_expect_eq(tn_graph_node_count(graph), 2u);
    /* Outputs keep their names, inputs have those of what they stand for. */
    cr_expect_str_eq(tn_graph_value_name(graph, tn_graph_outputs(graph, &count)[0]), "c_output");
    cr_expect_str_eq(tn_graph_input_name(graph, tn_graph_find_node(graph, "grouped0"), 0), "x");
}

Test(partition, what_would_make_a_cycle_is_split) {
    make_diamond();
    partition("probe:groups=(-2\\,0\\,0\\,-2\\,0)"); /* d stays: a, b and c cannot be one */
    cr_expect_eq(count_subgraphs(), 2u);
    cr_expect_eq(info_of("grouped0").output_count, 2u); /* a and b: both are read outside */
    cr_expect_eq(info_of("grouped1").input_count, 2u);
    cr_expect_str_eq(info_of("d").op, "tanh");
}

Test(partition, late_clusters_take_in_what_can_wait) {
    const tn_value x = variable("x");                     /* 0 */
    const tn_value a = unary("relu", "a", x);             /* 1, taken */
    const tn_value u = unary("tanh", "u", a);             /* 2 */
    const tn_value early = unary("negative", "early", x); /* 3, taken: could be anywhere */
    output(binary("elemwise_add", "sum", u, early));      /* 4, taken */
    partition("probe:groups=(-2\\,0\\,-2\\,0\\,0)");
    cr_expect_eq(count_subgraphs(), 2u); /* {a}, {early, sum} */
    cr_expect_eq(info_of("grouped1").input_count, 2u);
}

Test(partition, groups_do_not_mix_and_any_goes_with_either) {
    const tn_value x = variable("x");
    tn_value value = x;
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        value = unary("relu", name, value);
    }
    output(value);
    partition("probe:groups=(-2\\,3\\,-1\\,5\\,-1)");
    cr_expect_eq(count_subgraphs(), 2u);
    cr_expect_eq(tn_graph_node_count(info_of("grouped0").subgraphs[0]), 3u); /* x, n0, n1 */
    cr_expect_eq(tn_graph_node_count(info_of("grouped1").subgraphs[0]), 3u);
}

Test(partition, a_value_that_is_read_twice_is_one_input) {
    const tn_value x = variable("x");
    const tn_value a = binary("elemwise_add", "a", x, x);
    output(binary("elemwise_mul", "b", a, x));
    tn_graph *copy;
    cr_assert_eq(tn_graph_copy(graph, &copy), TN_OK);
    partition("probe:groups=(-2\\,0\\,0)");
    cr_expect_eq(info_of("grouped0").input_count, 1u);
    tn_graph_destroy(graph);
    graph = copy;
    partition("probe:groups=(-2\\,0\\,0),dedup_subgraph=False");
    cr_expect_eq(info_of("grouped0").input_count, 3u);
    cr_expect_str_eq(tn_graph_input_name(graph, tn_graph_find_node(graph, "grouped0"), 1), "x0");
}

Test(partition, a_rejected_subgraph_leaves_the_graph_as_it_was) {
    char *before, *after;
    make_diamond();
    cr_assert_eq(tn_graph_to_json(graph, &before), TN_OK);
    partition("probe:groups=(-2\\,0\\,0\\,-2\\,0),rejected=(0\\,1)");
    cr_assert_eq(tn_graph_to_json(graph, &after), TN_OK);
    cr_expect_str_eq(before, after);
    tn_text_free(before);
    tn_text_free(after);
    partition("probe:groups=(-2\\,0\\,0\\,-2\\,0),rejected=0");
    cr_expect_str_eq(info_of("a").op, "relu");
    cr_expect_eq(info_of("grouped0").input_count, 2u); /* the first that was accepted */
}

Test(partition, small_subgraphs_are_left_alone) {
    make_diamond();
    partition("probe:groups=(-2\\,0\\,0\\,-2\\,0),min_nodes=2");
    cr_expect_eq(count_subgraphs(), 1u);
    cr_expect_str_eq(info_of("c").op, "elemwise_add");
}

Test(partition, a_selector_chooses_and_filters) {
    make_diamond();
    tn_graph *copy;
    cr_assert_eq(tn_graph_copy(graph, &copy), TN_OK);
    partition("probe:selected=(1\\,2\\,3\\,4),dropped=4");
    cr_expect_eq(count_subgraphs(), 1u); /* 4 is offered again, and dropped again */
    cr_expect_str_eq(info_of("c").op, "elemwise_add");
    tn_graph_destroy(graph);
    graph = copy;
    partition("probe:selected=(1\\,2\\,4)"); /* 3 lies between */
    cr_expect_eq(count_subgraphs(), 2u);
    cr_expect_str_eq(info_of("d").op, "tanh");
}

Test(partition, the_next_strategy_takes_subgraphs_in) {
    make_diamond();
    /* The first makes grouped0 of b; compact numbers are not seen: the new node comes last, 5. */
    partition("probe:groups=(-2\\,-2\\,0),selected=(1\\,3\\,4\\,5)");
    const tn_node_info outer = info_of("selected0");
    cr_expect_eq(count_subgraphs(), 1u);
    cr_expect_neq(tn_graph_find_node(outer.subgraphs[0], "grouped0"), TN_NO_NODE);
}

Test(partition, mistakes_are_named_and_change_nothing) {
    static const struct {
        const char *option;
        tn_status status;
        const char *message;
    } cases[] = {
        {"wrong=fail", TN_UNAVAILABLE, "partitioner probe: strategy grouped: as you like"},
        {"wrong=group", TN_INVALID_ARGUMENT, "node 'x' is given group -7"},
        {"wrong=attribute", TN_INVALID_ARGUMENT, "subgraph at node 'a': "},
        {"min_nodes=0", TN_INVALID_ARGUMENT, "min_nodes"},
        {"colour=red", TN_INVALID_ARGUMENT, "colour"},
        {"device=abacus", TN_OK, ""},
    };
    char *before, *after;
    make_diamond();
    cr_assert_eq(tn_graph_to_json(graph, &before), TN_OK);
    for (size_t i = 0; i + 1 < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "probe:groups=(-2\\,0\\,0\\,0\\,0),%s", cases[i].option);
        cr_expect_eq(tn_graph_partition_text(graph, text, NULL, 0), cases[i].status, "%s: %s", text,
                     tn_error_message());
        expect_message(cases[i].message);
        cr_assert_eq(tn_graph_to_json(graph, &after), TN_OK);
        cr_expect_str_eq(before, after);
        tn_text_free(after);
    }
    tn_text_free(before);
    cr_expect_eq(tn_graph_partition_text(graph, "nobody", NULL, 0), TN_NOT_FOUND);
    expect_message("no plugin offers the partitioner nobody");
    cr_expect_eq(tn_graph_partition_text(graph, ":a=1", NULL, 0), TN_INVALID_ARGUMENT);
}

static uint32_t random_state;

static uint32_t any(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* A graph of `count` nodes on one input and one parameter, with several outputs. */
static void make_random(uint32_t count) {
    static const char *const unaries[] = {"relu", "negative", "tanh"};
    static const char *const binaries[] = {"elemwise_add", "elemwise_mul", "elemwise_sub"};
    tn_value values[64], outputs[3];
    uint32_t weight;
    tn_tensor *two = floats_of(2, (const float[]){0.5f, -2});
    values[0] = variable("x");
    cr_assert_eq(tn_graph_add_parameter(graph, "w", two, &weight), TN_OK);
    tn_tensor_release(two);
    values[1] = (tn_value){weight, 0};
    for (uint32_t i = 2; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        const uint32_t near = i < 6 ? i : 6;
        const tn_value left = values[i - 1 - any(near)], right = values[i - 1 - any(near)];
        values[i] = any(2) ? unary(unaries[any(3)], name, left)
                           : binary(binaries[any(3)], name, left, right);
    }
    outputs[0] = values[count - 1];
    outputs[1] = values[count - 2];
    outputs[2] = values[count / 2];
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 3), TN_OK);
}

static void run(const tn_graph *which, float *results, size_t size) {
    tn_device *device;
    tn_session *session;
    tn_tensor *input = floats_of(2, (const float[]){0.3f, -0.7f}), *outputs[3] = {NULL};
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create((tn_graph *)(uintptr_t)which, device, NULL, &session), TN_OK,
                 "%s", tn_error_message());
    cr_assert_eq(
        tn_session_run(session, tn_session_input_count(session) == 0 ? NULL : &input, outputs),
        TN_OK, "%s", tn_error_message());
    for (size_t i = 0; i < size / 2; i++) {
        memcpy(results + 2 * i, tn_tensor_data(outputs[i]), 2 * sizeof *results);
        tn_tensor_release(outputs[i]);
    }
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
}

/* That a partition is sound is checked by tn_graph_verify (no cycle) and by the results; that
 * nothing is left over is checked here: every node taken is in some subgraph. */
static void expect_taken(const bool *is_taken, uint32_t count) {
    for (uint32_t i = 2; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        if (is_taken[i]) {
            cr_assert_eq(tn_graph_find_node(graph, name), TN_NO_NODE, "%s is left", name);
        }
    }
}

static void try_random(uint32_t seed, bool by_selector) {
    enum { COUNT = 40 };
    char text[1024] = "";
    bool is_taken[COUNT] = {false};
    float before[6], after[6];
    random_state = seed;
    make_random(COUNT);
    int length = snprintf(text, sizeof text, "probe:%s=(", by_selector ? "selected" : "groups");
    const uint32_t density = 1 + any(5);
    const uint32_t group_count = 1 + any(3);
    for (uint32_t i = 0; i < COUNT; i++) {
        is_taken[i] = i >= 2 && any(6) < density;
        const int group = is_taken[i] ? (int)any(group_count + 1) - 1 : -2;
        if (!by_selector) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%d\\,", group);
        } else if (is_taken[i]) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%u\\,", i);
        }
    }
    snprintf(text + length, sizeof text - (size_t)length, "),dedup_subgraph=%s",
             any(2) ? "True" : "False");
    run(graph, before, 6);
    cr_assert_eq(tn_graph_infer(graph, NULL, 0), TN_OK);
    uint32_t order_count;
    const uint32_t *order = tn_graph_order(graph, &order_count);
    bool is_needed[COUNT] = {false};
    for (uint32_t i = 0; i < order_count; i++) {
        is_needed[order[i]] = true;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        is_taken[i] = is_taken[i] && is_needed[i];
    }
    partition(text);
    expect_taken(is_taken, COUNT);
    run(graph, after, 6);
    cr_assert_arr_eq(before, after, sizeof before, "seed %u: %s", seed, text);

    char *json; /* and what was written is read as the same */
    tn_graph *read;
    cr_assert_eq(tn_graph_to_json(graph, &json), TN_OK);
    cr_assert_eq(tn_graph_from_json(runtime, json, strlen(json), &read), TN_OK, "seed %u: %s", seed,
                 tn_error_message());
    cr_assert_eq(tn_graph_verify(read), TN_OK, "seed %u: %s", seed, tn_error_message());
    tn_text_free(json);
    tn_graph_destroy(read);
}

static void renew_graph(void) {
    tn_graph_destroy(graph);
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
}

Test(partition, random_graphs_by_groups) {
    for (uint32_t seed = 1; seed <= 300; seed++) {
        try_random(seed, false);
        renew_graph();
    }
}

Test(partition, random_graphs_by_selector) {
    for (uint32_t seed = 1; seed <= 300; seed++) {
        try_random(seed, true);
        renew_graph();
    }
}

Test(partition, the_same_graph_is_partitioned_the_same_way) {
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        random_state = 77;
        make_random(40);
        partition("probe:selected=(4\\,5\\,6\\,9\\,12\\,13\\,17\\,20\\,21\\,22\\,30\\,31)");
        cr_assert_eq(tn_graph_to_json(graph, &texts[i]), TN_OK);
        renew_graph();
    }
    cr_expect_str_eq(texts[0], texts[1]);
    tn_text_free(texts[0]);
    tn_text_free(texts[1]);
}

Test(partition, states_that_a_subgraph_changes_are_the_graphs) {
    const int64_t extents[] = {1, 2, 1};
    const tn_value x = variable("x");
    static const char *const attributes[] = {"fix_gamma", "False", NULL};
    const tn_value norm = node_of("BatchNorm", "norm", &x, 1, attributes);
    cr_assert_eq(tn_graph_complete_inputs(graph, norm.node), TN_OK);
    output(unary("relu", "out", norm));
    const tn_named_type type = float_type("x", 3, extents);
    const uint32_t mean = tn_graph_find_node(graph, "norm_moving_mean");
    cr_assert_eq(tn_graph_variable_kind(graph, mean), TN_VARIABLE_AUXILIARY);
    cr_assert_eq(
        tn_graph_partition_text(graph, "probe:groups=(-2\\,0\\,-2\\,-2\\,-2\\,-2\\,0)", &type, 1),
        TN_OK, "%s", tn_error_message());
    cr_expect_eq(count_subgraphs(), 1u);
    cr_expect_eq(tn_graph_variable_kind(graph, tn_graph_find_node(graph, "norm_moving_mean")),
                 TN_VARIABLE_AUXILIARY);
    cr_expect_eq(tn_graph_variable_kind(graph, tn_graph_find_node(graph, "norm_gamma")),
                 TN_VARIABLE_INPUT);
    tn_tensor_type known;
    const tn_value gamma = {tn_graph_find_node(graph, "norm_gamma"), 0};
    cr_assert_eq(tn_graph_type(graph, gamma, &known), TN_OK);
    cr_expect_eq(known.shape.extents[0], 2); /* found inside the subgraph */
}

Test(partition, other_shapes_may_come_later) {
    make_diamond();
    const int64_t two[] = {2}, three[] = {3};
    const tn_named_type first = float_type("x", 1, two), second = float_type("x", 1, three);
    tn_tensor_type known;
    uint32_t count;
    cr_assert_eq(tn_graph_partition_text(graph, "probe:groups=(-2\\,0\\,0\\,0\\,0)", &first, 1),
                 TN_OK);
    cr_assert_eq(tn_graph_infer(graph, &second, 1), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_type(graph, tn_graph_outputs(graph, &count)[0], &known), TN_OK);
    cr_expect_eq(known.shape.extents[0], 3);
}

Test(partition, a_subgraph_runs_on_the_device_that_it_names) {
    float before[6], after[6];
    random_state = 5;
    make_random(30);
    run(graph, before, 6);
    partition("probe:groups=(-2\\,-2\\,0\\,0\\,0\\,0\\,0\\,0\\,0\\,0\\,0\\,0\\,0\\,0),device=cpu");
    run(graph, after, 6);
    cr_expect_arr_eq(before, after, sizeof before);
}
