/* Copies: of every size and place, by every way, from several threads. */
#include "vulkan_fixture.h"

#include <stdlib.h>

#include "stream.h"

TestSuite(vulkan_copy, .init = fixture_start, .fini = fixture_stop);

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
            fixture_expect(stream, buffer, offset, bytes, sizes[i]);
        }
    }
    vulkan_free(device, buffer);
    free(bytes);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_copy, copies_of_all_sizes) {
    copy_sizes("");
}

Test(vulkan_copy, copies_of_all_sizes_staged) {
    copy_sizes("unified,rebar");
}

Test(vulkan_copy, copies_through_memory_that_is_not_coherent) {
    copy_sizes("unified,rebar,coherent");
}

/* Large ones, which a kernel may do, with a few bytes beyond. */
Test(vulkan_copy, large_copies_within_the_device) {
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
        fixture_expect(stream, b, 0, bytes, size);
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

Test(vulkan_copy, threads_with_streams_of_their_own) {
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
Test(vulkan_copy, many_wait_for_one_ticket) {
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
Test(vulkan_copy, rings_wrap_and_wait, .timeout = 60) {
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

Test(vulkan_copy, pages_of_the_host, .timeout = 60) {
    static const uint64_t shifts[] = {0, 1, 64, 4095};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        vulkan_device *device = fixture_open_with("disable", "unified,rebar");
        const int can = VULKAN_HAS(device->features, HOST_IMPORT);
        const uint64_t size = (40 << 20) - (shifts[i] > 100 || shifts[i] == 0 ? 0 : 4096);
        copy_pages(device, shifts[i], can ? 2 * size : 0);
        fixture_close(device);
    }
}

Test(vulkan_copy, pages_that_the_driver_refuses, .timeout = 60) {
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
