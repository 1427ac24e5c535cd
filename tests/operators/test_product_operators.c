/* The operators that multiply matrices, large enough for every kernel that there is and shared out
 * in every way, with weights that are constants and that are not, against a sum in double. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>

#include "common/arrays.h"
#include "common/single_node.h"

static tn_runtime *runtime;
static tn_device *device;

static void set_up(void) {
    int unavailable;
    runtime = test_runtime();
    cr_assert(runtime != NULL);
    device = test_device(runtime, &unavailable);
    if (unavailable) {
        cr_skip_test("%s", tn_error_message());
    }
    if (device == NULL) {
        cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    }
}

static void tear_down(void) {
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

static tn_tensor *numbers(int32_t rank, const int64_t *extents) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, rank, extents, &tensor), TN_OK);
    float *elements = tn_tensor_data(tensor);
    for (uint64_t i = 0; i < tn_tensor_byte_size(tensor) / sizeof(float); i++) {
        elements[i] = (float)((int64_t)(i * 7919 % 257) - 128) / 128;
    }
    return tensor;
}

typedef struct product_case {
    char op[16];
    int64_t batch, rows, columns, depth;
    int32_t transposes_left, transposes_right;
    int32_t has_bias;
    int32_t is_shared; /* the right operand is one matrix for the whole batch */
} product_case;

/* An operand's matrices, stored transposed or not, with the batch in front where there is one. */
static tn_tensor *operand(int64_t batch, int64_t rows, int64_t columns, int transposed) {
    const int64_t extents[] = {batch, transposed ? columns : rows, transposed ? rows : columns};
    return batch > 1 ? numbers(3, extents) : numbers(2, extents + 1);
}

static double element(const tn_tensor *tensor, int64_t batch, int64_t row, int64_t column,
                      int transposed) {
    const tn_view *view = tn_tensor_view(tensor);
    const int64_t *extents = view->shape + view->rank - 2;
    const int64_t first = (view->rank > 2 ? batch : 0) * extents[0] * extents[1];
    return test_element(view, first + (transposed ? column : row) * extents[1] +
                                  (transposed ? row : column));
}

static void compare(const product_case *given, tn_tensor *const *inputs, const tn_tensor *output) {
    double worst = 0;
    for (int64_t i = 0; i < given->batch * given->rows * given->columns; i++) {
        const int64_t column = i % given->columns, row = i / given->columns % given->rows;
        const int64_t batch = i / given->columns / given->rows;
        double sum = given->has_bias ? test_element(tn_tensor_view(inputs[2]), column) : 0;
        for (int64_t k = 0; k < given->depth; k++) {
            sum += element(inputs[0], batch, row, k, given->transposes_left) *
                   element(inputs[1], batch, k, column, given->transposes_right);
        }
        worst = fmax(worst, fabs(test_element(tn_tensor_view(output), i) - sum));
    }
    cr_expect_lt(worst, 2e-4, "%s, %lld x %lld x %lld x %lld: off by %g", given->op,
                 (long long)given->batch, (long long)given->rows, (long long)given->columns,
                 (long long)given->depth, worst);
}

static void multiply(const product_case *given, uint64_t constants) {
    char hidden[24];
    snprintf(hidden, sizeof hidden, "%lld", (long long)given->columns);
    const char *left = given->transposes_left ? "1" : "0",
               *right = given->transposes_right ? "1" : "0";
    const tn_option dense[] = {{"num_hidden", hidden}, {"no_bias", given->has_bias ? "0" : "1"}};
    const tn_option gemm[] = {{"transA", left}, {"transB", right}};
    const tn_option pairs[] = {{"transpose_a", left}, {"transpose_b", right}};
    const tn_option *options = given->op[0] == 'F'   ? dense
                               : given->op[0] == 'b' ? pairs
                               : given->op[5] == 'G' ? gemm
                                                     : NULL;
    tn_tensor *inputs[3] = {
        operand(given->batch, given->rows, given->depth, given->transposes_left),
        operand(given->is_shared ? 1 : given->batch, given->depth, given->columns,
                given->transposes_right),
        given->has_bias ? numbers(1, &given->columns) : NULL};
    tn_tensor *output = NULL;
    const int has_place = given->has_bias || options == gemm; /* it may stay empty */
    cr_assert_eq(test_run_node(runtime, device, given->op, options, options == NULL ? 0 : 2, inputs,
                               has_place ? 3 : 2, constants, &output, 1, NULL),
                 TN_OK, "%s", tn_error_message());
    compare(given, inputs, output);
    tn_tensor_release(output);
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(inputs[i]);
    }
}

ParameterizedTestParameters(product_operators, give_the_sums_of_products) {
    static product_case cases[] = {
        {"FullyConnected", 1, 1, 301, 257, 0, 1, 1, 1},
        {"FullyConnected", 1, 3, 301, 257, 0, 1, 0, 1},
        {"FullyConnected", 1, 61, 97, 131, 0, 1, 1, 1},
        {"batch_dot", 2, 37, 41, 59, 0, 0, 0, 0},
        {"batch_dot", 7, 37, 41, 59, 0, 1, 0, 0},
        {"batch_dot", 12, 37, 41, 59, 1, 0, 0, 0},
        {"batch_dot", 3, 37, 41, 59, 1, 1, 0, 0},
        {"onnx.Gemm", 1, 1, 500, 300, 0, 1, 1, 1},
        {"onnx.Gemm", 1, 1, 500, 300, 1, 0, 0, 1},
        {"onnx.Gemm", 1, 47, 53, 61, 0, 0, 1, 1},
        {"onnx.Gemm", 1, 47, 53, 61, 1, 1, 1, 1},
        {"onnx.MatMul", 1, 47, 53, 61, 0, 0, 0, 1},
        {"onnx.MatMul", 5, 47, 53, 61, 0, 0, 0, 0},
        {"onnx.MatMul", 5, 47, 53, 61, 0, 0, 0, 1},
    };
    return cr_make_param_array(product_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(product_case *given, product_operators, give_the_sums_of_products, .init = set_up,
                  .fini = tear_down) {
    multiply(given, 0);
    multiply(given, 2);
}
