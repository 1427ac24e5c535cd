#include <stdint.h>

#include <criterion/criterion.h>

#include "tensor/tensor.h"

static int released;

static void count_release(void *context) {
    cr_assert_eq(context, &released);
    released++;
}

Test(storage, own_memory_is_aligned_and_zero_bytes_are_fine) {
    for (uint64_t size = 0; size < 300; size += 37) {
        tni_storage *storage;
        cr_assert_eq(tni_storage_create(size, &storage), TN_OK);
        cr_assert_eq((uintptr_t)storage->buffer % 64, 0);
        cr_assert_eq(storage->size, size);
        cr_assert_eq(storage->host_addressable, 1);
        cr_assert_eq(storage->device_id.type, TN_DEVICE_TYPE_CPU);
        memset(storage->buffer, 1, size);
        tni_storage_release(storage);
    }
}

Test(storage, sizes_beyond_memory_are_refused) {
    tni_storage *storage = NULL;
    cr_assert_eq(tni_storage_create(UINT64_MAX, &storage), TN_OUT_OF_MEMORY);
    cr_assert_eq(tni_storage_create(UINT64_MAX - 64, &storage), TN_OUT_OF_MEMORY);
    cr_assert_eq(tni_storage_create((uint64_t)1 << 62, &storage), TN_OUT_OF_MEMORY);
    cr_assert_null(storage);
}

Test(storage, foreign_memory_is_released_once_by_the_last) {
    char bytes[8];
    tni_storage *storage;
    cr_assert_eq(tni_storage_wrap(bytes, sizeof bytes, count_release, &released, &storage), TN_OK);
    tni_storage_retain(storage);
    tni_storage_release(storage);
    cr_assert_eq(released, 0);
    tni_storage_release(storage);
    cr_assert_eq(released, 1);
}

Test(storage, null_may_be_released) {
    tni_storage_release(NULL);
}
