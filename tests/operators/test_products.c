/* Matrix products of every small size, and of sizes that nothing divides, against a sum in double.
 */
#include <criterion/criterion.h>
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
    cr_expect_eq(test_validation_messages(runtime), 0, "the validation layer has complaints");
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(products, .init = set_up, .fini = tear_down, .timeout = 600);

/* Numbers that float16 holds, in no order. */
static tn_tensor *matrix(tn_dtype dtype, int64_t rows, int64_t columns) {
    tn_tensor *tensor;
    const int64_t extents[] = {rows, columns};
    cr_assert_eq(tn_tensor_create(runtime, dtype, 2, extents, &tensor), TN_OK);
    for (int64_t i = 0; i < rows * columns; i++) {
        test_set_element(tn_tensor_view(tensor), i, (double)(i * 7919 % 257 - 128) / 128);
    }
    return tensor;
}

static void multiply(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
    tn_tensor *inputs[] = {matrix(dtype, m, k), matrix(dtype, k, n)}, *product = NULL;
    cr_assert_eq(test_run_node(runtime, device, "dot", NULL, 0, inputs, 2, 0, &product, 1, NULL),
                 TN_OK, "%s", tn_error_message());
    const tn_view *a = tn_tensor_view(inputs[0]), *b = tn_tensor_view(inputs[1]);
    const tn_view *c = tn_tensor_view(product);
    double largest = 0, worst = 0;
    for (int64_t row = 0; row < m; row++) {
        for (int64_t column = 0; column < n; column++) {
            double sum = 0;
            for (int64_t i = 0; i < k; i++) {
                sum += test_element(a, row * k + i) * test_element(b, i * n + column);
            }
            const double off = fabs(test_element(c, row * n + column) - sum);
            largest = fabs(sum) > largest ? fabs(sum) : largest;
            worst = !(off <= worst) ? off : worst;
        }
    }
    cr_expect(worst <= largest * (dtype == TN_F32 ? 1e-5 : 1e-3),
              "%s, %lld x %lld x %lld: off by %g of %g", tn_dtype_text(dtype), (long long)m,
              (long long)n, (long long)k, worst, largest);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_tensor_release(product);
}

static void multiply_all(tn_dtype dtype) {
    static const int64_t primes[] = {71, 97, 127, 131, 193, 257};
    for (int64_t size = 1; size <= 67; size++) {
        multiply(dtype, size, size, size);
    }
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        multiply(dtype, primes[i], primes[(i + 1) % 6], primes[(i + 2) % 6]);
    }
}

Test(products, of_float32) {
    multiply_all(TN_F32);
}

Test(products, of_float16) {
    multiply_all(TN_F16);
}

/* The gradients of the sum of the squares of the product, against differences. */

enum { M = 2, K = 3, N = 4 };

static double sum_of_squares(const char *op, const tn_option *transposes, tn_tensor **inputs) {
    tn_tensor *result = NULL;
    cr_assert_eq(tn_invoke(runtime, op, transposes, 2, inputs, 2, &result, 1), TN_OK, "%s",
                 tn_error_message());
    double sum = 0;
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(result)); i++) {
        const double element = test_element(tn_tensor_view(result), i);
        sum += element * element;
    }
    tn_tensor_release(result);
    return sum;
}

static tn_tensor *factor(int64_t batch, int64_t rows, int64_t columns, int seed) {
    tn_tensor *tensor;
    const int64_t extents[] = {batch, rows, columns};
    const int32_t skipped = batch == 0; /* a matrix */
    cr_assert_eq(tn_tensor_create(runtime, TN_F64, 3 - skipped, extents + skipped, &tensor), TN_OK);
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(tensor)); i++) {
        test_set_element(tn_tensor_view(tensor), i, (double)((i + seed) * 7919 % 257 - 128) / 128);
    }
    return tensor;
}

static void expect_gradients(const char *op, const tn_option *transposes, tn_tensor **inputs) {
    tn_graph *graph;
    tn_device
        *cpu; /* what the gradient adds are nodes like others: their kernels are tried above */
    tn_session *session;
    uint32_t variables[2], node, square;
    tn_value slopes[2];
    tn_tensor *results[2] = {NULL, NULL};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "a", NULL, &variables[0]), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "b", NULL, &variables[1]), TN_OK);
    const tn_value values[] = {{variables[0], 0}, {variables[1], 0}};
    cr_assert_eq(tn_graph_add_node(graph, op, NULL, transposes, 2, values, 2, &node), TN_OK);
    cr_assert_eq(
        tn_graph_add_node(graph, "square", NULL, NULL, 0, &(const tn_value){node, 0}, 1, &square),
        TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){square, 0}, 1), TN_OK);
    cr_assert_eq(tn_graph_add_gradient(graph, variables, 2, slopes), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, slopes, 2), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    cr_assert_eq(tn_session_create(graph, cpu, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, inputs, results), TN_OK, "%s", tn_error_message());
    for (int which = 0; which < 2; which++) {
        const tn_view *view = tn_tensor_view(inputs[which]);
        for (int64_t i = 0; i < tn_element_count(view); i++) {
            const double before = test_element(view, i), step = 1e-4;
            test_set_element(view, i, before + step);
            const double above = sum_of_squares(op, transposes, inputs);
            test_set_element(view, i, before - step);
            const double below = sum_of_squares(op, transposes, inputs);
            test_set_element(view, i, before);
            const double got = test_element(tn_tensor_view(results[which]), i);
            cr_expect(fabs(got - (above - below) / (2 * step)) < 1e-6,
                      "%s(%s,%s): element %d of factor %d is %g", op, transposes[0].value,
                      transposes[1].value, (int)i, which, got);
        }
        tn_tensor_release(results[which]);
    }
    tn_session_destroy(session);
    tn_device_close(cpu);
    tn_graph_destroy(graph);
}

Test(products, gradients) {
    for (int i = 0; i < 8; i++) {
        const int ta = i & 1, tb = i >> 1 & 1, batch = i & 4 ? 2 : 0;
        const tn_option transposes[] = {{"transpose_a", ta ? "True" : "False"},
                                        {"transpose_b", tb ? "True" : "False"}};
        tn_tensor *inputs[] = {factor(batch, ta ? K : M, ta ? M : K, 1),
                               factor(batch, tb ? N : K, tb ? K : N, 5)};
        expect_gradients(batch > 0 ? "batch_dot" : "dot", transposes, inputs);
        tn_tensor_release(inputs[0]);
        tn_tensor_release(inputs[1]);
    }
}
