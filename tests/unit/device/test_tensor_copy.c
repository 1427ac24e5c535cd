#include <tenon/tensor.h>

#include "fake_backend.h"
#include "tensor/tensor.h"

FAKE_SUITE(tensor_copy);

static const int64_t extents[] = {4, 3};

static tn_tensor *on_host(int32_t begin) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 2, extents, &tensor), TN_OK);
    for (int32_t i = 0; i < 12; i++) {
        ((int32_t *)tn_tensor_data(tensor))[i] = begin + i;
    }
    return tensor;
}

static tn_tensor *on_device(tn_device *device, int32_t begin) {
    tn_tensor *host = on_host(begin);
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_to_device(host, device, &tensor), TN_OK);
    tn_tensor_release(host);
    return tensor;
}

static void expect(const tn_tensor *tensor, const int32_t *expected) {
    int32_t have[12];
    const uint64_t size = tn_tensor_byte_size(tensor);
    cr_assert_eq(tn_tensor_read(tensor, have, size), TN_OK, "%s", tn_error_message());
    cr_assert_eq(memcmp(have, expected, size), 0);
}

static const int32_t counted[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};

Test(tensor_copy, host_to_host) {
    tn_tensor *source = on_host(10);
    tn_tensor *target = on_host(0);
    cr_assert_eq(tn_tensor_copy(source, target), TN_OK);
    expect(target, counted);
    tn_tensor_release(source);
    tn_tensor_release(target);
}

Test(tensor_copy, host_and_device) {
    tn_device *device = open_device("fake");
    tn_tensor *source = on_host(10);
    tn_tensor *there = on_device(device, 0);
    tn_tensor *target = on_host(0);
    cr_assert_eq(tn_tensor_copy(source, there), TN_OK);
    cr_assert_eq(tn_tensor_copy(there, target), TN_OK);
    cr_assert_eq(memcmp(tn_tensor_data(target), counted, sizeof counted), 0,
                 "the copy is done when the call returns");
    tn_tensor_release(source);
    tn_tensor_release(there);
    tn_tensor_release(target);
    tn_device_close(device);
}

Test(tensor_copy, rows_within_a_device) {
    tn_device *device = open_device("fake");
    tn_tensor *tensor = on_device(device, 0);
    tn_tensor *first, *last;
    const int32_t expected[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
    cr_assert_eq(tn_tensor_slice(tensor, 0, 2, &first), TN_OK);
    cr_assert_eq(tn_tensor_slice(tensor, 2, 4, &last), TN_OK);
    cr_assert_eq(tn_tensor_copy(first, last), TN_OK);
    expect(tensor, expected);
    tn_tensor_release(first);
    tn_tensor_release(last);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

Test(tensor_copy, rows_that_overlap) {
    tn_device *device = open_device("fake");
    tn_tensor *tensor = on_device(device, 0);
    tn_tensor *first, *last;
    const int32_t expected[] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    cr_assert_eq(tn_tensor_slice(tensor, 0, 3, &first), TN_OK);
    cr_assert_eq(tn_tensor_slice(tensor, 1, 4, &last), TN_OK);
    cr_assert_eq(tn_tensor_copy(first, last), TN_OK);
    expect(tensor, expected);
    cr_assert_eq(tn_tensor_copy(first, first), TN_OK);
    expect(tensor, expected);
    tn_tensor_release(first);
    tn_tensor_release(last);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

Test(tensor_copy, between_devices_in_pieces) {
    tn_device *device = open_device("fake:0");
    tn_device *other = open_device("fake:1");
    const int64_t large[] = {(40 << 20) + 5};
    tn_tensor *source, *target, *host;
    cr_assert_eq(tn_tensor_create(runtime, TN_U8, 1, large, &host), TN_OK);
    unsigned char *bytes = tn_tensor_data(host);
    for (int64_t i = 0; i < large[0]; i++) {
        bytes[i] = (unsigned char)(i % 251);
    }
    cr_assert_eq(tn_tensor_to_device(host, device, &source), TN_OK);
    cr_assert_eq(tn_tensor_create_on(other, TN_U8, 1, large, &target), TN_OK);
    fake.largest_copy = 0;
    cr_assert_eq(tn_tensor_copy(source, target), TN_OK);
    cr_assert_eq(fake.largest_copy, 16 << 20);
    memset(bytes, 0, (size_t)large[0]);
    cr_assert_eq(tn_tensor_copy(target, host), TN_OK);
    for (int64_t i = 0; i < large[0]; i++) {
        cr_assert_eq(bytes[i], (unsigned char)(i % 251));
    }
    tn_tensor_release(host);
    tn_tensor_release(source);
    tn_tensor_release(target);
    tn_device_close(device);
    tn_device_close(other);
}

Test(tensor_copy, other_shapes_of_as_many_elements) {
    tn_tensor *source = on_host(10);
    const int64_t flat[] = {12};
    tn_tensor *target;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, flat, &target), TN_OK);
    cr_assert_eq(tn_tensor_copy(source, target), TN_OK);
    expect(target, counted);
    tn_tensor_release(source);
    tn_tensor_release(target);
}

Test(tensor_copy, what_does_not_fit_is_refused) {
    tn_tensor *source = on_host(10);
    const int64_t eleven[] = {11}, twelve[] = {12};
    tn_tensor *shorter, *floats;
    char bytes[48];
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, eleven, &shorter), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, twelve, &floats), TN_OK);
    cr_assert_eq(tn_tensor_copy(source, shorter), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("copy of int32 (4,3) to int32 (11)");
    cr_assert_eq(tn_tensor_copy(source, floats), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_read(source, bytes, 47), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("expected 48 bytes");
    cr_assert_eq(tn_tensor_write(source, bytes, 49), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_write(source, NULL, 48), TN_INVALID_ARGUMENT);
    tn_tensor_release(source);
    tn_tensor_release(shorter);
    tn_tensor_release(floats);
}

Test(tensor_copy, errors_of_the_device_surface) {
    tn_device *device = open_device("fake");
    tn_tensor *tensor = on_device(device, 0);
    int32_t values[12];
    fake.fail_copy = TN_UNSUPPORTED;
    cr_assert_eq(tn_tensor_write(tensor, counted, sizeof counted), TN_UNSUPPORTED);
    ASSERT_MESSAGE("device fake:0: copy: ");
    fake.fail_copy = TN_OK;
    fake.fail_wait = TN_DEVICE_LOST;
    cr_assert_eq(tn_tensor_read(tensor, values, sizeof values), TN_DEVICE_LOST);
    fake.fail_wait = TN_OK;
    cr_assert_eq(tn_tensor_write(tensor, counted, sizeof counted), TN_OK);
    expect(tensor, counted);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

Test(tensor_copy, nothing_needs_no_device) {
    tn_device *device = open_device("fake");
    const int64_t none[] = {0, 3};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_on(device, TN_I32, 2, none, &tensor), TN_OK);
    fake.fail_copy = TN_DEVICE_LOST;
    cr_assert_eq(tn_tensor_read(tensor, NULL, 0), TN_OK);
    cr_assert_eq(tn_tensor_write(tensor, NULL, 0), TN_OK);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

enum { THREADS = 4, ROUNDS = 200 };

static void *copy_often(void *context) {
    tn_tensor *tensor = context;
    for (int i = 0; i < ROUNDS; i++) {
        int32_t values[12];
        cr_assert_eq(tn_tensor_write(tensor, counted, sizeof counted), TN_OK);
        cr_assert_eq(tn_tensor_read(tensor, values, sizeof values), TN_OK);
        cr_assert_eq(memcmp(values, counted, sizeof values), 0);
    }
    return NULL;
}

Test(tensor_copy, many_threads_copy) {
    tn_device *device = open_device("fake");
    pthread_t threads[THREADS];
    tn_tensor *tensors[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tensors[i] = on_device(device, i);
        cr_assert_eq(pthread_create(&threads[i], NULL, copy_often, tensors[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        tn_tensor_release(tensors[i]);
    }
    cr_assert_leq(fake.streams, THREADS + 1);
    tn_device_close(device);
}
