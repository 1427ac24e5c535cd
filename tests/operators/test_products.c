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
