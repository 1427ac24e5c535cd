#include "fake_plugin.h"
#include "tensor/dlpack.h"
#include "tensor/tensor.h"

static tn_runtime *runtime;
static int deleted;

static void set_up(void) {
    runtime = new_runtime();
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

TestSuite(dlpack, .init = set_up, .fini = tear_down);

static void count_deletion(struct DLManagedTensor *self) {
    cr_assert_eq(self->context, &deleted);
    deleted++;
}

static const int64_t two_by_three[] = {2, 3};
static float six[] = {0, 1, 2, 3, 4, 5};

static struct DLManagedTensor foreign(void *data, tn_dtype dtype, int32_t rank,
                                      const int64_t *shape, const int64_t *strides) {
    return (struct DLManagedTensor){
        .tensor = {.data = data,
                   .device = {1, 0},
                   .rank = rank,
                   .dtype = dtype,
                   .shape = shape,
                   .strides = strides},
        .context = &deleted,
        .deleter = count_deletion,
    };
}

static tn_tensor *import(struct DLManagedTensor *managed) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_from_dlpack(runtime, managed, &tensor), TN_OK, "%s", tn_error_message());
    return tensor;
}

static void refuse(struct DLManagedTensor *managed, tn_status expected) {
    tn_tensor *tensor = NULL;
    cr_assert_eq(tn_tensor_from_dlpack(runtime, managed, &tensor), expected);
    cr_assert_null(tensor);
    cr_assert_eq(deleted, 0);
}

Test(dlpack, export_holds_a_count) {
    tn_tensor *tensor;
    struct DLManagedTensor *managed;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, two_by_three, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_to_dlpack(tensor, &managed), TN_OK);
    float *data = tn_tensor_data(tensor);
    data[5] = 7;
    tn_tensor_release(tensor);
    cr_assert_eq(managed->tensor.data, data);
    cr_assert_null(managed->tensor.strides);
    cr_assert_eq(managed->tensor.byte_offset, 0);
    cr_assert_eq(managed->tensor.shape[1], 3);
    cr_assert_float_eq(((const float *)managed->tensor.data)[5], 7, 0);
    managed->deleter(managed);
}

Test(dlpack, export_of_a_slice_begins_at_its_data) {
    tn_tensor *tensor, *row;
    struct DLManagedTensor *managed;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, two_by_three, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_slice(tensor, 1, 2, &row), TN_OK);
    cr_assert_eq(tn_tensor_to_dlpack(row, &managed), TN_OK);
    cr_assert_eq(managed->tensor.data, (float *)tn_tensor_data(tensor) + 3);
    tn_tensor_release(row);
    tn_tensor_release(tensor);
    managed->deleter(managed);
}

Test(dlpack, our_own_export_comes_back) {
    tn_tensor *tensor, *again;
    struct DLManagedTensor *managed;
    cr_assert_eq(tn_tensor_create(runtime, TN_BOOL, 2, two_by_three, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_to_dlpack(tensor, &managed), TN_OK);
    cr_assert_eq(tn_tensor_from_dlpack(runtime, managed, &again), TN_OK);
    cr_assert_eq(tn_tensor_data(again), tn_tensor_data(tensor));
    cr_assert_eq(tn_tensor_view(again)->dtype, TN_BOOL);
    tn_tensor_release(tensor);
    tn_tensor_release(again);
}

Test(dlpack, compact_arrays_are_shared_until_the_last_count) {
    const int64_t strides[] = {3, 1};
    struct DLManagedTensor managed = foreign(six, TN_F32, 2, two_by_three, strides);
    tn_tensor *tensor = import(&managed);
    tn_tensor *row;
    cr_assert_eq(tn_tensor_data(tensor), six);
    cr_assert_eq(tn_tensor_at(tensor, 1, &row), TN_OK);
    tn_tensor_release(tensor);
    cr_assert_eq(deleted, 0);
    tn_tensor_release(row);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, byte_offset_is_honoured) {
    const int64_t three[] = {3};
    struct DLManagedTensor managed = foreign(six, TN_F32, 1, three, NULL);
    managed.tensor.byte_offset = 8;
    tn_tensor *tensor = import(&managed);
    cr_assert_eq(tn_tensor_data(tensor), six + 2);
    tn_tensor_release(tensor);
}

Test(dlpack, strides_of_single_elements_say_nothing) {
    const int64_t shape[] = {1, 6, 1};
    const int64_t strides[] = {INT64_MAX, 1, INT64_MIN};
    struct DLManagedTensor managed = foreign(six, TN_F32, 3, shape, strides);
    tn_tensor *tensor = import(&managed);
    cr_assert_eq(tn_tensor_data(tensor), six);
    tn_tensor_release(tensor);
}

static void check_copy(const int64_t *shape, const int64_t *strides, int32_t rank, size_t begin,
                       const float *expected, size_t count) {
    struct DLManagedTensor managed = foreign(six + begin, TN_F32, rank, shape, strides);
    deleted = 0;
    tn_tensor *tensor = import(&managed);
    cr_assert_eq(deleted, 1, "a copy shares nothing");
    const float *data = tn_tensor_data(tensor);
    cr_assert(data < six || data >= six + 6);
    for (size_t i = 0; i < count; i++) {
        cr_assert_float_eq(data[i], expected[i], 0, "element %zu", i);
    }
    tn_tensor_release(tensor);
    cr_assert_eq(deleted, 1);
}

Test(dlpack, other_strides_are_copied) {
    const int64_t shape[] = {3, 2};
    const int64_t transposed[] = {1, 3};
    const float columns[] = {0, 3, 1, 4, 2, 5};
    check_copy(shape, transposed, 2, 0, columns, 6);
    const int64_t backwards[] = {-2, -1};
    const float reversed[] = {5, 4, 3, 2, 1, 0};
    check_copy(shape, backwards, 2, 5, reversed, 6);
    const int64_t repeated[] = {0, 1};
    const float rows[] = {0, 1, 0, 1, 0, 1};
    check_copy(shape, repeated, 2, 0, rows, 6);
    const int64_t deep[] = {2, 1, 3};
    const int64_t steps[] = {3, INT64_MAX, 1};
    const float same[] = {0, 1, 2, 3, 4, 5};
    const int64_t gaps[] = {1, 7, 2};
    const float even[] = {0, 2, 4, 1, 3, 5};
    check_copy(deep, gaps, 3, 0, even, 6);
    struct DLManagedTensor managed = foreign(six, TN_F32, 3, deep, steps);
    tn_tensor *tensor = import(&managed);
    cr_assert_float_eq(((const float *)tn_tensor_data(tensor))[4], same[4], 0);
    tn_tensor_release(tensor);
}

Test(dlpack, odd_addresses_are_copied) {
    _Alignas(8) char bytes[12] = {0};
    const float value = 2.5f;
    const int64_t one[] = {1};
    memcpy(bytes + 1, &value, sizeof value);
    struct DLManagedTensor managed = foreign(bytes + 1, TN_F32, 1, one, NULL);
    tn_tensor *tensor = import(&managed);
    cr_assert_eq(deleted, 1);
    cr_assert_float_eq(*(const float *)tn_tensor_data(tensor), 2.5f, 0);
    tn_tensor_release(tensor);
    struct DLManagedTensor scalar = foreign(bytes + 1, TN_F32, 0, NULL, NULL);
    tensor = import(&scalar);
    cr_assert_float_eq(*(const float *)tn_tensor_data(tensor), 2.5f, 0);
    tn_tensor_release(tensor);
}

Test(dlpack, bool_as_mxnet_writes_it) {
    char bytes[6] = {1, 0, 1, 0, 1, 0};
    struct DLManagedTensor managed = foreign(bytes, TN_DTYPE(1, 1), 2, two_by_three, NULL);
    tn_tensor *tensor = import(&managed);
    cr_assert_eq(tn_tensor_view(tensor)->dtype, TN_BOOL);
    cr_assert_eq(tn_tensor_byte_size(tensor), 6);
    tn_tensor_release(tensor);
}

Test(dlpack, no_deleter_is_fine) {
    struct DLManagedTensor managed = foreign(six, TN_F32, 2, two_by_three, NULL);
    managed.deleter = NULL;
    tn_tensor_release(import(&managed));
}

Test(dlpack, empty_arrays) {
    const int64_t none[] = {2, 0};
    const int64_t strides[] = {INT64_MAX, INT64_MIN};
    struct DLManagedTensor managed = foreign(NULL, TN_F32, 2, none, strides);
    tn_tensor_release(import(&managed));
    cr_assert_eq(deleted, 1);
}

Test(dlpack, what_is_not_understood_is_refused_and_kept_by_the_caller) {
    const int64_t negative[] = {2, -3};
    const int64_t huge[] = {INT64_MAX, INT64_MAX};
    const int64_t far[] = {INT64_MAX, 1};
    const int64_t lowest[] = {INT64_MIN, 1};
    struct DLManagedTensor m = foreign(six, TN_F32 + (1u << 16), 2, two_by_three, NULL);
    refuse(&m, TN_UNSUPPORTED); /* two lanes */
    m = foreign(six, TN_DTYPE(2, 24), 2, two_by_three, NULL);
    refuse(&m, TN_UNSUPPORTED);
    m = foreign(six, TN_F32, 2, two_by_three, NULL);
    m.tensor.device.type = 2;
    refuse(&m, TN_UNSUPPORTED);
    ASSERT_MESSAGE("copy it to the host");
    m = foreign(NULL, TN_F32, 2, two_by_three, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, NULL, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, negative, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, huge, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, -1, two_by_three, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 100, two_by_three, NULL);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, two_by_three, far);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, two_by_three, lowest);
    refuse(&m, TN_INVALID_ARGUMENT);
    m = foreign(six, TN_F32, 2, two_by_three, NULL);
    m.tensor.byte_offset = UINT64_MAX;
    refuse(&m, TN_INVALID_ARGUMENT);
    refuse(NULL, TN_INVALID_ARGUMENT);
}
