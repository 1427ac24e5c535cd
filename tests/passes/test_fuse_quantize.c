/* fuse-quantize on a network of a convolution, a pooling and a product between quantised values. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/arrays.h"
#include "random_graph.h"
#include "run_graph.h"

static tn_runtime *runtime;
static tn_graph *graph;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
}

static void tear_down(void) {
    tn_graph_destroy(graph);
    tn_runtime_destroy(runtime);
}

TestSuite(fuse_quantize, .init = set_up, .fini = tear_down);

static const tn_value none = {TN_NO_NODE, 0};

static tn_value node(const char *op, const tn_option *options, uint32_t option_count,
                     const tn_value *inputs, uint32_t input_count) {
    tn_value made = {0, 0};
    cr_assert_eq(
        tn_graph_add_node(graph, op, NULL, options, option_count, inputs, input_count, &made.node),
        TN_OK, "%s", tn_error_message());
    return made;
}

/* Elements that are `first`, `first + step` and so on, round and round. */
static tn_value parameter(const char *name, tn_dtype dtype, int32_t rank, const int64_t *extents,
                          double first, double step) {
    tn_tensor *tensor;
    tn_value made = {0, 0};
    cr_assert_eq(tn_tensor_create(runtime, dtype, rank, extents, &tensor), TN_OK);
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(tensor)); i++) {
        test_set_element(tn_tensor_view(tensor), i, first + (double)(i * 37 % 101) * step);
    }
    cr_assert_eq(tn_graph_add_parameter(graph, name, tensor, &made.node), TN_OK);
    tn_tensor_release(tensor);
    return made;
}

static tn_value quantize(tn_value x, tn_value scale, tn_value zero_point) {
    const tn_value inputs[] = {x, scale, zero_point};
    return node("onnx.QuantizeLinear", NULL, 0, inputs, 3);
}

static tn_value dequantize(tn_value x, tn_value scale, tn_value zero_point, const char *axis) {
    const tn_option options[] = {{"axis", axis}};
    const tn_value inputs[] = {x, scale, zero_point};
    return node("onnx.DequantizeLinear", options, 1, inputs, 3);
}

enum { CHANNELS = 3, FILTERS = 6, EXTENT = 9, COLUMNS = 5 };

static const int64_t filters[] = {FILTERS}, columns[] = {COLUMNS};

/* The scale of the data times those of the weights is the bias's, unless told otherwise. */
static tn_value convolution(tn_value x, tn_value scale, tn_value zero_point,
                            double bias_scale_factor) {
    const int64_t weight[] = {FILTERS, CHANNELS, 3, 3};
    const tn_option options[] = {
        {"kernel", "(3,3)"}, {"pad", "(1,1)"}, {"num_filter", "6"}, {"no_bias", "False"}};
    const tn_value weights = dequantize(parameter("w", TN_I8, 4, weight, -50, 1),
                                        parameter("w_scale", TN_F32, 1, filters, 0.001, 0.0001),
                                        parameter("w_zero", TN_I8, 1, filters, 0, 0), "0");
    const tn_value bias =
        dequantize(parameter("b", TN_I32, 1, filters, -1000, 30),
                   parameter("b_scale", TN_F32, 1, filters, 0.02 * 0.001 * bias_scale_factor,
                             0.02 * 0.0001 * bias_scale_factor),
                   none, "0");
    const tn_value inputs[] = {dequantize(x, scale, zero_point, "1"), weights, bias};
    return node("Convolution", options, 4, inputs, 3);
}

/* x, quantised; convolution, relu, maximum, reshape, product, each quantised again. */
static void build(double bias_scale_factor) {
    const int64_t data[] = {2, CHANNELS, EXTENT, EXTENT}, single[] = {1};
    const int64_t weight[] = {FILTERS * 16, COLUMNS};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(4, data)};
    const tn_option pooling[] = {{"kernel", "(2,2)"}, {"stride", "(2,2)"}};
    const tn_option shape[] = {{"shape", "(2,-1)"}};
    const tn_option relu[] = {{"act_type", "relu"}};
    tn_value x = {0, 0};
    cr_assert_eq(tn_graph_add_variable(graph, "x", &type, &x.node), TN_OK);
    const tn_value x_scale = parameter("x_scale", TN_F32, 1, single, 0.02, 0);
    const tn_value x_zero = parameter("x_zero", TN_U8, 1, single, 120, 0);
    const tn_value y_scale = parameter("y_scale", TN_F32, 1, single, 0.01, 0);
    const tn_value y_zero = parameter("y_zero", TN_U8, 1, single, 0, 0);
    tn_value y = convolution(quantize(x, x_scale, x_zero), x_scale, x_zero, bias_scale_factor);
    y = quantize(node("Activation", relu, 1, &y, 1), y_scale, y_zero);
    y = dequantize(y, y_scale, y_zero, "1");
    y = quantize(node("Pooling", pooling, 2, &y, 1), y_scale, y_zero);
    y = dequantize(y, y_scale, y_zero, "1");
    y = quantize(node("Reshape", shape, 1, &y, 1), y_scale, y_zero);
    const tn_value operands[] = {dequantize(y, y_scale, y_zero, "1"),
                                 dequantize(parameter("m", TN_I8, 2, weight, -60, 1),
                                            parameter("m_scale", TN_F32, 1, columns, 0.002, 0.0003),
                                            none, "1")};
    const tn_value z_scale = parameter("z_scale", TN_F32, 1, single, 0.08, 0);
    y = quantize(node("onnx.MatMul", NULL, 0, operands, 2), z_scale, x_zero);
    y = dequantize(y, z_scale, x_zero, "1");
    cr_assert_eq(tn_graph_set_outputs(graph, &y, 1), TN_OK);
}

static uint32_t count_of(const char *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        count +=
            tn_graph_node(graph, i, &info) == TN_OK && info.op != NULL && strcmp(info.op, op) == 0;
    }
    return count;
}

/* Runs the graph before and after the pass; what comes out is off by one step of the last scale at
 * most, and varies. */
static void compare(void) {
    const int64_t data[] = {2, CHANNELS, EXTENT, EXTENT};
    char message[512];
    tn_tensor *input = random_tensor(runtime, 5, 4, data);
    tn_tensor *before = run_graph_on(runtime, graph, "cpu", input);
    cr_assert_eq(tn_graph_run_pass(graph, "fuse-quantize", NULL, 0, NULL, 0), TN_OK, "%s",
                 tn_error_message());
    tn_tensor *after = run_graph_on(runtime, graph, "cpu", input);
    cr_expect(test_tensors_agree(tn_tensor_view(after), tn_tensor_view(before), 0, 0.081, message,
                                 sizeof message),
              "%s", message);
    cr_expect(fabs(test_element(tn_tensor_view(after), 0) -
                   test_element(tn_tensor_view(after), 1)) > 0.3);
    tn_tensor_release(after);
    tn_tensor_release(before);
    tn_tensor_release(input);
}

Test(fuse_quantize, leaves_integers_between_the_ends) {
    build(1);
    compare();
    cr_expect_eq(count_of("onnx.QLinearConv"), 1u);
    cr_expect_eq(count_of("onnx.QLinearMatMul"), 1u);
    cr_expect_eq(count_of("onnx.QuantizeLinear"), 1u);
    cr_expect_eq(count_of("onnx.DequantizeLinear"), 1u);
    cr_expect_eq(count_nodes(graph, 0), 6u);
}

Test(fuse_quantize, leaves_a_bias_of_another_unit_alone) {
    build(2);
    compare();
    cr_expect_eq(count_of("Convolution"), 1u);
    cr_expect_eq(count_of("onnx.QLinearConv"), 0u);
    cr_expect_eq(count_of("onnx.QLinearMatMul"), 1u);
}
