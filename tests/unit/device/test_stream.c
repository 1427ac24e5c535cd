#include "fake_backend.h"

FAKE_SUITE(stream);

Test(stream, create_and_destroy) {
    tn_device *device = open_device("fake");
    tn_stream *stream;
    cr_assert_eq(tni_stream_create(device, &stream), TN_OK);
    cr_assert_eq(stream->device, device);
    cr_assert_eq(fake.streams, 2); /* the device has one of its own */
    tni_stream_destroy(stream);
    cr_assert_eq(fake.streams, 1);
    tni_stream_destroy(NULL);
    tn_device_close(device);
}

Test(stream, idle_streams_are_lent_again) {
    tn_device *device = open_device("fake");
    tn_stream *first, *second, *again;
    cr_assert_eq(tni_stream_acquire(device, &first), TN_OK);
    cr_assert_eq(tni_stream_acquire(device, &second), TN_OK);
    cr_assert_neq(first, second);
    cr_assert_neq(first, device->stream);
    tni_stream_release(first);
    cr_assert_eq(tni_stream_acquire(device, &again), TN_OK);
    cr_assert_eq(first, again);
    tni_stream_release(again);
    tni_stream_release(second);
    cr_assert_eq(fake.streams, 3);
    tn_device_close(device);
    cr_assert_eq(fake.streams, 0);
}

Test(stream, failures_surface) {
    tn_device *device = open_device("fake");
    tn_stream *stream = NULL;
    fake.fail_stream = TN_OUT_OF_MEMORY;
    cr_assert_eq(tni_stream_acquire(device, &stream), TN_OUT_OF_MEMORY);
    cr_assert_null(stream);
    fake.fail_wait = TN_DEVICE_LOST;
    cr_assert_eq(tni_stream_finish(device->stream), TN_DEVICE_LOST);
    ASSERT_MESSAGE("device fake:0: the device is gone");
    tn_device_close(device);
}
