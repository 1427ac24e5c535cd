/* Operators of extension libraries on sparse tensors, in all versions of the library API. */
#include <criterion/parameterized.h>

#include <tenon/sparse.h>

#include "extension_fixture.h"

#define VERSIONED(name)                                                                            \
    ParameterizedTestParameters(extension_sparse, name) {                                          \
        static int versions[] = {7, 10, 11};                                                       \
        return cr_make_param_array(int, versions, 3);                                              \
    }                                                                                              \
    ParameterizedTest(int *version, extension_sparse, name, .init = extension_set_up,              \
                      .fini = extension_tear_down)

static const int64_t three_by_four[] = {3, 4};

/* (0 1 0 2 / 0 0 0 0 / 3 0 0 4) */
static tn_tensor *make_csr(void) {
    static const float values[] = {1, 2, 3, 4};
    static const int64_t columns[] = {1, 3, 0, 3}, starts[] = {0, 2, 2, 4};
    tn_tensor *tensor;
    cr_assert_eq(
        tn_tensor_create_sparse(runtime, TN_STORAGE_CSR, TN_F32, 2, three_by_four, 4, &tensor),
        TN_OK);
    const tn_sparse *sparse = tn_tensor_sparse(tensor);
    memcpy(sparse->values, values, sizeof values);
    memcpy(sparse->indices, columns, sizeof columns);
    memcpy(sparse->row_starts, starts, sizeof starts);
    return tensor;
}

/* Row 2 of three is (1 2 3 4). */
static tn_tensor *make_rows(void) {
    static const float values[] = {1, 2, 3, 4};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_sparse(runtime, TN_STORAGE_ROW_SPARSE, TN_F32, 2, three_by_four,
                                         1, &tensor),
                 TN_OK);
    const tn_sparse *sparse = tn_tensor_sparse(tensor);
    memcpy(sparse->values, values, sizeof values);
    sparse->indices[0] = 2;
    return tensor;
}

VERSIONED(csr_tensors_are_read_and_written) {
    load_version(*version);
    tn_tensor *input = make_csr(), *result = NULL;
    for (int run = 0; run < 2; run++) {
        cr_assert_eq(tn_invoke(runtime, "ext_transpose_csr", NULL, 0, &input, 1, &result, 1), TN_OK,
                     "%s", tn_error_message());
        cr_assert_eq(tn_tensor_storage(result), TN_STORAGE_CSR);
        const tn_sparse *sparse = tn_tensor_sparse(result);
        const float *values = sparse->values;
        cr_assert_eq(sparse->stored_count, 4);
        cr_expect(values[0] == 3 && values[1] == 1 && values[2] == 2 && values[3] == 4);
        cr_expect(sparse->indices[0] == 2 && sparse->indices[1] == 0 && sparse->indices[3] == 2);
        cr_expect(sparse->row_starts[1] == 1 && sparse->row_starts[3] == 2 &&
                  sparse->row_starts[4] == 4);
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
}

VERSIONED(row_sparse_tensors_are_read_and_written) {
    load_version(*version);
    tn_tensor *input = make_rows(), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "ext_double_rows", NULL, 0, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_tensor_storage(result), TN_STORAGE_ROW_SPARSE);
    const tn_sparse *sparse = tn_tensor_sparse(result);
    cr_assert_eq(sparse->stored_count, 1);
    cr_expect(sparse->indices[0] == 2 && ((const float *)sparse->values)[3] == 8);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

VERSIONED(outputs_without_a_request_are_empty) {
    load_version(*version);
    tn_tensor *input = make_csr(), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "ext_empty", NULL, 0, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(tn_tensor_sparse(result)->stored_count, 0);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

/* An operator that knows nothing of storage types is given dense tensors. */
VERSIONED(others_are_given_dense_tensors) {
    load_version(*version);
    const tn_option factor = {"factor", "3"};
    tn_tensor *input = make_csr(), *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "ext_scale", &factor, 1, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_tensor_storage(result), TN_STORAGE_DENSE);
    cr_expect(values_of(result)[1] == 3 && values_of(result)[11] == 12 &&
              values_of(result)[5] == 0);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

static void expect_fault(const char *op, tn_tensor *input, const char *text) {
    tn_tensor *result = NULL;
    cr_expect_neq(tn_invoke(runtime, op, NULL, 0, &input, 1, &result, 1), TN_OK, "%s", op);
    expect_message(text);
    expect_message(op);
    cr_expect_null(result);
}

VERSIONED(faults) {
    load_version(*version);
    tn_tensor *csr = make_csr(), *rows = make_rows();
    expect_fault("ext_transpose_csr", rows,
                 *version == 7 ? "inferSType: it reports a failure" : "another storage type");
    expect_fault("bad_greedy", csr, "it asks for 10 row starts in output 0, which has 4");
    expect_fault("bad_disordered", csr, "4711");
    expect_fault("bad_greedy", csr, "it asks for 10 row starts in output 0, which has 4");
    tn_tensor_release(csr);
    tn_tensor_release(rows);
}

/* The gradient of the sum is row-sparse, too, where the library says so. */
VERSIONED(gradients_flow) {
    load_version(*version);
    tn_tensor *rows = make_rows(), *result = NULL;
    tn_tensor *inputs[] = {rows, rows, rows};
    cr_assert_eq(tn_invoke(runtime, "_backward_ext_double_rows", NULL, 0, inputs, 3, &result, 1),
                 TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_storage(result), TN_STORAGE_ROW_SPARSE);
    cr_expect_eq(((const float *)tn_tensor_sparse(result)->values)[0], 2);
    tn_tensor_release(rows);
    tn_tensor_release(result);
}
