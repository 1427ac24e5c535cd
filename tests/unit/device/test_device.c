#include "fake_backend.h"

FAKE_SUITE(device);

Test(device, open_describe_close) {
    tn_device *device = open_device("fake:1");
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_str_eq(tn_device_name(device), "fake:1");
    cr_assert_eq(device->id.index, 1);
    cr_assert_eq(device->opened, 1);
    cr_assert_not_null(device->stream);
    cr_assert_eq(atomic_load(&fake_plugin->leases[TNI_HOLDER_DEVICE]), 1);
    cr_assert_eq(tn_device_describe(device, &info), TN_OK);
    cr_assert_str_eq(info.name, "Beta One");
    cr_assert_str_eq(fake.options, "", "only a device with host loops is told of threads");
    tn_device_close(device);
    cr_assert_eq(fake.opened, 0);
    tn_device_close(NULL);
}

Test(device, an_open_device_is_given_again) {
    tn_device *first = open_device("fake");
    tn_device *second = open_device("fake:0");
    tn_device *other = open_device("fake:2");
    cr_assert_eq(first, second);
    cr_assert_neq(first, other);
    cr_assert_eq(fake.opened, 2);
    tn_device_close(first);
    cr_assert_eq(fake.opened, 2);
    tn_device_close(second);
    cr_assert_eq(fake.opened, 1);
    tn_device_close(other);
    tn_device *again = open_device("fake:0");
    cr_assert_str_eq(tn_device_name(again), "fake:0");
    tn_device_close(again);
}

Test(device, users_keep_it_open) {
    tn_device *device = open_device("fake");
    tni_device_retain(device);
    tn_device_close(device);
    cr_assert_eq(fake.opened, 1);
    tn_device_close(device); /* one too many */
    cr_assert_eq(fake.opened, 1);
    cr_assert_eq(open_device("fake"), device);
    tn_device_close(device);
    tni_device_release(device);
    cr_assert_eq(fake.opened, 0);
    tni_device_release(NULL);
}

Test(device, an_open_that_fails_leaves_nothing) {
    tn_device *device = NULL;
    fake.fail_open = TN_BUSY;
    cr_assert_eq(tn_device_open(runtime, "fake", &device), TN_BUSY);
    ASSERT_MESSAGE("device 'fake': the fake device is taken");
    fake.fail_open = TN_OK;
    fake.fail_stream = TN_OUT_OF_MEMORY;
    cr_assert_eq(tn_device_open(runtime, "fake", &device), TN_OUT_OF_MEMORY);
    fake.fail_stream = TN_OK;
    cr_assert_eq(tn_device_open(runtime, "none", &device), TN_NOT_FOUND);
    cr_assert_eq(tn_device_open(NULL, "fake", &device), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_device_open(runtime, NULL, &device), TN_INVALID_ARGUMENT);
    cr_assert_null(device);
}

Test(device, targets) {
    tn_device *device = open_device("fake");
    cr_assert_eq(tni_device_has_target(device, "fakecode"), 1);
    cr_assert_eq(tni_device_has_target(device, "other"), 1);
    cr_assert_eq(tni_device_has_target(device, "oth"), 0);
    cr_assert_eq(tni_device_has_target(device, "others"), 0);
    cr_assert_eq(tni_device_has_target(device, ""), 0);
    tn_device_close(device);
}

Test(device, memory_goes_through_the_pool) {
    tn_device *device = open_device("fake");
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    void *first, *second;
    cr_assert_eq(tni_device_allocate(device, 1000, &first), TN_OK);
    tni_device_free(device, first, 1000);
    cr_assert_eq(tni_device_allocate(device, 1010, &second), TN_OK);
    cr_assert_eq(first, second);
    tni_device_free(device, second, 1010);
    cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
    cr_assert_eq(usage.count, 1);
    tn_device_trim(device);
    cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
    cr_assert_eq(usage.count, 0);
    tni_device_free(device, NULL, 1000);
    tn_device_close(device);
}

Test(device, more_than_the_pool_may_hold_is_freed) {
    tn_device *device = open_device("fake"); /* 1 MiB of memory, a quarter for the pool */
    void *buffer;
    cr_assert_eq(tni_device_allocate(device, 300 << 10, &buffer), TN_OK);
    tni_device_free(device, buffer, 300 << 10);
    cr_assert_eq(fake.buffers, 0);
    tn_device_close(device);
}

Test(device, idle_memory_is_given_back_when_memory_lacks) {
    tn_device *device = open_device("fake");
    void *buffer, *more;
    fake.budget = 200 << 10;
    cr_assert_eq(tni_device_allocate(device, 128 << 10, &buffer), TN_OK);
    tni_device_free(device, buffer, 128 << 10);
    cr_assert_eq(tni_device_allocate(device, 192 << 10, &buffer), TN_OK);
    cr_assert_eq(tni_device_allocate(device, 192 << 10, &more), TN_OUT_OF_MEMORY);
    ASSERT_MESSAGE("device fake:0");
    tni_device_free(device, buffer, 192 << 10);
    tn_device_close(device);
}

enum { THREADS = 4, ROUNDS = 300 };

static void *open_and_close(void *context) {
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        tn_device *device;
        cr_assert_eq(tn_device_open(runtime, "fake", &device), TN_OK);
        pthread_mutex_lock(&fake.lock);
        cr_assert_geq(fake.opened, 1);
        pthread_mutex_unlock(&fake.lock);
        tn_device_close(device);
    }
    return NULL;
}

Test(device, many_threads_open_and_close) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    cr_assert_eq(fake.opened, 0);
}

static int logged;

static void count_log(void *context, uint32_t level, const char *source, const char *message) {
    (void)context;
    (void)source;
    logged += level == TN_LOG_WARNING && strstr(message, "fake:0 is still open") != NULL;
}

Test(device, what_is_open_at_the_end_is_closed_and_logged) {
    runtime->options.log = count_log;
    open_device("fake");
    tni_device_floor_finish(runtime);
    cr_assert_eq(logged, 1);
    cr_assert_eq(fake.opened, 0);
    tni_device_floor_finish(runtime);
}
