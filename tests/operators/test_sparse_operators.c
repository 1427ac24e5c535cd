/*
 * Operators on sparse tensors: against an independent framework (sparse_cases.json, see README.md),
 * and for every dtype against the same operators on dense tensors.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"

enum { MAX_TENSORS = 4, MAX_OPTIONS = 8 };

static tn_runtime *runtime;
static tn_device *device;

static void set_up(void) {
    int unavailable;
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    device = test_device(runtime, &unavailable);
    if (unavailable) {
        cr_skip_test("%s", tn_error_message());
    }
}

static void tear_down(void) {
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(sparse_operators, .init = set_up, .fini = tear_down);

static void cast(tn_tensor **tensor, const char *storage) {
    const tn_option option = {"stype", storage};
    tn_tensor *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "cast_storage", &option, 1, tensor, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    tn_tensor_release(*tensor);
    *tensor = result;
}

static const char *storage_name(const tn_tensor *tensor) {
    return tn_tensor_storage(tensor) == TN_STORAGE_DENSE
               ? "default"
               : tn_storage_name(tn_tensor_storage(tensor));
}

static tn_status run(const char *op, const tn_option *options, uint32_t option_count,
                     tn_tensor *const *inputs, uint32_t input_count, tn_tensor **out_result) {
    *out_result = NULL;
    return device != NULL
               ? test_run_node(runtime, device, op, options, option_count, inputs, input_count, 0,
                               out_result, 1, NULL)
               : tn_invoke(runtime, op, options, option_count, inputs, input_count, out_result, 1);
}

static void run_case(size_t number, const json_t *test) {
    const char *op = json_string_value(json_object_get(test, "operator"));
    const json_t *given = json_object_get(test, "inputs");
    const json_t *wanted = json_array_get(json_object_get(test, "outputs"), 0);
    const json_t *wanted_storage = json_object_get(wanted, "storage");
    tn_tensor *inputs[MAX_TENSORS], *result, *expected;
    tn_option options[MAX_OPTIONS];
    uint32_t option_count = 0;
    const uint32_t input_count = (uint32_t)json_array_size(given);
    char message[1024];
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(test, "attributes"), key, value) {
        options[option_count++] = (tn_option){key, json_string_value(value)};
    }
    for (uint32_t i = 0; i < input_count; i++) {
        const json_t *tensor = json_array_get(given, i);
        cr_assert_eq(test_tensor_from_json(runtime, tensor, &inputs[i]), TN_OK);
        cast(&inputs[i], json_string_value(json_object_get(tensor, "storage")));
    }
    cr_assert_eq(run(op, options, option_count, inputs, input_count, &result), TN_OK,
                 "case %zu: %s", number, tn_error_message());
    cr_expect_eq(tn_tensor_check_sparse(result), TN_OK, "case %zu: %s", number, tn_error_message());
    if (wanted_storage != NULL) {
        cr_expect_str_eq(storage_name(result), json_string_value(wanted_storage), "case %zu (%s)",
                         number, op);
    }
    cast(&result, "default");
    cr_assert_eq(test_tensor_from_json(runtime, wanted, &expected), TN_OK);
    const bool agrees = test_tensors_agree(tn_tensor_view(result), tn_tensor_view(expected), 1e-5,
                                           1e-6, message, sizeof message);
    cr_expect(agrees, "case %zu (%s): %s", number, op, message);
    tn_tensor_release(result);
    tn_tensor_release(expected);
    for (uint32_t i = 0; i < input_count; i++) {
        tn_tensor_release(inputs[i]);
    }
}

Test(sparse_operators, agree_with_the_reference) {
    char path[4200];
    json_error_t error;
    snprintf(path, sizeof path, "%s/tests/operators/sparse_cases.json",
             getenv("TENON_TEST_SOURCE"));
    json_t *cases = json_load_file(path, 0, &error);
    cr_assert(cases != NULL, "%s: line %d: %s", path, error.line, error.text);
    cr_assert_gt(json_array_size(cases), 100);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        run_case(i, json_array_get(cases, i));
    }
    json_decref(cases);
}

/* Small whole numbers, most of them zero, the same for the same seed. */
static tn_tensor *random_matrix(tn_dtype dtype, uint32_t seed) {
    const int64_t extents[] = {7, 40};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, dtype, 2, extents, &tensor), TN_OK);
    const tn_view *view = tn_tensor_view(tensor);
    for (int64_t i = 0; i < 280; i++) {
        seed = seed * 1664525u + 1013904223u;
        const int is_zero = (seed >> 24) % 4 != 0 || i / 40 == 2;
        test_set_element(view, i, is_zero ? 0 : 1 + (seed >> 16) % (dtype == TN_BOOL ? 1 : 9));
    }
    return tensor;
}

static void compare(const char *op, const tn_option *option, tn_dtype dtype, const char *left,
                    const char *right) {
    char message[1024];
    const uint32_t option_count = option->name == NULL ? 0 : 1, count = right == NULL ? 1 : 2;
    tn_tensor *inputs[] = {random_matrix(dtype, 1), random_matrix(dtype, 2)}, *expected, *got;
    cr_assert_eq(run(op, option, option_count, inputs, count, &expected), TN_OK, "%s",
                 tn_error_message());
    cast(&inputs[0], left);
    cast(&inputs[1], right == NULL ? "default" : right);
    cr_assert_eq(run(op, option, option_count, inputs, count, &got), TN_OK, "%s",
                 tn_error_message());
    cr_expect_neq(tn_tensor_storage(got), TN_STORAGE_DENSE, "%s of %s", op, left);
    cast(&got, "default");
    cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(expected), 0, 0, message,
                                 sizeof message),
              "%s of %s: %s", op, left, message);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_tensor_release(expected);
    tn_tensor_release(got);
}

Test(sparse_operators, every_dtype_gives_what_dense_tensors_give) {
    static const tn_dtype dtypes[] = {TN_F16, TN_BF16, TN_F32, TN_F64, TN_I8,  TN_I16, TN_I32,
                                      TN_I64, TN_U8,   TN_U16, TN_U32, TN_U64, TN_BOOL};
    static const char *const storages[] = {"row_sparse", "csr"};
    const tn_option none = {NULL, NULL}, scalar = {"scalar", "3"}, dtype = {"dtype", "int32"};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        for (size_t j = 0; j < 2; j++) {
            const char *storage = storages[j];
            compare("elemwise_add", &none, dtypes[i], storage, storage);
            compare("elemwise_sub", &none, dtypes[i], storage, storage);
            compare("elemwise_mul", &none, dtypes[i], storage, storage);
            compare("elemwise_mul", &none, dtypes[i], storage, "default");
            compare("elemwise_mul", &none, dtypes[i], "default", storage);
            compare("_mul_scalar", &scalar, dtypes[i], storage, NULL);
            compare("square", &none, dtypes[i], storage, NULL);
            compare("Cast", &dtype, dtypes[i], storage, NULL);
        }
        compare("add_n", &none, dtypes[i], "row_sparse", "row_sparse");
    }
}

/* dot of CSR and dense: the gradient of the dense factor is row-sparse, as sparse as the other is;
 * both are what dense tensors give. */
Test(sparse_operators, gradients_of_a_product) {
    static const int64_t left_shape[] = {2, 4}, right_shape[] = {4, 2};
    static const double left_values[] = {0, 5, 0, 0, 7, 2, 0, 0};
    static const double expected[] = {7, 7, 7, 7, 0, 0, 0, 0}; /* the sums of left's columns */
    tn_graph *graph;
    tn_session *session;
    uint32_t variables[2], node;
    tn_value slopes[2];
    tn_tensor *inputs[2], *results[2] = {NULL, NULL};
    if (device != NULL) {
        cr_skip_test("sparse tensors are the CPU's");
    }
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, left_shape, &inputs[0]), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, right_shape, &inputs[1]), TN_OK);
    for (int i = 0; i < 8; i++) {
        test_set_element(tn_tensor_view(inputs[0]), i, left_values[i]);
        test_set_element(tn_tensor_view(inputs[1]), i, i);
    }
    cast(&inputs[0], "csr");
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    tn_tensor_type csr = {TN_F32, TN_STORAGE_CSR, tn_shape_of(2, left_shape)};
    cr_assert_eq(tn_graph_add_variable(graph, "a", &csr, &variables[0]), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "b", NULL, &variables[1]), TN_OK);
    const tn_value values[] = {{variables[0], 0}, {variables[1], 0}};
    cr_assert_eq(tn_graph_add_node(graph, "dot", NULL, NULL, 0, values, 2, &node), TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
    cr_assert_eq(tn_graph_add_gradient(graph, variables, 2, slopes), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, slopes, 2), TN_OK);
    tn_device *cpu;
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    cr_assert_eq(tn_session_create(graph, cpu, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, inputs, results), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(storage_name(results[1]), "row_sparse");
    cast(&results[1], "default");
    for (int i = 0; i < 8; i++) {
        cr_expect_eq(test_element(tn_tensor_view(results[1]), i), expected[i], "element %d", i);
        const int row = i % 4; /* the sum of right's row */
        cr_expect_eq(test_element(tn_tensor_view(results[0]), i), 4 * row + 1, "element %d", i);
    }
    for (int i = 0; i < 2; i++) {
        tn_tensor_release(inputs[i]);
        tn_tensor_release(results[i]);
    }
    tn_session_destroy(session);
    tn_device_close(cpu);
    tn_graph_destroy(graph);
}

/* The slope of a sum of squares is twice the tensor. */
Test(sparse_operators, gradient_of_a_sum_of_squares) {
    static const int64_t shape[] = {2, 3};
    tn_graph *graph;
    tn_session *session;
    tn_device *cpu;
    tn_tensor *input, *result = NULL;
    tn_value slope;
    uint32_t x, node;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, shape, &input), TN_OK);
    for (int i = 0; i < 6; i++) {
        test_set_element(tn_tensor_view(input), i, i - 2);
    }
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x), TN_OK);
    cr_assert_eq(
        tn_graph_add_node(graph, "_square_sum", NULL, NULL, 0, &(const tn_value){x, 0}, 1, &node),
        TN_OK);
    cr_assert_eq(tn_graph_set_outputs(graph, &(const tn_value){node, 0}, 1), TN_OK);
    cr_assert_eq(tn_graph_add_gradient(graph, &x, 1, &slope), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_set_outputs(graph, &slope, 1), TN_OK);
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    cr_assert_eq(tn_session_create(graph, cpu, NULL, &session), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(test_element(tn_tensor_view(result), i), 2 * (i - 2));
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
    tn_session_destroy(session);
    tn_device_close(cpu);
    tn_graph_destroy(graph);
}
