/* Loops longer than a device runs, buffers larger than a heap, and streams whose thread has gone.
 */
#include <pthread.h>
#include <stdlib.h>

#include "device.h"
#include "kernel_fixture.h"

TestSuite(vulkan_work, .init = fixture_start, .fini = fixture_stop);

typedef struct loop_steps {
    uint32_t first, second;
} loop_steps;

static loop_steps count_steps(vulkan_device *device, uint32_t steps) {
    loop_steps done = {0, 0};
    void *stream = fixture_stream(device);
    void *kernel = make_kernel(
        device, &(kernel_request){.shader = "loop", .binding_count = 1, .push_size = 4});
    vulkan_buffer *buffer = fixture_buffer(device, sizeof done, TN_MEMORY_DEVICE);
    const tn_binding binding = whole(buffer);
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, &binding, 1, &steps, 4));
    read_buffer(stream, buffer, &done, sizeof done);
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    return done;
}

/* As many steps as the limit says are all done. Beyond it a driver with the quirk ends loops
 * without a word, which is why kernels keep to the limit; one without does them all. */
Test(vulkan_work, loops_run_to_the_limit_that_is_told) {
    vulkan_device *device = fixture_open();
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    ASSERT_OK(vulkan_limits(device, &limits));
    const uint32_t most = limits.max_loop_iterations > 0 ? limits.max_loop_iterations : 200000;
    loop_steps done = count_steps(device, most - 100);
    cr_assert_eq(done.first, most - 100, "%u", done.first);
    cr_assert_eq(done.second, 100, "%u", done.second);
    if (limits.max_loop_iterations > 0) {
        done = count_steps(device, 4 * most);
        cr_assert(done.first != 4 * most || done.second != 100,
                  "the driver does loops of %u steps: the quirk is out of date", 4 * most);
    }
    fixture_close(device);
}

/* ---- Large buffers ---- */

/* The first and the last word hold what is written there. */
static void use_ends(vulkan_device *device, vulkan_buffer *buffer, uint64_t size) {
    void *stream = fixture_stream(device);
    uint32_t first = 0, last = 0;
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 4, 11));
    ASSERT_OK(vulkan_fill(stream, buffer, size - 4, 4, 22));
    ASSERT_OK(vulkan_copy_to_host(stream, &first, buffer, 0, 4));
    ASSERT_OK(vulkan_copy_to_host(stream, &last, buffer, size - 4, 4));
    fixture_finish(stream);
    cr_assert_eq(first, 11);
    cr_assert_eq(last, 22);
    vulkan_destroy_stream(device, stream);
}

/* 5, 8 and 16 GiB: on a device that has them; elsewhere the error names the limit. */
Test(vulkan_work, buffers_of_many_gigabytes) {
    static const uint64_t sizes[] = {(uint64_t)5 << 30, (uint64_t)8 << 30, (uint64_t)16 << 30};
    vulkan_device *device = fixture_open();
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    ASSERT_OK(vulkan_memory_usage(device, &usage));
    int held = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *buffer = NULL;
        const tn_status status = vulkan_allocate(device, sizes[i], 256, TN_MEMORY_DEVICE, &buffer);
        if (status != TN_OK) {
            cr_assert_eq(status, TN_OUT_OF_MEMORY, "%s", fixture_error());
            cr_assert_not_null(strstr(fixture_error(), "cannot allocate"), "%s", fixture_error());
            cr_assert(sizes[i] > usage.free || sizes[i] > device->physical->max_allocation_size ||
                          sizes[i] > device->physical->max_buffer_size,
                      "there is room: %s", fixture_error());
            continue;
        }
        use_ends(device, buffer, sizes[i]);
        vulkan_free(device, buffer);
        held++;
    }
    fixture_close(device);
    if (held == 0) {
        cr_skip("the device has %llu MiB: only the errors were seen",
                (unsigned long long)(usage.total >> 20));
    }
}

Test(vulkan_work, fills_of_all_patterns) {
    static const uint32_t patterns[] = {0, 1, 0xff, 0x80000000, 0x01020304, 0xffffffff};
    static const uint64_t places[][2] = {{0, 4}, {4, 4}, {4, 4092}, {8, 1 << 20}, {0, 1048580}};
    enum { SIZE = 1048832 };
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, SIZE, TN_MEMORY_DEVICE);
    uint32_t *words = malloc(SIZE);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            const uint64_t begin = places[i][0] / 4, end = begin + places[i][1] / 4;
            ASSERT_OK(vulkan_fill(stream, buffer, 0, SIZE, ~patterns[p]));
            ASSERT_OK(vulkan_fill(stream, buffer, places[i][0], places[i][1], patterns[p]));
            read_buffer(stream, buffer, words, SIZE);
            for (uint64_t w = 0; w < SIZE / 4; w++) {
                const uint32_t expected = w >= begin && w < end ? patterns[p] : ~patterns[p];
                cr_assert_eq(words[w], expected, "word %llu", (unsigned long long)w);
            }
        }
    }
    free(words);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_work, copies_of_256_mebibytes, .timeout = 60) {
    const uint64_t size = (uint64_t)256 << 20;
    vulkan_device *device = fixture_open_with("disable", "unified,rebar");
    void *stream = fixture_stream(device);
    unsigned char *in = malloc(size), *out = malloc(size);
    vulkan_buffer *buffer = fixture_buffer(device, size + 8, TN_MEMORY_DEVICE);
    fixture_pattern(in, size, 3);
    for (uint64_t offset = 0; offset < 8; offset += 5) {
        memset(out, 0, size);
        ASSERT_OK(vulkan_copy_from_host(stream, buffer, offset, in, size));
        ASSERT_OK(vulkan_copy_to_host(stream, out, buffer, offset, size));
        fixture_finish(stream);
        cr_assert_eq(memcmp(in, out, size), 0);
    }
    free(in);
    free(out);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* ---- Buffers and streams that change hands ---- */

/* A buffer in the place of one that is freed: nothing that was bound before may be taken for it. */
static void replace_buffers(const char *disable) {
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device), *kernel = make_add(device);
    const add_push push = {16, 1.0f};
    for (int round = 0; round < 100; round++) {
        float numbers[16], sums[16];
        for (int i = 0; i < 16; i++) {
            numbers[i] = (float)(round * 16 + i);
        }
        vulkan_buffer *in = buffer_of(device, stream, numbers, sizeof numbers);
        vulkan_buffer *out = fixture_buffer(device, sizeof sums, TN_MEMORY_DEVICE);
        const tn_binding bindings[] = {whole(in), whole(in), whole(out)};
        ASSERT_OK(
            vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, 3, &push, sizeof push));
        read_buffer(stream, out, sums, sizeof sums);
        for (int i = 0; i < 16; i++) {
            cr_assert_eq(sums[i], 2 * numbers[i], "round %d", round);
        }
        vulkan_free(device, in);
        vulkan_free(device, out);
    }
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_work, buffers_in_the_place_of_others) {
    replace_buffers("");
    replace_buffers("push_descriptor");
}

typedef struct queued_work {
    vulkan_device *device;
    void *stream;
    vulkan_buffer *buffer;
    tn_status status;
} queued_work;

static void *queue_and_go(void *context) {
    queued_work *work = context;
    work->status = vulkan_create_stream(work->device, &work->stream);
    if (work->status == TN_OK) {
        work->status = vulkan_fill(work->stream, work->buffer, 0, 64, 7);
    }
    return NULL;
}

/* A thread ends with work that it has not submitted: the stream is the device's, so it is there. */
Test(vulkan_work, a_thread_that_ends_leaves_its_stream) {
    vulkan_device *device = fixture_open();
    vulkan_buffer *buffer = fixture_buffer(device, 64, TN_MEMORY_DEVICE);
    for (int is_submitted = 0; is_submitted < 2; is_submitted++) {
        queued_work work = {device, NULL, buffer, TN_INTERNAL};
        pthread_t thread;
        uint32_t value = 0;
        cr_assert_eq(pthread_create(&thread, NULL, queue_and_go, &work), 0);
        pthread_join(thread, NULL);
        cr_assert_eq(work.status, TN_OK, "%s", fixture_error());
        if (is_submitted) {
            ASSERT_OK(vulkan_copy_to_host(work.stream, &value, buffer, 60, 4));
            fixture_finish(work.stream);
            cr_assert_eq(value, 7);
        }
        vulkan_destroy_stream(device, work.stream); /* its end hands over what was queued */
        void *stream = fixture_stream(device);
        ASSERT_OK(vulkan_copy_to_host(stream, &value, buffer, 0, 4));
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 64, 0));
        fixture_finish(stream);
        cr_assert_eq(value, 7, "%u", value);
        vulkan_destroy_stream(device, stream);
    }
    vulkan_free(device, buffer);
    fixture_close(device);
}
