/* Copies on lanes beside a stream's own work: what comes before and after them. */
#include "vulkan_fixture.h"

#include <stdlib.h>

#include "stream.h"

TestSuite(vulkan_lane, .init = fixture_start, .fini = fixture_stop);

enum { SIZE = 5 << 20, HALF = SIZE / 2 };

/* A queue for copies: the device's own, or its one queue in that part. */
static vulkan_device *open_with_lanes(void) {
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    if (!VULKAN_HAS(device->features, TRANSFER_QUEUE)) {
        device->features |= VULKAN_BIT(TRANSFER_QUEUE);
        device->transfer_queue_count = 1;
        device->transfer_queues[0].handle = device->queues[0].handle;
        device->transfer_family = device->queue_family;
    }
    return device;
}

static void expect_words(const uint32_t *words, uint64_t bytes, uint32_t expected) {
    for (uint64_t i = 0; i < bytes / sizeof *words; i++) {
        cr_assert_eq(words[i], expected, "word %llu is %x, expected %x", (unsigned long long)i,
                     (unsigned)words[i], (unsigned)expected);
    }
}

Test(vulkan_lane, uploads_go_ahead) {
    vulkan_device *device = open_with_lanes();
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
        fixture_expect(stream, work, 0, bytes, size);
    }
    cr_assert_not_null(((vulkan_stream *)stream)->upload_lane);
    free(bytes);
    vulkan_free(device, work);
    vulkan_free(device, target);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_lane, a_download_comes_after_what_was_queued_before) {
    vulkan_device *device = open_with_lanes();
    void *stream = fixture_stream(device);
    uint32_t *out = malloc(SIZE);
    vulkan_buffer *buffer = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    for (uint32_t round = 1; round <= 20; round++) {
        for (uint32_t i = 0; i < 10; i++) {
            ASSERT_OK(vulkan_fill(stream, buffer, 0, SIZE, i < 9 ? 0 : round));
        }
        ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, 0, SIZE));
        fixture_finish(stream);
        expect_words(out, SIZE, round);
    }
    cr_assert_not_null(((vulkan_stream *)stream)->download_lane);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* What is being read must not be written: neither by a command, nor by a recording, nor by an
 * upload, nor from another stream that waits for the ticket. */
Test(vulkan_lane, what_is_read_is_not_written) {
    vulkan_device *device = open_with_lanes();
    void *stream = fixture_stream(device), *other = fixture_stream(device);
    uint32_t *out = malloc(SIZE), *in = calloc(1, SIZE);
    vulkan_buffer *buffer = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    void *recording;
    ASSERT_OK(vulkan_begin_recording(stream));
    ASSERT_OK(vulkan_fill(stream, buffer, 0, SIZE, 0xdead));
    ASSERT_OK(vulkan_end_recording(stream, &recording));
    for (uint32_t round = 0; round < 20; round++) {
        uint64_t ticket;
        ASSERT_OK(vulkan_fill(stream, buffer, 0, SIZE, round));
        ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, 0, SIZE));
        ASSERT_OK(vulkan_submit(stream, &ticket));
        const uint64_t awaited = ((vulkan_stream *)stream)->awaited_download;
        if (round % 4 == 0) {
            ASSERT_OK(vulkan_fill(stream, buffer, HALF, HALF, 0xbad));
        } else if (round % 4 == 1) {
            ASSERT_OK(vulkan_replay(stream, recording));
        } else if (round % 4 == 2) {
            ASSERT_OK(vulkan_copy_from_host(stream, buffer, 0, in, SIZE));
        } else {
            ASSERT_OK(vulkan_wait_stream(other, stream, ticket));
            ASSERT_OK(vulkan_fill(other, buffer, 0, SIZE, 0xbad));
            fixture_finish(other);
        }
        if (round % 4 < 2) { /* an upload finds out whether the download is over already */
            cr_assert_gt(((vulkan_stream *)stream)->awaited_download, awaited);
        }
        ASSERT_OK(vulkan_wait(stream, ticket, UINT64_MAX));
        expect_words(out, SIZE, round);
        fixture_finish(stream);
    }
    vulkan_destroy_recording(device, recording);
    free(in);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, other);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* Work that writes elsewhere does not wait; what is downloaded may be freed, and the stream
 * destroyed, while the copy is on its way. */
Test(vulkan_lane, other_work_goes_on) {
    vulkan_device *device = open_with_lanes();
    uint32_t *out = malloc(SIZE);
    for (uint32_t round = 0; round < 10; round++) {
        void *stream = fixture_stream(device);
        vulkan_buffer *work = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
        vulkan_buffer *buffer = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
        ASSERT_OK(vulkan_fill(stream, buffer, 0, SIZE, round));
        ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, 0, SIZE));
        vulkan_free(device, buffer);
        ASSERT_OK(vulkan_fill(stream, work, 0, SIZE, 7));
        cr_assert_eq(((vulkan_stream *)stream)->awaited_download, 0);
        vulkan_free(device, work);
        vulkan_destroy_stream(device, stream);
        expect_words(out, SIZE, round);
    }
    free(out);
    fixture_close(device);
}

/* The first that a stream does may be a download: its ticket stands for it, too. */
Test(vulkan_lane, a_download_alone) {
    vulkan_device *device = open_with_lanes();
    void *first = fixture_stream(device), *second = fixture_stream(device);
    uint32_t *out = malloc(SIZE);
    vulkan_buffer *buffer = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_fill(first, buffer, 0, SIZE, 5));
    fixture_finish(first);
    ASSERT_OK(vulkan_copy_to_host(second, out, buffer, 0, SIZE));
    uint64_t ticket;
    ASSERT_OK(vulkan_submit(second, &ticket));
    cr_assert_gt(ticket, 0);
    ASSERT_OK(vulkan_wait(second, ticket, UINT64_MAX));
    expect_words(out, SIZE, 5);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, second);
    vulkan_destroy_stream(device, first);
    fixture_close(device);
}
