#include "fake_plugin.h"
#include "tensor/tensor.h"

static tn_runtime *runtime;

static void set_up(void) {
    runtime = new_runtime();
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

TestSuite(tensor, .init = set_up, .fini = tear_down);

static const int64_t extents[] = {2, 3, 4};

/* (2,3,4) float32, 0 to 23 */
static tn_tensor *counting(void) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 3, extents, &tensor), TN_OK);
    float *data = tn_tensor_data(tensor);
    for (int i = 0; i < 24; i++) {
        data[i] = (float)i;
    }
    return tensor;
}

static float first(const tn_tensor *tensor) {
    return *(const float *)tn_tensor_data(tensor);
}

Test(tensor, size_of_every_kind) {
    uint64_t size;
    cr_assert_eq(tni_tensor_size(TN_F32, 3, extents, &size), TN_OK);
    cr_assert_eq(size, 96);
    cr_assert_eq(tni_tensor_size(TN_F64, 0, NULL, &size), TN_OK);
    cr_assert_eq(size, 8);
    const int64_t empty[] = {5, 0};
    cr_assert_eq(tni_tensor_size(TN_BOOL, 2, empty, &size), TN_OK);
    cr_assert_eq(size, 0);
}

Test(tensor, sizes_that_cannot_be_are_refused) {
    uint64_t size = 77;
    const int64_t huge[] = {INT64_MAX, 2};
    const int64_t negative[] = {2, -1};
    const int64_t hidden[] = {(int64_t)1 << 40, (int64_t)1 << 40, 0};
    const int64_t almost[] = {INT64_MAX / 4 + 1};
    cr_assert_eq(tni_tensor_size(TN_F32, 2, huge, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, 2, negative, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, 3, hidden, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, 1, almost, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, -1, extents, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, 33, extents, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_F32, 3, NULL, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(0, 3, extents, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_tensor_size(TN_DTYPE(2, 24), 3, extents, &size), TN_INVALID_ARGUMENT);
    cr_assert_eq(size, 77);
}

Test(tensor, create_fills_in_the_view) {
    tn_tensor *tensor = counting();
    const tn_view *view = tn_tensor_view(tensor);
    cr_assert_eq(view->rank, 3);
    cr_assert_eq(view->dtype, TN_F32);
    cr_assert_eq(view->shape[2], 4);
    cr_assert_null(view->strides);
    cr_assert_eq(view->byte_offset, 0);
    cr_assert_eq(view->device.type, TN_DEVICE_TYPE_CPU);
    cr_assert_eq((uintptr_t)view->data % 64, 0);
    cr_assert_eq(tn_tensor_byte_size(tensor), 96);
    tn_tensor_release(tensor);
}

Test(tensor, create_without_a_runtime_or_with_too_much_is_refused) {
    tn_tensor *tensor = NULL;
    const int64_t large[] = {(int64_t)1 << 60};
    cr_assert_eq(tn_tensor_create(NULL, TN_F32, 3, extents, &tensor), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, large, &tensor), TN_OUT_OF_MEMORY);
    cr_assert_null(tensor);
}

Test(tensor, scalars_and_empty_tensors) {
    tn_tensor *scalar, *empty;
    const int64_t none[] = {3, 0, 2};
    cr_assert_eq(tn_tensor_create(runtime, TN_I64, 0, NULL, &scalar), TN_OK);
    cr_assert_eq(tn_tensor_byte_size(scalar), 8);
    cr_assert_eq(tn_tensor_create(runtime, TN_I64, 3, none, &empty), TN_OK);
    cr_assert_eq(tn_tensor_byte_size(empty), 0);
    cr_assert_not_null(tn_tensor_data(empty));
    tn_tensor_release(scalar);
    tn_tensor_release(empty);
    tn_tensor_release(NULL);
}

static int released;

static void count_release(void *context) {
    (void)context;
    released++;
}

Test(tensor, wrap_calls_release_once_after_the_last_view) {
    float data[24] = {0};
    tn_tensor *tensor, *view;
    cr_assert_eq(tn_tensor_wrap(runtime, TN_F32, 3, extents, data, count_release, NULL, &tensor),
                 TN_OK);
    cr_assert_eq(tn_tensor_data(tensor), data);
    cr_assert_eq(tn_tensor_slice(tensor, 1, 2, &view), TN_OK);
    tn_tensor_release(tensor);
    cr_assert_eq(released, 0);
    tn_tensor_release(view);
    cr_assert_eq(released, 1);
}

Test(tensor, wrap_that_fails_leaves_the_memory_alone) {
    float data[24];
    tn_tensor *tensor = NULL;
    char *odd = (char *)data + 1;
    cr_assert_eq(tn_tensor_wrap(runtime, TN_F32, 3, extents, NULL, count_release, NULL, &tensor),
                 TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_wrap(runtime, TN_F32, 3, extents, odd, count_release, NULL, &tensor),
                 TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("multiple of 4");
    cr_assert_eq(tn_tensor_wrap(runtime, 0, 3, extents, data, count_release, NULL, &tensor),
                 TN_INVALID_ARGUMENT);
    cr_assert_null(tensor);
    cr_assert_eq(released, 0);
}

Test(tensor, wrap_of_nothing) {
    tn_tensor *tensor, *row;
    const int64_t none[] = {0, 7};
    cr_assert_eq(tn_tensor_wrap(runtime, TN_F32, 2, none, NULL, NULL, NULL, &tensor), TN_OK);
    cr_assert_null(tn_tensor_data(tensor));
    cr_assert_eq(tn_tensor_slice(tensor, 0, 0, &row), TN_OK);
    tn_tensor_release(row);
    tn_tensor_release(tensor);
}

Test(tensor, slice_shares_memory) {
    tn_tensor *tensor = counting();
    tn_tensor *slice, *again;
    cr_assert_eq(tn_tensor_slice(tensor, 1, 2, &slice), TN_OK);
    cr_assert_eq(tn_tensor_view(slice)->shape[0], 1);
    cr_assert_eq(tn_tensor_view(slice)->rank, 3);
    cr_assert_float_eq(first(slice), 12, 0);
    cr_assert_eq(tn_tensor_view(slice)->byte_offset, 0);
    cr_assert_eq(tni_tensor_offset(slice), 48);
    *(float *)tn_tensor_data(slice) = 100;
    cr_assert_float_eq(((const float *)tn_tensor_data(tensor))[12], 100, 0);
    cr_assert_eq(tn_tensor_slice(slice, 0, 0, &again), TN_OK);
    cr_assert_eq(tn_tensor_byte_size(again), 0);
    tn_tensor_release(again);
    tn_tensor_release(slice);
    tn_tensor_release(tensor);
}

Test(tensor, slice_outside_is_refused) {
    tn_tensor *tensor = counting();
    tn_tensor *scalar, *out = NULL;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 0, NULL, &scalar), TN_OK);
    cr_assert_eq(tn_tensor_slice(tensor, -1, 1, &out), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_tensor_slice(tensor, 0, 3, &out), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_tensor_slice(tensor, 2, 1, &out), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_tensor_slice(scalar, 0, 0, &out), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_at(scalar, 0, &out), TN_INVALID_ARGUMENT);
    cr_assert_null(out);
    tn_tensor_release(scalar);
    tn_tensor_release(tensor);
}

Test(tensor, at_drops_the_axis) {
    tn_tensor *tensor = counting();
    tn_tensor *row, *cell, *out = NULL;
    cr_assert_eq(tn_tensor_at(tensor, 1, &row), TN_OK);
    cr_assert_eq(tn_tensor_view(row)->rank, 2);
    cr_assert_eq(tn_tensor_view(row)->shape[0], 3);
    cr_assert_eq(tn_tensor_at(row, 2, &cell), TN_OK);
    cr_assert_float_eq(first(cell), 20, 0);
    cr_assert_eq(tn_tensor_at(tensor, 2, &out), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_tensor_at(tensor, -1, &out), TN_OUT_OF_RANGE);
    cr_assert_null(out);
    tn_tensor_release(tensor);
    tn_tensor_release(row);
    cr_assert_float_eq(first(cell), 20, 0);
    tn_tensor_release(cell);
}

Test(tensor, reshape_of_a_slice_stays_in_its_place) {
    tn_tensor *tensor = counting();
    tn_tensor *slice, *flat, *out = NULL;
    const int64_t request[] = {-1};
    const int64_t wrong[] = {5};
    cr_assert_eq(tn_tensor_slice(tensor, 1, 2, &slice), TN_OK);
    cr_assert_eq(tn_tensor_reshape(slice, 1, request, 0, &flat), TN_OK);
    cr_assert_eq(tn_tensor_view(flat)->shape[0], 12);
    cr_assert_float_eq(first(flat), 12, 0);
    cr_assert_eq(tn_tensor_reshape(slice, 1, wrong, 0, &out), TN_INVALID_ARGUMENT);
    cr_assert_null(out);
    tn_tensor_release(flat);
    tn_tensor_release(slice);
    tn_tensor_release(tensor);
}

Test(tensor, over_refuses_what_does_not_fit) {
    tni_storage *storage;
    tn_tensor *tensor = NULL;
    cr_assert_eq(tni_storage_create(96, &storage), TN_OK);
    cr_assert_eq(tni_tensor_over(runtime, storage, 4, TN_F32, 3, extents, &tensor),
                 TN_OUT_OF_RANGE);
    cr_assert_eq(tni_tensor_over(runtime, storage, 97, TN_F32, 3, extents, &tensor),
                 TN_OUT_OF_RANGE);
    cr_assert_null(tensor);
    tni_storage_release(storage);
}

Test(tensor, shape_as_inference_knows_it) {
    tn_tensor *tensor = counting();
    const tn_shape shape = tni_tensor_shape(tensor);
    cr_assert_eq(shape.rank, 3);
    cr_assert_eq(shape.extents[1], 3);
    tn_tensor_release(tensor);
}
