/* Elements that are known before a run: nodes that make nothing else are not run. */
#include "../graph/graph_fixture.h"

TestSuite(known_values, .init = fixture_set_up, .fini = fixture_tear_down);

enum { ROWS = 2, COLUMNS = 6, COUNT = ROWS * COLUMNS };
static const int64_t extents[] = {ROWS, COLUMNS};

static tn_tensor *input_tensor(void) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, extents, &tensor), TN_OK);
    for (int i = 0; i < COUNT; i++) {
        ((float *)tn_tensor_data(tensor))[i] = (float)i;
    }
    return tensor;
}

/* The shape of -x, turned around. */
static tn_value turned_shape(tn_value x) {
    const char *const attributes[] = {"axis", "0", NULL};
    const tn_value shape = unary("onnx.Shape", "shape", unary("negative", "minus", x));
    return node_of("reverse", "turned", &shape, 1, attributes);
}

static void expect_steps(const tn_session *session, const char *const *ops, uint32_t count) {
    cr_expect_eq(tn_session_step_count(session), count);
    for (uint32_t i = 0; i < tn_session_step_count(session) && i < count; i++) {
        tn_step_info info = {.struct_size = TN_STEP_INFO_SIZE};
        cr_assert_eq(tn_session_step(session, i, &info), TN_OK);
        cr_expect_str_eq(info.op, ops[i]);
    }
}

static void run(tn_tensor **results, const char *const *ops, uint32_t count) {
    tn_device *device;
    tn_session *session;
    tn_tensor *input = input_tensor();
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_run(session, &input, results), TN_OK, "%s", tn_error_message());
    }
    expect_steps(session, ops, count);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
}

/* Neither the arithmetic on shapes nor what only a shape is taken of. */
Test(known_values, are_not_computed_by_a_run) {
    const tn_value x = variable("x");
    tn_tensor *result = NULL;
    output(unary("abs", "result", binary("onnx.Reshape", "reshaped", x, turned_shape(x))));
    run(&result, (const char *const[]){"onnx.Reshape", "abs"}, 2);
    const tn_view *view = tn_tensor_view(result);
    cr_expect_eq(view->rank, 2);
    cr_expect_eq(view->shape[0], COLUMNS);
    cr_expect_eq(((const float *)tn_tensor_data(result))[COUNT - 1], COUNT - 1);
    tn_tensor_release(result);
}

Test(known_values, can_be_outputs) {
    const tn_value x = variable("x"), shape = turned_shape(x);
    const tn_value outputs[] = {binary("onnx.Reshape", "reshaped", x, shape), shape};
    tn_tensor *results[2] = {NULL, NULL};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 2), TN_OK);
    run(results, (const char *const[]){"onnx.Reshape"}, 1);
    const int64_t *found = tn_tensor_data(results[1]);
    cr_expect_eq(found[0], COLUMNS);
    cr_expect_eq(found[1], ROWS);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
}
