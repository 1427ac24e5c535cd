/* Layouts between kernels: what is agreed is what they get, and reorders are few. */
#include <math.h>

#include "../graph/graph_fixture.h"

TestSuite(layouts, .init = fixture_set_up, .fini = fixture_tear_down);

enum { BATCH = 2, CHANNELS = 3, HEIGHT = 4, WIDTH = 5, COUNT = BATCH * CHANNELS * HEIGHT * WIDTH };

static const int64_t extents[] = {BATCH, CHANNELS, HEIGHT, WIDTH};

static float datum(int64_t index) {
    return (float)(index * 7 % 101);
}

static float channel_of(int64_t index) {
    return (float)(index / (HEIGHT * WIDTH) % CHANNELS);
}

static tn_tensor *input_tensor(void) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 4, extents, &tensor), TN_OK);
    for (int64_t i = 0; i < COUNT; i++) {
        ((float *)tn_tensor_data(tensor))[i] = datum(i);
    }
    return tensor;
}

static uint32_t count_steps(const tn_session *session, const char *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_session_step_count(session); i++) {
        tn_step_info info = {.struct_size = TN_STEP_INFO_SIZE};
        cr_assert_eq(tn_session_step(session, i, &info), TN_OK);
        count += strcmp(info.op, op) == 0;
    }
    return count;
}

/* Runs the graph twice and expects `wanted(index)` of each element, and that many reorders. */
static void expect_run(float (*wanted)(int64_t), uint32_t reorders) {
    tn_device *device;
    tn_session *session;
    tn_tensor *input = input_tensor(), *result = NULL;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    for (int run = 0; run < 2; run++) {
        cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
        const float *values = tn_tensor_data(result);
        for (int64_t i = 0; i < COUNT; i++) {
            cr_assert_eq(values[i], wanted(i), "element %d is %g, expected %g", (int)i,
                         (double)values[i], (double)wanted(i));
        }
    }
    cr_expect_eq(count_steps(session, "reorder"), reorders, "%u reorders, expected %u",
                 count_steps(session, "reorder"), reorders);
    tn_tensor_release(result);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
}

static float twice_numbered(int64_t index) {
    return datum(index) + 2 * channel_of(index);
}

Test(layouts, values_stay_between_kernels_that_agree) {
    const tn_value first = unary("probe_channels", "first", variable("x"));
    output(unary("probe_channels", "second", first));
    expect_run(twice_numbered, 2);
}

static float four_times_less_one(int64_t index) {
    const float value = datum(index) + channel_of(index);
    return value + value - 1;
}

Test(layouts, element_wise_kernels_take_them_as_they_come) {
    const tn_value numbered = unary("probe_channels", "first", variable("x"));
    const tn_value doubled = binary("elemwise_add", NULL, numbered, unary("relu", NULL, numbered));
    static const char *const one[] = {"scalar", "1", NULL};
    output(node_of("_minus_scalar", NULL, &doubled, 1, one));
    expect_run(four_times_less_one, 2);
}

static float sum_of_both(int64_t index) {
    return datum(index) + channel_of(index) + 2 * datum(index);
}

Test(layouts, one_reorder_serves_all_that_read_it) {
    const tn_value x = variable("x");
    const tn_value numbered = unary("probe_channels", "first", x);
    const tn_value left = binary("elemwise_add", NULL, numbered, x);
    output(binary("elemwise_add", NULL, left, x));
    expect_run(sum_of_both, 2);
}

static float numbered_once(int64_t index) {
    return datum(index) + channel_of(index);
}

Test(layouts, a_kernel_that_knows_only_row_major_gets_it) {
    static const char *const flat[] = {"shape", "(0,-1)", NULL};
    static const char *const back[] = {"shape", "(0,3,4,5)", NULL};
    const tn_value numbered = unary("probe_channels", "first", variable("x"));
    const tn_value reshaped = node_of("Reshape", NULL, &numbered, 1, flat);
    output(node_of("Reshape", NULL, &reshaped, 1, back));
    expect_run(numbered_once, 2);
}

/* What an operand of some shape, stretched to the whole, has for an element; its elements are
 * numbered. */
static float stretched(int64_t index, int32_t rank, const int64_t *shape) {
    int64_t number = 0, stride = 1;
    for (int32_t axis = 3; axis >= 4 - rank; axis--) {
        const int64_t extent = shape[axis - (4 - rank)];
        number += (extent == 1 ? 0 : index % extents[axis]) * stride;
        stride *= extent;
        index /= extents[axis];
    }
    return (float)number;
}

/* x, numbered by channels, with an operand of this shape: by one function, and by a fused node.
 * One reorder is for x, one for each output that is channels-last. */
static void expect_stretched(int32_t rank, const int64_t *shape, uint32_t reorders) {
    static const char *const program[] = {"program", "multiply(%0,%1) add(%2,%1)", NULL};
    tn_tensor *operand, *inputs[2] = {input_tensor(), NULL}, *results[2] = {NULL, NULL};
    tn_device *device;
    tn_session *session;
    const tn_value numbered = unary("probe_channels", "first", variable("x"));
    const tn_value operands[] = {numbered, variable("y")};
    const tn_value both[] = {node_of("broadcast_sub", NULL, operands, 2, NULL),
                             node_of("fused_elementwise", NULL, operands, 2, program)};
    cr_assert_eq(tn_graph_set_outputs(graph, both, 2), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, rank, shape, &operand), TN_OK);
    for (uint64_t i = 0; i < tn_tensor_byte_size(operand) / sizeof(float); i++) {
        ((float *)tn_tensor_data(operand))[i] = (float)i;
    }
    inputs[1] = operand;
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    cr_assert_eq(tn_session_run(session, inputs, results), TN_OK, "%s", tn_error_message());
    const float *differences = tn_tensor_data(results[0]), *sums = tn_tensor_data(results[1]);
    for (int64_t i = 0; i < COUNT; i++) {
        const float x = numbered_once(i), y = stretched(i, rank, shape);
        cr_assert_eq(differences[i], x - y, "element %d", (int)i);
        cr_assert_eq(sums[i], x * y + y, "element %d", (int)i);
    }
    cr_expect_eq(count_steps(session, "reorder"), reorders, "%u reorders, expected %u",
                 count_steps(session, "reorder"), reorders);
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(operand);
    tn_session_destroy(session);
    tn_device_close(device);
}

#define STRETCHED_TEST(NAME, REORDERS, RANK, ...)                                                  \
    Test(layouts, NAME) {                                                                          \
        static const int64_t shape[] = {__VA_ARGS__};                                              \
        expect_stretched(RANK, shape, REORDERS);                                                   \
    }
STRETCHED_TEST(a_number_is_stretched, 3, 1, 1)
STRETCHED_TEST(places_without_channels_are_stretched, 3, 2, HEIGHT, WIDTH)
STRETCHED_TEST(channels_are_stretched, 3, 3, CHANNELS, 1, 1)
STRETCHED_TEST(channels_of_each_sample_are_stretched, 3, 4, BATCH, CHANNELS, 1, 1)
STRETCHED_TEST(places_are_stretched, 3, 4, BATCH, 1, HEIGHT, WIDTH)
STRETCHED_TEST(a_sample_is_stretched, 4, 4, 1, CHANNELS, HEIGHT, WIDTH)
STRETCHED_TEST(what_is_not_stretched_is_laid_out_alike, 4, 4, BATCH, CHANNELS, HEIGHT, WIDTH)
STRETCHED_TEST(a_sample_without_its_batch_is_row_major, 2, 3, CHANNELS, HEIGHT, WIDTH)

/* What an operator gives for channels-last data is what it gives for the same data row-major. */
static void expect_equal_in_both_layouts(const char *op, const char *const *attributes) {
    static const char *const flat[] = {"shape", "(0,-1)", NULL};
    static const char *const back[] = {"shape", "(0,3,4,5)", NULL};
    tn_tensor *input = input_tensor(), *results[2] = {NULL, NULL};
    tn_device *device;
    tn_session *session;
    const tn_value numbered = unary("probe_channels", "first", variable("x"));
    const tn_value reshaped = node_of("Reshape", NULL, &numbered, 1, flat);
    const tn_value plain = node_of("Reshape", NULL, &reshaped, 1, back);
    const tn_value both[] = {node_of(op, NULL, &numbered, 1, attributes),
                             node_of(op, NULL, &plain, 1, attributes)};
    cr_assert_eq(tn_graph_set_outputs(graph, both, 2), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK);
    cr_assert_eq(tn_session_run(session, &input, results), TN_OK, "%s", tn_error_message());
    const float *given = tn_tensor_data(results[0]), *wanted = tn_tensor_data(results[1]);
    for (int64_t i = 0; i < COUNT; i++) {
        cr_assert_float_eq(given[i], wanted[i], 1e-6 * (1 + fabs((double)wanted[i])),
                           "element %d is %g, expected %g", (int)i, (double)given[i],
                           (double)wanted[i]);
    }
    cr_expect_eq(count_steps(session, "reorder"), 3); /* of x, for the plain one, of its result */
    tn_tensor_release(results[0]);
    tn_tensor_release(results[1]);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_device_close(device);
}

Test(layouts, local_response_norm) {
    static const char *const attributes[] = {"nsize", "3", "alpha", "0.5", NULL};
    expect_equal_in_both_layouts("LRN", attributes);
}

Test(layouts, local_response_norm_over_more_channels_than_there_are) {
    static const char *const attributes[] = {"nsize", "9",     "alpha", "0.5", "beta",
                                             "0.6",   "knorm", "1",     NULL};
    expect_equal_in_both_layouts("LRN", attributes);
}

Test(layouts, one_place_a_channel_is_both_layouts) {
    const int64_t shape[] = {2, 3, 1, 1};
    float values[6];
    tn_tensor *input, *result = NULL;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 4, shape, &input), TN_OK);
    memset(tn_tensor_data(input), 0, 6 * sizeof(float));
    cr_assert_eq(tn_invoke(runtime, "probe_channels", NULL, 0, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_tensor_read(result, values, sizeof values), TN_OK);
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(values[i], (float)(i % 3));
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
}

Test(layouts, an_unknown_layout_is_the_kernel_s_fault) {
    tn_tensor *input = input_tensor(), *result = NULL;
    cr_expect_eq(tn_invoke(runtime, "probe_wrong_layout", NULL, 0, &input, 1, &result, 1),
                 TN_CORRUPT);
    expect_message("asks for layout 7 for input 0");
    tn_tensor_release(input);
}
