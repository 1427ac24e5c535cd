/*
 * The planner against a sequential oracle: random graphs of element-wise nodes, in which values are
 * read many times and memory is shared, must give what eager calls give one by one.
 */
#include "../graph/graph_fixture.h"

#include <math.h>
#include <stdlib.h>

TestSuite(random_graphs, .init = fixture_set_up, .fini = fixture_tear_down);

enum { NODES = 40, WIDTH = 5, OUTPUTS = 3, ROUNDS = 60 };

typedef struct oracle {
    tn_value values[NODES];
    tn_tensor *tensors[NODES];
    uint32_t count;
} oracle;

static void add(oracle *all, const char *op, const tn_value *inputs, tn_tensor *const *tensors,
                uint32_t count, const char *const *attributes) {
    tn_option options[2];
    uint32_t option_count = attributes != NULL ? 1 : 0;
    if (attributes != NULL) {
        options[0] = (tn_option){attributes[0], attributes[1]};
    }
    all->values[all->count] = node_of(op, NULL, inputs, count, attributes);
    cr_assert_eq(
        tn_invoke(runtime, op, options, option_count, tensors, count, &all->tensors[all->count], 1),
        TN_OK, "%s", tn_error_message());
    all->count++;
}

static void add_random_node(oracle *all) {
    static const char *const unary_ops[] = {"relu", "negative", "probe_workspace", "_copy", "tanh"};
    static const char *const binary_ops[] = {"elemwise_add", "elemwise_sub", "elemwise_mul"};
    const uint32_t a = (uint32_t)rand() % all->count, b = (uint32_t)rand() % all->count;
    const tn_value values[] = {all->values[a], all->values[b]};
    tn_tensor *const tensors[] = {all->tensors[a], all->tensors[b]};
    const int kind = rand() % 8;
    if (kind < 5) {
        add(all, unary_ops[kind], values, tensors, 1, NULL);
    } else if (kind < 7) {
        add(all, binary_ops[rand() % 3], values, tensors, 2, NULL);
    } else {
        static const char *const shape[] = {"shape", "(5)", NULL};
        add(all, "Reshape", values, tensors, 1, shape);
    }
}

/* On the CPU the same bits; another device may round a tanh otherwise. */
static void expect_same(const tn_tensor *got, const tn_tensor *expected, int round) {
    float values[WIDTH];
    const float *wanted = tn_tensor_data(expected);
    cr_assert_eq(tn_tensor_read(got, values, sizeof values), TN_OK, "%s", tn_error_message());
    for (int i = 0; i < WIDTH; i++) {
        const float slack = tn_tensor_data(got) != NULL ? 0 : 1e-3f * (1 + fabsf(wanted[i]));
        cr_expect(values[i] == wanted[i] || fabsf(values[i] - wanted[i]) <= slack ||
                      !isfinite(wanted[i]),
                  "round %d: element %d is %g, expected %g", round, i, (double)values[i],
                  (double)wanted[i]);
    }
}

static void run_round(tn_device *device, int round) {
    oracle all = {.count = 1};
    tn_session *session;
    tn_tensor *results[OUTPUTS] = {0};
    tn_value outputs[OUTPUTS];
    uint32_t chosen[OUTPUTS];
    float values[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        values[i] = (float)(rand() % 2000 - 1000) / 1000;
    }
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    all.values[0] = variable("x");
    all.tensors[0] = floats_of(WIDTH, values);
    while (all.count < NODES) {
        add_random_node(&all);
    }
    for (int i = 0; i < OUTPUTS; i++) {
        chosen[i] = i == 0 ? NODES - 1 : (uint32_t)rand() % NODES;
        outputs[i] = all.values[chosen[i]];
    }
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, OUTPUTS), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    /* A graph may not depend on its input at all. */
    for (int run = 0; run < 2; run++) {
        cr_assert_eq(tn_session_run(session, all.tensors, results), TN_OK, "%s",
                     tn_error_message());
        for (int i = 0; i < OUTPUTS; i++) {
            expect_same(results[i], all.tensors[chosen[i]], round);
        }
    }
    for (int i = 0; i < OUTPUTS; i++) {
        tn_tensor_release(results[i]);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        tn_tensor_release(all.tensors[i]);
    }
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    graph = NULL;
}

static void run_rounds(const char *name) {
    tn_device *device;
    if (tn_device_open(runtime, name, &device) != TN_OK) {
        cr_skip_test("%s", tn_error_message());
    }
    tn_graph_destroy(graph);
    graph = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        srand((unsigned)round);
        run_round(device, round);
    }
    tn_device_close(device);
}

Test(random_graphs, give_what_eager_calls_give) {
    run_rounds("cpu");
}

/* The probe operators have kernels for the CPU alone: work and values go to and fro, and branches
 * run side by side. */
Test(random_graphs, give_the_same_on_a_device_beside_the_cpu) {
    run_rounds("vulkan");
}
