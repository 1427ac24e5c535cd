/* Streams: order, tickets, recordings, time stamps. */
#include "vulkan_fixture.h"

#include <stdlib.h>
#include <time.h>

#include "stream.h"

TestSuite(vulkan_stream, .init = fixture_start, .fini = fixture_stop);

Test(vulkan_stream, commands_run_in_order) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    void *stream = fixture_stream(device);
    enum { SIZE = 4096 };
    unsigned char bytes[SIZE];
    vulkan_buffer *a = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    vulkan_buffer *b = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    for (int round = 0; round < 100; round++) {
        fixture_pattern(bytes, SIZE, (uint32_t)round);
        ASSERT_OK(vulkan_fill(stream, b, 0, SIZE, 0x01010101u * (uint32_t)round));
        ASSERT_OK(vulkan_copy_from_host(stream, a, 0, bytes, SIZE));
        ASSERT_OK(vulkan_copy(stream, b, 256, a, 0, SIZE - 256));
        ASSERT_OK(vulkan_fill(stream, a, 0, SIZE, 0xffffffffu)); /* after it was read */
    }
    memmove(bytes + 256, bytes, SIZE - 256);
    memset(bytes, 99, 256);
    fixture_expect(stream, b, 0, bytes, SIZE);
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, independent_commands_need_no_barrier) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 64 * 256, TN_MEMORY_DEVICE);
    for (uint64_t i = 0; i < 32; i++) {
        ASSERT_OK(vulkan_fill(stream, buffer, i * 512, 256, 1));
    }
    cr_assert_eq(atomic_load(&device->statistics.barriers), 0);
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 256, 2));
    ASSERT_OK(vulkan_fill(stream, buffer, 512, 256, 2));
    cr_assert_eq(atomic_load(&device->statistics.barriers), 1, "one barrier serves both");
    fixture_finish(stream);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, tickets) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 256, TN_MEMORY_DEVICE);
    uint64_t first, second;
    ASSERT_OK(vulkan_wait(stream, 0, 0));
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 256, 1));
    ASSERT_OK(vulkan_submit(stream, &first));
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 256, 2));
    ASSERT_OK(vulkan_submit(stream, &second));
    cr_assert_gt(second, first);
    ASSERT_OK(vulkan_wait(stream, second, UINT64_MAX));
    ASSERT_OK(vulkan_wait(stream, first, 0));
    ASSERT_FAILS(vulkan_wait(stream, second + 1, 0), TN_INVALID_ARGUMENT, "never given");
    ASSERT_FAILS(vulkan_wait_stream(stream, stream, second + 1), TN_INVALID_ARGUMENT, "never");
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, streams_wait_for_one_another) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    void *streams[2] = {fixture_stream(device), fixture_stream(device)};
    vulkan_buffer *buffer = fixture_buffer(device, 1024, TN_MEMORY_DEVICE);
    unsigned char last[1024];
    uint64_t ticket = 0;
    for (uint32_t i = 0; i < 100; i++) {
        void *stream = streams[i % 2];
        ASSERT_OK(vulkan_wait_stream(stream, streams[(i + 1) % 2], ticket));
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 1024, i * 0x01010101u));
        ASSERT_OK(vulkan_submit(stream, &ticket));
    }
    memset(last, 99, sizeof last);
    fixture_expect(streams[1], buffer, 0, last, sizeof last);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, streams[0]);
    vulkan_destroy_stream(device, streams[1]);
    fixture_close(device);
}

/* A semaphore that nobody signals: the wait ends at its time, and the stream is still good. */
Test(vulkan_stream, a_wait_ends_in_time) {
    vulkan_device *device = fixture_open();
    vulkan_stream *stream = fixture_stream(device);
    vulkan_stream *blocked = fixture_stream(device);
    atomic_store(&stream->submitted, 1); /* as if a batch was on its way */
    ASSERT_OK(vulkan_wait_stream(blocked, stream, 1));
    ASSERT_FAILS(vulkan_wait(stream, 1, 50000000), TN_TIMEOUT, "not complete");
    ASSERT_FAILS(vulkan_wait(stream, 1, 0), TN_TIMEOUT, "not complete");
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = stream->timeline->semaphore,
        .value = 1,
    };
    cr_assert_eq(device->vk.SignalSemaphore(device->handle, &info), VK_SUCCESS);
    ASSERT_OK(vulkan_wait(stream, 1, UINT64_MAX));
    fixture_finish(blocked);
    vulkan_destroy_stream(device, blocked);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, arguments_are_checked) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 100, TN_MEMORY_DEVICE);
    char bytes[256];
    ASSERT_FAILS(vulkan_copy_from_host(stream, buffer, 1, bytes, 100), TN_OUT_OF_RANGE, "offset 1");
    ASSERT_FAILS(vulkan_copy_to_host(stream, bytes, buffer, UINT64_MAX, 2), TN_OUT_OF_RANGE, "100");
    ASSERT_FAILS(vulkan_copy(stream, buffer, 0, buffer, 20, 40), TN_INVALID_ARGUMENT, "overlap");
    ASSERT_FAILS(vulkan_fill(stream, buffer, 2, 4, 0), TN_INVALID_ARGUMENT, "multiples of 4");
    ASSERT_FAILS(vulkan_fill(stream, buffer, 0, 104, 0), TN_OUT_OF_RANGE, "fill");
    ASSERT_OK(vulkan_copy(stream, buffer, 0, buffer, 60, 40));
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 0, 0));
    fixture_finish(stream);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, a_buffer_may_be_freed_while_it_is_used) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    void *stream = fixture_stream(device);
    vulkan_buffer *result = fixture_buffer(device, 4096, TN_MEMORY_DEVICE);
    unsigned char expected[4096];
    for (uint32_t i = 0; i < 200; i++) {
        vulkan_buffer *scratch = fixture_buffer(device, 4096, TN_MEMORY_DEVICE);
        ASSERT_OK(vulkan_fill(stream, scratch, 0, 4096, i * 0x01010101u));
        ASSERT_OK(vulkan_copy(stream, result, 0, scratch, 0, 4096));
        vulkan_free(device, scratch);
    }
    memset(expected, 199, sizeof expected);
    fixture_expect(stream, result, 0, expected, sizeof expected);
    vulkan_free(device, result);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, a_recording_runs_again_with_new_inputs) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    void *recording;
    unsigned char in[1024], out[1024], constant[16];
    vulkan_buffer *a = fixture_buffer(device, 1024, TN_MEMORY_DEVICE);
    vulkan_buffer *b = fixture_buffer(device, 1024, TN_MEMORY_DEVICE);
    memset(constant, 77, sizeof constant);
    ASSERT_OK(vulkan_begin_recording(stream));
    uint64_t ticket;
    ASSERT_FAILS(vulkan_submit(stream, &ticket), TN_FAILED_PRECONDITION, "end_recording");
    ASSERT_FAILS(vulkan_begin_recording(stream), TN_FAILED_PRECONDITION, "begin_recording");
    ASSERT_OK(vulkan_copy(stream, b, 0, a, 0, 1024));
    ASSERT_OK(vulkan_copy_from_host(stream, b, 0, constant, sizeof constant));
    ASSERT_OK(vulkan_copy_to_host(stream, out, b, 0, 1024));
    memset(constant, 0, sizeof constant); /* the recording has the bytes */
    ASSERT_OK(vulkan_end_recording(stream, &recording));
    for (uint32_t i = 0; i < 20; i++) {
        fixture_pattern(in, sizeof in, i);
        memset(out, 0, sizeof out);
        ASSERT_OK(vulkan_copy_from_host(stream, a, 0, in, sizeof in));
        ASSERT_OK(vulkan_replay(stream, recording));
        fixture_finish(stream);
        memset(in, 77, sizeof constant);
        cr_assert_eq(memcmp(in, out, sizeof in), 0, "run %u", i);
    }
    ASSERT_OK(vulkan_replay(stream, recording));
    vulkan_free(device, a); /* the recording, and what runs of it, keep what they need */
    vulkan_free(device, b);
    vulkan_destroy_recording(device, recording);
    fixture_finish(stream);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, recordings_that_overlap_keep_their_order) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    void *recording;
    enum { SIZE = 64 };
    vulkan_buffer *ring = fixture_buffer(device, SIZE * 3, TN_MEMORY_DEVICE);
    unsigned char expected[SIZE];
    ASSERT_OK(vulkan_begin_recording(stream)); /* each run shifts by one place */
    ASSERT_OK(vulkan_copy(stream, ring, 2 * SIZE, ring, SIZE, SIZE));
    ASSERT_OK(vulkan_copy(stream, ring, SIZE, ring, 0, SIZE));
    ASSERT_OK(vulkan_end_recording(stream, &recording));
    for (uint32_t i = 0; i < 50; i++) {
        ASSERT_OK(vulkan_fill(stream, ring, 0, SIZE, i * 0x01010101u));
        ASSERT_OK(vulkan_replay(stream, recording));
    }
    memset(expected, 48, SIZE);
    fixture_expect(stream, ring, 2 * SIZE, expected, SIZE);
    vulkan_destroy_recording(device, recording);
    vulkan_free(device, ring);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, time_stamps_grow) {
    vulkan_device *device = fixture_open();
    if (!VULKAN_HAS(device->features, TIMESTAMPS)) {
        fixture_close(device);
        cr_skip("the device has no time stamps");
    }
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 1 << 20, TN_MEMORY_DEVICE);
    uint64_t begin = 0, end = 0;
    struct timespec before, after;
    ASSERT_FAILS(vulkan_read_time(stream, 0, &begin), TN_FAILED_PRECONDITION, "holds nothing");
    for (int round = 0; round < 2; round++) {
        clock_gettime(CLOCK_MONOTONIC, &before);
        ASSERT_OK(vulkan_write_time(stream, 0));
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 1 << 20, 1));
        ASSERT_OK(vulkan_write_time(stream, 4095));
        fixture_finish(stream);
        clock_gettime(CLOCK_MONOTONIC, &after);
        const uint64_t wall = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u +
                              (uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;
        ASSERT_OK(vulkan_read_time(stream, 0, &begin));
        ASSERT_OK(vulkan_read_time(stream, 4095, &end));
        cr_assert_gt(end, begin);
        cr_assert_leq(end - begin, wall + wall / 64, "two clocks, which may not agree quite");
    }
    ASSERT_FAILS(vulkan_write_time(stream, 4096), TN_OUT_OF_RANGE, "4096");
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}
