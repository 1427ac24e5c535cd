/* The generator itself: it knows every operator, and plans give what eager calls give. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_graph.h"
#include "random_node.h"

enum { TRIES = 20000, SETTLED = 10 };

/* How many graphs of a few values it takes to find a valid node; 0 when none was found. */
static uint32_t tries_for(tn_runtime *runtime, const char *op) {
    for (uint32_t seed = 1; seed <= TRIES / SETTLED; seed++) {
        growing_graph g = {.runtime = runtime, .numbers = random_begin(seed)};
        const tn_shape shape = draw_shape(&g.numbers);
        int found = 0;
        cr_assert_eq(tn_graph_create(runtime, &g.graph), TN_OK);
        const known_value made = add_parameter(&g, TN_F32, &shape);
        tn_tensor_retain(made.tensor);
        add_known(&g, made.value, made.tensor, NULL);
        for (int i = 0; !found && i < SETTLED; i++) {
            found = try_operator(&g, op);
        }
        for (uint32_t i = 0; i < g.count; i++) {
            tn_tensor_release(g.values[i].tensor);
        }
        tn_graph_destroy(g.graph);
        if (found) {
            return seed;
        }
    }
    return 0;
}

Test(random_graph, has_nodes_of_every_operator) {
    tn_runtime *runtime = test_runtime();
    uint32_t found = 0, left = 0;
    cr_assert_not_null(runtime);
    for (uint32_t i = 0; i < tn_op_count(runtime); i++) {
        const char *name = tn_op_name(runtime, i);
        if (why_not(runtime, name) != NULL) {
            left++;
            continue;
        }
        cr_expect_gt(tries_for(runtime, name), 0u, "no valid node of %s was found", name);
        found++;
    }
    cr_log_info("%u operators, %u left out", found, left);
    cr_expect_gt(found, 4 * left);
    tn_runtime_destroy(runtime);
}

/* The steps of the last plan that write over an input. */
static uint32_t count_in_place(const tn_session *session) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_session_step_count(session); i++) {
        tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
        cr_assert_eq(tn_session_step(session, i, &step), TN_OK);
        count += step.overwrites[0] != '\0';
    }
    return count;
}

/* Plans share memory and write over what nothing reads any more; eager calls do neither. */
Test(random_graph, plans_give_what_eager_calls_give) {
    tn_runtime *runtime = test_runtime();
    tn_device *device;
    const uint32_t rounds = random_rounds(100);
    uint32_t in_place = 0;
    cr_assert_not_null(runtime);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    for (uint32_t seed = 1; seed <= rounds; seed++) {
        random_graph made;
        tn_session *session;
        tn_tensor *got[RANDOM_OUTPUTS] = {NULL};
        char message[512];
        cr_assert(random_graph_create(runtime, seed, seed % 2, &made));
        cr_assert_eq(tn_session_create(made.graph, device, NULL, &session), TN_OK, "seed %u: %s",
                     seed, tn_error_message());
        cr_assert_eq(tn_session_run(session, &made.input, got), TN_OK, "seed %u: %s", seed,
                     tn_error_message());
        in_place += count_in_place(session);
        for (uint32_t i = 0; i < RANDOM_OUTPUTS; i++) {
            cr_expect(test_tensors_agree(tn_tensor_view(got[i]), tn_tensor_view(made.outputs[i]), 0,
                                         0, message, sizeof message),
                      "seed %u, output %u: %s", seed, i, message);
            tn_tensor_release(got[i]);
        }
        tn_session_destroy(session);
        random_graph_destroy(&made);
    }
    cr_log_info("%u nodes in place in %u graphs", in_place, rounds);
    cr_expect_gt(in_place, rounds);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}
