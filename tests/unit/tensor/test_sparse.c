#include "fake_plugin.h"
#include "tensor/dlpack.h"
#include "tensor/sparse.h"

static tn_runtime *runtime;

static void set_up(void) {
    runtime = new_runtime();
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

TestSuite(sparse_tensor, .init = set_up, .fini = tear_down);

static const int64_t matrix[] = {4, 3};

/* Rows 1 and 3 of four. */
static tn_tensor *two_rows(void) {
    tn_tensor *tensor;
    cr_assert_eq(
        tn_tensor_create_sparse(runtime, TN_STORAGE_ROW_SPARSE, TN_F32, 2, matrix, 2, &tensor),
        TN_OK);
    const tn_sparse *parts = tn_tensor_sparse(tensor);
    for (int i = 0; i < 6; i++) {
        ((float *)parts->values)[i] = (float)i;
    }
    parts->indices[0] = 1;
    parts->indices[1] = 3;
    return tensor;
}

/* [[0,5,0],[0,0,0],[6,0,7],[0,0,8]] */
static tn_tensor *four_elements(void) {
    static const float values[] = {5, 6, 7, 8};
    static const int64_t columns[] = {1, 0, 2, 2}, starts[] = {0, 1, 1, 3, 4};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_sparse(runtime, TN_STORAGE_CSR, TN_F32, 2, matrix, 4, &tensor),
                 TN_OK);
    const tn_sparse *parts = tn_tensor_sparse(tensor);
    memcpy(parts->values, values, sizeof values);
    memcpy(parts->indices, columns, sizeof columns);
    memcpy(parts->row_starts, starts, sizeof starts);
    return tensor;
}

Test(sparse_tensor, a_new_one_stores_what_was_asked_for) {
    tn_tensor *tensor = two_rows();
    const tn_sparse *parts = tn_tensor_sparse(tensor);
    cr_expect_eq(tn_tensor_storage(tensor), TN_STORAGE_ROW_SPARSE);
    cr_expect_eq(parts->stored_count, 2);
    cr_expect_null(parts->row_starts);
    cr_expect_eq((uintptr_t)parts->values % 64, 0);
    cr_expect_eq(tn_tensor_view(tensor)->data, parts);
    cr_expect_null(tn_tensor_data(tensor));
    cr_expect_eq(tn_tensor_byte_size(tensor), 0);
    cr_expect_eq(tn_tensor_check_sparse(tensor), TN_OK, "%s", tn_error_message());
    tn_tensor_release(tensor);
    tensor = four_elements();
    cr_expect_eq(tn_tensor_check_sparse(tensor), TN_OK, "%s", tn_error_message());
    tn_tensor_release(tensor);
}

Test(sparse_tensor, shapes_and_counts_that_cannot_be_are_refused) {
    const int64_t cube[] = {2, 2, 2}, huge[] = {INT64_MAX / 8, 2}, long_one[] = {INT64_MAX / 8};
    tn_tensor *tensor = NULL;
    struct {
        uint32_t storage;
        int32_t rank;
        const int64_t *extents;
        int64_t count;
        tn_status status;
    } cases[] = {
        {TN_STORAGE_CSR, 3, cube, 0, TN_INVALID_ARGUMENT},
        {TN_STORAGE_CSR, 1, cube, 0, TN_INVALID_ARGUMENT},
        {TN_STORAGE_ROW_SPARSE, 0, NULL, 0, TN_INVALID_ARGUMENT},
        {TN_STORAGE_DENSE, 2, matrix, 0, TN_INVALID_ARGUMENT},
        {77, 2, matrix, 0, TN_INVALID_ARGUMENT},
        {TN_STORAGE_CSR, 2, matrix, 13, TN_INVALID_ARGUMENT},
        {TN_STORAGE_CSR, 2, matrix, -1, TN_INVALID_ARGUMENT},
        {TN_STORAGE_ROW_SPARSE, 2, matrix, 5, TN_INVALID_ARGUMENT},
        {TN_STORAGE_CSR, 2, huge, 0, TN_OUT_OF_MEMORY},
        {TN_STORAGE_ROW_SPARSE, 1, long_one, INT64_MAX / 8, TN_OUT_OF_MEMORY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(tn_tensor_create_sparse(runtime, cases[i].storage, TN_F32, cases[i].rank,
                                             cases[i].extents, cases[i].count, &tensor),
                     cases[i].status, "case %zu: %s", i, tn_error_message());
        cr_expect_null(tensor);
    }
}

static void expect_corrupt(const tn_tensor *tensor, const char *words) {
    cr_expect_eq(tn_tensor_check_sparse(tensor), TN_CORRUPT);
    cr_expect_not_null(strstr(tn_error_message(), words), "%s", tn_error_message());
}

Test(sparse_tensor, the_check_says_what_is_wrong) {
    tn_tensor *tensor = two_rows();
    const tn_sparse *parts = tn_tensor_sparse(tensor);
    parts->indices[1] = 4;
    expect_corrupt(tensor, "index 1 of a row_sparse tensor is 4: expected 0 or more, below 4");
    parts->indices[1] = 1;
    expect_corrupt(tensor, "expected more than the one before it");
    parts->indices[0] = -1;
    expect_corrupt(tensor, "index 0 of a row_sparse tensor is -1");
    tn_tensor_release(tensor);
    tensor = four_elements();
    parts = tn_tensor_sparse(tensor);
    parts->row_starts[4] = 3;
    expect_corrupt(tensor, "the row starts of a csr tensor go from 0 to 3: expected 0 to 4");
    parts->row_starts[4] = 4;
    parts->row_starts[2] = 5;
    expect_corrupt(tensor, "row start 2 of a csr tensor is 5");
    parts->row_starts[2] = -1;
    expect_corrupt(tensor, "row start 2 of a csr tensor is -1");
    parts->row_starts[2] = 1;
    parts->indices[2] = 0;
    expect_corrupt(tensor, "row 2: index 2 of a csr tensor is 0");
    parts->indices[2] = 3;
    expect_corrupt(tensor, "row 2: index 2 of a csr tensor is 3: expected 0 or more, below 3");
    tn_tensor_release(tensor);
}

Test(sparse_tensor, what_is_stored_stays_when_it_is_resized) {
    tn_tensor *tensor = two_rows();
    cr_assert_eq(tn_tensor_resize_sparse(tensor, 4), TN_OK);
    const tn_sparse *parts = tn_tensor_sparse(tensor);
    cr_expect_eq(((float *)parts->values)[5], 5);
    cr_expect_eq(parts->indices[1], 3);
    const void *values = parts->values;
    cr_assert_eq(tn_tensor_resize_sparse(tensor, 1), TN_OK);
    cr_expect_eq(parts->stored_count, 1);
    cr_assert_eq(tn_tensor_resize_sparse(tensor, 3), TN_OK);
    cr_expect_eq(tn_tensor_sparse(tensor)->values, values, "there was room");
    cr_expect_eq(tn_tensor_resize_sparse(tensor, 5), TN_INVALID_ARGUMENT);
    cr_expect_eq(parts->stored_count, 3);
    tn_tensor_release(tensor);
}

Test(sparse_tensor, parts_are_tensors_that_share_memory) {
    tn_tensor *tensor = four_elements(), *part = NULL, *starts = NULL;
    cr_assert_eq(tn_tensor_sparse_part(tensor, TN_SPARSE_VALUES, &part), TN_OK);
    cr_expect_eq(tn_tensor_view(part)->dtype, TN_F32);
    cr_expect_eq(tn_tensor_view(part)->shape[0], 4);
    cr_expect_eq(tn_tensor_data(part), tn_tensor_sparse(tensor)->values);
    cr_assert_eq(tn_tensor_sparse_part(tensor, TN_SPARSE_ROW_STARTS, &starts), TN_OK);
    cr_expect_eq(tn_tensor_view(starts)->shape[0], 5);
    /* A part outlives the tensor's resizing and the tensor. */
    cr_assert_eq(tn_tensor_resize_sparse(tensor, 2), TN_OK);
    ((float *)tn_tensor_sparse(tensor)->values)[0] = 77;
    cr_expect_eq(((float *)tn_tensor_data(part))[0], 5);
    tn_tensor_release(tensor);
    cr_expect_eq(((int64_t *)tn_tensor_data(starts))[3], 3);
    tn_tensor_release(part);
    tn_tensor_release(starts);
    tensor = two_rows();
    cr_expect_eq(tn_tensor_sparse_part(tensor, TN_SPARSE_ROW_STARTS, &part), TN_NOT_FOUND);
    cr_expect_eq(tn_tensor_sparse_part(tensor, 7, &part), TN_NOT_FOUND);
    cr_assert_eq(tn_tensor_sparse_part(tensor, TN_SPARSE_VALUES, &part), TN_OK);
    cr_expect_eq(tn_tensor_view(part)->rank, 2);
    cr_expect_eq(tn_tensor_sparse_part(part, TN_SPARSE_VALUES, &starts), TN_INVALID_ARGUMENT);
    tn_tensor_release(part);
    tn_tensor_release(tensor);
}

Test(sparse_tensor, copies_go_to_the_same_storage_and_shape) {
    tn_tensor *source = four_elements(), *target, *other = two_rows(), *dense;
    cr_assert_eq(tn_tensor_create_sparse(runtime, TN_STORAGE_CSR, TN_F32, 2, matrix, 0, &target),
                 TN_OK);
    cr_assert_eq(tn_tensor_copy(source, target), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_tensor_check_sparse(target), TN_OK);
    cr_expect_eq(((float *)tn_tensor_sparse(target)->values)[3], 8);
    cr_expect_eq(tn_tensor_sparse(target)->row_starts[3], 3);
    cr_expect_eq(tn_tensor_copy(source, source), TN_OK);
    cr_expect_eq(tn_tensor_copy(source, other), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, matrix, &dense), TN_OK);
    cr_expect_eq(tn_tensor_copy(source, dense), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_tensor_copy(dense, source), TN_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(tn_error_message(), "cast_storage"), "%s", tn_error_message());
    tn_tensor_release(source);
    tn_tensor_release(target);
    tn_tensor_release(other);
    tn_tensor_release(dense);
}

Test(sparse_tensor, what_only_dense_tensors_can_is_refused_in_words) {
    const int64_t flat[] = {12};
    float room[12];
    struct DLManagedTensor *managed = NULL;
    tn_tensor *tensor = two_rows(), *result = NULL;
    cr_expect_eq(tn_tensor_to_dlpack(tensor, &managed), TN_UNSUPPORTED);
    cr_expect_not_null(strstr(tn_error_message(), "a row_sparse tensor cannot be handed over"),
                       "%s", tn_error_message());
    cr_expect_eq(tn_tensor_slice(tensor, 0, 1, &result), TN_UNSUPPORTED);
    cr_expect_eq(tn_tensor_at(tensor, 0, &result), TN_UNSUPPORTED);
    cr_expect_eq(tn_tensor_reshape(tensor, 1, flat, 0, &result), TN_UNSUPPORTED);
    cr_expect_eq(tn_tensor_read(tensor, room, 0), TN_UNSUPPORTED);
    cr_expect_eq(tn_tensor_write(tensor, room, 0), TN_UNSUPPORTED);
    cr_expect_null(result);
    tn_tensor_release(tensor);
}
