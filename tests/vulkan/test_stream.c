/* Streams: order, tickets, copies of every size and place, recordings, time stamps. */
#include "vulkan_fixture.h"

#include <stdlib.h>

#include "stream.h"

TestSuite(vulkan_stream, .init = fixture_start, .fini = fixture_stop);

static void expect(void *stream, const vulkan_buffer *buffer, uint64_t offset,
                   const unsigned char *bytes, uint64_t size) {
    unsigned char *read = malloc(size + 1);
    memset(read, 0xee, size + 1);
    ASSERT_OK(vulkan_copy_to_host(stream, read, buffer, offset, size));
    fixture_finish(stream);
    cr_assert_eq(memcmp(read, bytes, size), 0, "%llu bytes at %llu differ",
                 (unsigned long long)size, (unsigned long long)offset);
    cr_assert_eq(read[size], 0xee);
    free(read);
}

/* Writes and reads runs of bytes at all offsets modulo 8, on the path that `disable` leaves. */
static void copy_sizes(const char *disable) {
    static const uint64_t sizes[] = {0, 1, 3, 4, 4095, 4096, 65537, (1 << 20) - 1, (5 << 20) + 7};
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device);
    const uint64_t most = (5 << 20) + 64;
    unsigned char *bytes = malloc(most);
    vulkan_buffer *buffer = fixture_buffer(device, most, TN_MEMORY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint64_t offset = 0; offset < 8; offset += 1 + (sizes[i] > 70000) * 4) {
            fixture_pattern(bytes, sizes[i], (uint32_t)(i * 8 + offset));
            ASSERT_OK(vulkan_copy_from_host(stream, buffer, offset, bytes, sizes[i]));
            expect(stream, buffer, offset, bytes, sizes[i]);
        }
    }
    vulkan_free(device, buffer);
    free(bytes);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_stream, copies_of_all_sizes) {
    copy_sizes("");
}

Test(vulkan_stream, copies_of_all_sizes_staged) {
    copy_sizes("unified,rebar");
}

Test(vulkan_stream, copies_through_memory_that_is_not_coherent) {
    copy_sizes("unified,rebar,coherent");
}

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
    expect(stream, b, 0, bytes, SIZE);
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
    expect(streams[1], buffer, 0, last, sizeof last);
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
    expect(stream, result, 0, expected, sizeof expected);
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
    expect(stream, ring, 2 * SIZE, expected, SIZE);
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
    ASSERT_FAILS(vulkan_read_time(stream, 0, &begin), TN_FAILED_PRECONDITION, "holds nothing");
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(vulkan_write_time(stream, 0));
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 1 << 20, 1));
        ASSERT_OK(vulkan_write_time(stream, 4095));
        fixture_finish(stream);
        ASSERT_OK(vulkan_read_time(stream, 0, &begin));
        ASSERT_OK(vulkan_read_time(stream, 4095, &end));
        cr_assert_gt(end, begin);
        cr_assert_lt(end - begin, 10000000000u);
    }
    ASSERT_FAILS(vulkan_write_time(stream, 4096), TN_OUT_OF_RANGE, "4096");
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* Large ones, which a kernel may do, with a few bytes beyond. */
Test(vulkan_stream, large_copies_within_the_device) {
    static const uint64_t places[][3] = {
        {0, 0, 5 << 20}, {16, 48, (3 << 20) + 7}, {4, 20, (2 << 20) + 1}, {256, 1024, 1 << 20}};
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    const uint64_t size = 6 << 20;
    unsigned char *bytes = malloc(size);
    vulkan_buffer *a = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    vulkan_buffer *b = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uint64_t to = places[i][0], from = places[i][1], count = places[i][2];
        fixture_pattern(bytes, size, (uint32_t)i);
        ASSERT_OK(vulkan_copy_from_host(stream, a, 0, bytes, size));
        ASSERT_OK(vulkan_fill(stream, b, 0, size, 0xabababab));
        ASSERT_OK(vulkan_copy(stream, b, to, a, from, count));
        memmove(bytes + to, bytes + from, count);
        memset(bytes, 0xab, to);
        memset(bytes + to + count, 0xab, size - to - count);
        expect(stream, b, 0, bytes, size);
    }
    free(bytes);
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 60 };

typedef struct worker {
    vulkan_device *device;
    uint32_t number;
} worker;

static void *copy_often(void *context) {
    const worker *self = context;
    vulkan_device *device = self->device;
    const uint64_t size = (uint64_t)5000 * (self->number + 1);
    unsigned char *in = malloc(size), *out = malloc(size);
    void *stream = fixture_stream(device);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        vulkan_buffer *a = fixture_buffer(device, size, TN_MEMORY_DEVICE);
        vulkan_buffer *b = fixture_buffer(device, size, TN_MEMORY_DEVICE);
        fixture_pattern(in, size, round * THREADS + self->number);
        ASSERT_OK(vulkan_copy_from_host(stream, a, 0, in, size));
        ASSERT_OK(vulkan_copy(stream, b, 0, a, 0, size));
        ASSERT_OK(vulkan_copy_to_host(stream, out, b, 0, size));
        vulkan_free(device, a);
        vulkan_free(device, b);
        fixture_finish(stream);
        cr_assert_eq(memcmp(in, out, size), 0);
    }
    vulkan_destroy_stream(device, stream);
    free(in);
    free(out);
    return NULL;
}

static void copy_on_threads(const char *disable) {
    vulkan_device *device = fixture_open_with("disable", disable);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){device, i};
        cr_assert_eq(pthread_create(&threads[i], NULL, copy_often, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    fixture_close(device);
}

Test(vulkan_stream, threads_with_streams_of_their_own) {
    copy_on_threads("");
    copy_on_threads("unified,rebar");
}

typedef struct shared_wait {
    void *stream;
    uint64_t ticket;
    const unsigned char *bytes;
    unsigned char first;
} shared_wait;

static void *wait_and_look(void *context) {
    const shared_wait *shared = context;
    ASSERT_OK(vulkan_wait(shared->stream, shared->ticket, UINT64_MAX));
    cr_assert_eq(shared->bytes[0], shared->first);
    cr_assert_eq(shared->bytes[99999], shared->first);
    return NULL;
}

/* Whoever waits sees the bytes, whichever thread was first. */
Test(vulkan_stream, many_wait_for_one_ticket) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 100000, TN_MEMORY_DEVICE);
    unsigned char *bytes = malloc(100000);
    for (unsigned char round = 1; round < 40; round++) {
        pthread_t threads[THREADS];
        shared_wait shared = {stream, 0, bytes, round};
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 100000, round * 0x01010101u));
        ASSERT_OK(vulkan_copy_to_host(stream, bytes, buffer, 0, 100000));
        ASSERT_OK(vulkan_submit(stream, &shared.ticket));
        for (int i = 0; i < THREADS; i++) {
            cr_assert_eq(pthread_create(&threads[i], NULL, wait_and_look, &shared), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    free(bytes);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* More than the ring holds, in both directions, behind a slow fill. */
Test(vulkan_stream, rings_wrap_and_wait, .timeout = 60) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar,host_import");
    void *stream = fixture_stream(device);
    const uint64_t size = (100 << 20) + 12345;
    unsigned char *in = malloc(size), *out = calloc(size, 1);
    vulkan_buffer *buffer = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    fixture_pattern(in, size, 5);
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(vulkan_fill(stream, buffer, 0, size & ~(uint64_t)3, 9));
        ASSERT_OK(vulkan_copy_from_host(stream, buffer, 0, in, size));
        ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, 0, size));
        fixture_finish(stream);
        cr_assert_eq(memcmp(in, out, size), 0);
        in[round] ^= 1;
    }
    for (uint32_t i = 0; i < 3000; i++) { /* small ones go round many times */
        ASSERT_OK(vulkan_copy_from_host(stream, buffer, i * 100, in + i * 100, 100));
    }
    ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, 0, size));
    fixture_finish(stream);
    cr_assert_eq(memcmp(in + 1, out + 1, 300000 - 1), 0);
    cr_assert_eq(atomic_load(&device->statistics.bytes_direct), 0);
    free(in);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* ---- From and into the host's own pages ---- */

/* 40 MiB from `shift` bytes into a page, both ways. */
static void copy_pages(vulkan_device *device, uint64_t shift, uint64_t imported) {
    void *stream = fixture_stream(device);
    const uint64_t size = (40 << 20) + 100;
    unsigned char *in = aligned_alloc(4096, 48 << 20), *out = aligned_alloc(4096, 48 << 20);
    vulkan_buffer *buffer = fixture_buffer(device, size + 7, TN_MEMORY_DEVICE);
    fixture_pattern(in, size + shift, 5);
    memset(out, 0, 48 << 20);
    ASSERT_OK(vulkan_copy_from_host(stream, buffer, 7, in + shift, size));
    memset(in, 0, size + shift); /* the caller's again */
    ASSERT_OK(vulkan_copy_to_host(stream, out + shift, buffer, 7, size));
    fixture_finish(stream);
    fixture_pattern(in, size + shift, 5);
    cr_assert_eq(memcmp(in + shift, out + shift, size), 0);
    cr_assert_eq(out[shift + size], 0);
    cr_assert(shift == 0 || out[shift - 1] == 0);
    cr_assert_eq(atomic_load(&device->statistics.bytes_imported), imported);
    free(in);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
}

Test(vulkan_stream, pages_of_the_host, .timeout = 60) {
    static const uint64_t shifts[] = {0, 1, 64, 4095};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        vulkan_device *device = fixture_open_with("disable", "unified,rebar");
        const int can = VULKAN_HAS(device->features, HOST_IMPORT);
        const uint64_t size = (40 << 20) - (shifts[i] > 100 || shifts[i] == 0 ? 0 : 4096);
        copy_pages(device, shifts[i], can ? 2 * size : 0);
        fixture_close(device);
    }
}

Test(vulkan_stream, pages_that_the_driver_refuses, .timeout = 60) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    char error[256];
    vulkan_fault *fault = vulkan_fault_parse(
        "GetMemoryHostPointerPropertiesEXT:1:INVALID_EXTERNAL_HANDLE:0", error, sizeof error);
    device->fault = fault;
    copy_pages(device, 64, 0);
    device->fault = NULL;
    vulkan_fault_destroy(fault);
    fixture_close(device);
}

/* A queue for copies: the device's own, or its one queue in that part. */
Test(vulkan_stream, uploads_on_a_lane) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    if (!VULKAN_HAS(device->features, TRANSFER_QUEUE)) {
        device->features |= VULKAN_BIT(TRANSFER_QUEUE);
        device->transfer_queue.handle = device->queues[0].handle;
        device->transfer_family = device->queue_family;
    }
    void *stream = fixture_stream(device);
    const uint64_t size = 3 << 20;
    unsigned char *bytes = malloc(size);
    vulkan_buffer *work = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    vulkan_buffer *target = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    for (uint32_t round = 0; round < 20; round++) {
        ASSERT_OK(vulkan_fill(stream, work, 0, size, round));
        fixture_pattern(bytes, size, round);
        ASSERT_OK(vulkan_copy_from_host(stream, target, 0, bytes, size));
        ASSERT_OK(vulkan_copy(stream, work, 100, target, 100, size - 100));
        memset(bytes, 0, 100);
        for (uint32_t i = 0; i < 25; i++) {
            memcpy(bytes + 4 * i, &round, 4);
        }
        expect(stream, work, 0, bytes, size);
    }
    cr_assert_not_null(((vulkan_stream *)stream)->lane);
    free(bytes);
    vulkan_free(device, work);
    vulkan_free(device, target);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}
