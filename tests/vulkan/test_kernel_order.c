/* Kernels on streams: barriers, sharing, recordings, threads, faults. */
#include "kernel_fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "device.h"
#include "instance.h"

TestSuite(vulkan_kernel_order, .init = fixture_start, .fini = fixture_stop);

enum { COUNT = 64, BYTES = COUNT * (int)sizeof(float) };

static tn_status add(void *stream, void *kernel, vulkan_buffer *a, vulkan_buffer *b,
                     vulkan_buffer *c) {
    static const add_push push = {COUNT, 1.0f};
    const tn_binding bindings[] = {whole(a), whole(b), whole(c)};
    return vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, 3, &push, sizeof push);
}

static vulkan_buffer *numbers(vulkan_device *device, void *stream, float value) {
    float all[COUNT];
    for (int i = 0; i < COUNT; i++) {
        all[i] = value;
    }
    return buffer_of(device, stream, all, sizeof all);
}

static void expect(void *stream, const vulkan_buffer *buffer, float value) {
    float all[COUNT];
    read_buffer(stream, buffer, all, sizeof all);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(all[i], value, "%d: %g, expected %g", i, (double)all[i], (double)value);
    }
}

/* The same kernel with buffers to and fro, a thousand times, and nobody waits in between. */
static void ping_pong(const char *disable) {
    enum { TIMES = 1000 };
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *one = numbers(device, stream, 1.0f), *a = numbers(device, stream, 0.0f);
    vulkan_buffer *b = numbers(device, stream, 0.0f);
    fixture_finish(stream);
    const uint64_t submits = atomic_load(&device->statistics.submits);
    for (int i = 0; i < TIMES; i++) {
        ASSERT_OK(add(stream, kernel, i % 2 == 0 ? a : b, one, i % 2 == 0 ? b : a));
    }
    expect(stream, a, (float)TIMES);
    cr_assert_leq(atomic_load(&device->statistics.submits) - submits, 40);
    cr_assert_eq(atomic_load(&device->statistics.dispatches), TIMES);
    vulkan_free(device, one);
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel_order, to_and_fro) {
    ping_pong("");
}

Test(vulkan_kernel_order, to_and_fro_with_sets) {
    ping_pong("push_descriptor");
}

Test(vulkan_kernel_order, barriers_only_where_work_depends) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *one = numbers(device, stream, 1.0f), *buffers[5];
    for (int i = 0; i < 5; i++) {
        buffers[i] = numbers(device, stream, 0.0f);
    }
    fixture_finish(stream);
    ASSERT_OK(add(stream, kernel, one, one, buffers[0])); /* after what was before */
    uint64_t barriers = atomic_load(&device->statistics.barriers);
    for (int i = 1; i < 4; i++) {
        ASSERT_OK(add(stream, kernel, one, one, buffers[i]));
    }
    cr_assert_eq(atomic_load(&device->statistics.barriers), barriers, "they are independent");
    ASSERT_OK(add(stream, kernel, buffers[0], buffers[1], buffers[4]));
    cr_assert_eq(atomic_load(&device->statistics.barriers), barriers + 1, "read after write");
    ASSERT_OK(add(stream, kernel, buffers[2], buffers[3], buffers[2 - 1]));
    cr_assert_eq(atomic_load(&device->statistics.barriers), barriers + 2, "write after read");
    expect(stream, buffers[4], 4.0f);
    expect(stream, buffers[1], 4.0f);
    for (int i = 0; i < 5; i++) {
        vulkan_free(device, buffers[i]);
    }
    vulkan_free(device, one);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel_order, released_while_work_waits) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *one = numbers(device, stream, 1.0f);
    vulkan_buffer *sum = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
    ASSERT_OK(add(stream, kernel, one, one, sum));
    vulkan_destroy_kernel(device, kernel);
    vulkan_free(device, one);
    expect(stream, sum, 2.0f);
    vulkan_free(device, sum);
    vulkan_destroy_stream(device, stream);
    cr_assert_null(device->kernels->kernels, "it is gone with the work");
    fixture_close(device);
}

static void record_and_replay(const char *disable, uint32_t most_push) {
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device), *recording = NULL;
    if (most_push > 0) {
        device->kernels->max_push_constants = 0;
    }
    void *kernel = make_add(device);
    vulkan_buffer *one = numbers(device, stream, 1.0f), *a = numbers(device, stream, 0.0f);
    vulkan_buffer *b = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_begin_recording(stream));
    ASSERT_OK(add(stream, kernel, a, one, b));
    ASSERT_OK(add(stream, kernel, b, one, a));
    ASSERT_OK(vulkan_end_recording(stream, &recording));
    vulkan_destroy_kernel(device, kernel); /* the recording keeps it */
    for (int i = 0; i < 50; i++) {
        ASSERT_OK(vulkan_replay(stream, recording));
        if (i % 10 == 0) {
            fixture_finish(stream);
        }
    }
    expect(stream, a, 100.0f);
    vulkan_destroy_recording(device, recording);
    vulkan_free(device, one);
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_destroy_stream(device, stream);
    cr_assert_null(device->kernels->kernels);
    close_device(device);
}

Test(vulkan_kernel_order, recordings) {
    record_and_replay("", 0);
}

Test(vulkan_kernel_order, recordings_with_sets) {
    record_and_replay("push_descriptor", 0);
}

Test(vulkan_kernel_order, recordings_with_push_data_in_a_buffer) {
    record_and_replay("push_descriptor,coherent", 1);
}

/* ---- Sharing ---- */

Test(vulkan_kernel_order, the_same_kernel_is_made_once) {
    vulkan_device *device = fixture_open();
    const test_shader *shader = find_shader("add");
    void *module = NULL, *kernels[3];
    static const uint32_t access[] = {1, 1, 2};
    tn_device_kernel_desc desc = {.struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
                                  .binding_count = 3,
                                  .entry_point = "main",
                                  .access = access,
                                  .push_size = 8};
    ASSERT_OK(vulkan_create_module(device, shader->words, shader->size, &module));
    ASSERT_OK(vulkan_create_kernel(device, module, &desc, &kernels[0]));
    ASSERT_OK(vulkan_create_kernel(device, module, &desc, &kernels[1]));
    desc.push_size = 16;
    ASSERT_OK(vulkan_create_kernel(device, module, &desc, &kernels[2]));
    cr_assert_eq(kernels[0], kernels[1]);
    cr_assert_neq(kernels[0], kernels[2]);
    cr_assert_eq(atomic_load(&device->statistics.pipelines), 2);
    vulkan_destroy_module(device, module);
    for (int i = 0; i < 3; i++) {
        vulkan_destroy_kernel(device, kernels[i]);
    }
    fixture_close(device);
}

typedef struct kernel_asker {
    vulkan_device *device;
    void *module;
    pthread_barrier_t *start;
    void *kernel;
    tn_status status;
} kernel_asker;

static void *ask(void *argument) {
    kernel_asker *asker = argument;
    static const uint32_t access[] = {1, 1, 2};
    const tn_device_kernel_desc desc = {.struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
                                        .binding_count = 3,
                                        .entry_point = "main",
                                        .access = access,
                                        .push_size = 8};
    pthread_barrier_wait(asker->start);
    asker->status = vulkan_create_kernel(asker->device, asker->module, &desc, &asker->kernel);
    return NULL;
}

Test(vulkan_kernel_order, threads_that_ask_at_once) {
    enum { THREADS = 8, ROUNDS = 10 };
    vulkan_device *device = fixture_open();
    const test_shader *shader = find_shader("add");
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        pthread_barrier_t start;
        kernel_asker askers[THREADS];
        void *module = NULL;
        const uint64_t before = atomic_load(&device->statistics.pipelines);
        ASSERT_OK(vulkan_create_module(device, shader->words, shader->size, &module));
        pthread_barrier_init(&start, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            askers[i] = (kernel_asker){device, module, &start, NULL, TN_INTERNAL};
            pthread_create(&threads[i], NULL, ask, &askers[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            cr_assert_eq(askers[i].status, TN_OK);
            cr_assert_eq(askers[i].kernel, askers[0].kernel);
        }
        cr_assert_eq(atomic_load(&device->statistics.pipelines), before + 1);
        for (int i = 0; i < THREADS; i++) {
            vulkan_destroy_kernel(device, askers[i].kernel);
        }
        vulkan_destroy_module(device, module);
        pthread_barrier_destroy(&start);
    }
    fixture_close(device);
}

typedef struct kernel_worker {
    vulkan_device *device;
    void *kernel;
    int number;
    int is_right;
} kernel_worker;

/* Each thread has a stream and buffers of its own; the kernel is everybody's. */
static void *work(void *argument) {
    kernel_worker *worker = argument;
    vulkan_device *device = worker->device;
    void *stream = NULL;
    float all[COUNT];
    uint64_t ticket = 0;
    void *buffers[2];
    if (vulkan_create_stream(device, &stream) != TN_OK) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        (void)vulkan_allocate(device, BYTES, 256, TN_MEMORY_DEVICE, &buffers[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        all[i] = (float)worker->number;
    }
    tn_status status = vulkan_copy_from_host(stream, buffers[0], 0, all, BYTES);
    status |= vulkan_fill(stream, buffers[1], 0, BYTES, 0);
    for (int i = 0; i < 200; i++) {
        status |= add(stream, worker->kernel, buffers[0], buffers[1], buffers[1]);
    }
    status |= vulkan_copy_to_host(stream, all, buffers[1], 0, BYTES);
    status |= vulkan_submit(stream, &ticket);
    status |= vulkan_wait(stream, ticket, UINT64_MAX);
    worker->is_right =
        status == TN_OK && all[0] == 200.0f * (float)worker->number && all[COUNT - 1] == all[0];
    vulkan_free(device, buffers[0]);
    vulkan_free(device, buffers[1]);
    vulkan_destroy_stream(device, stream);
    return NULL;
}

static void work_together(const char *disable) {
    enum { THREADS = 8 };
    vulkan_device *device = fixture_open_with("disable", disable);
    static const uint32_t access[] = {1, 3, 3};
    void *kernel = make_kernel(device, &(kernel_request){.shader = "add",
                                                         .binding_count = 3,
                                                         .push_size = sizeof(add_push),
                                                         .access = access});
    pthread_t threads[THREADS];
    kernel_worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (kernel_worker){device, kernel, i + 1, 0};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert(workers[i].is_right, "thread %d: %s", i, fixture_error());
    }
    vulkan_destroy_kernel(device, kernel);
    fixture_close(device);
}

Test(vulkan_kernel_order, one_kernel_in_eight_threads) {
    work_together("");
}

Test(vulkan_kernel_order, one_kernel_in_eight_threads_with_sets) {
    work_together("push_descriptor");
}

/* ---- Copies by a kernel ---- */

Test(vulkan_kernel_order, copies_by_kernel) {
    enum { MEBIBYTE = 1 << 20 };
    static const uint64_t sizes[] = {MEBIBYTE, MEBIBYTE + 16, 5 * MEBIBYTE + 48};
    static const uint64_t offsets[][2] = {{0, 0}, {16, 0}, {48, 112}, {256, 16}};
    vulkan_device *device = fixture_open();
    if (vulkan_kernel_copy_create(device) == TN_UNSUPPORTED) {
        fixture_close(device);
        cr_skip("%s", fixture_error());
    }
    device->kernels->max_binding_size = 2 * MEBIBYTE; /* in several launches */
    void *stream = fixture_stream(device);
    unsigned char *bytes = malloc(6 * MEBIBYTE), *back = malloc(6 * MEBIBYTE);
    fixture_pattern(bytes, 6 * MEBIBYTE, 5);
    vulkan_buffer *from = buffer_of(device, stream, bytes, 6 * MEBIBYTE);
    vulkan_buffer *to = fixture_buffer(device, 6 * MEBIBYTE, TN_MEMORY_DEVICE);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
            const uint64_t before = atomic_load(&device->statistics.dispatches);
            ASSERT_OK(vulkan_fill(stream, to, 0, 6 * MEBIBYTE, 0xcdcdcdcd));
            ASSERT_OK(vulkan_copy(stream, to, offsets[o][0], from, offsets[o][1], sizes[s]));
            cr_assert_geq(atomic_load(&device->statistics.dispatches), before + 1);
            read_buffer(stream, to, back, 6 * MEBIBYTE);
            cr_assert_eq(memcmp(back + offsets[o][0], bytes + offsets[o][1], sizes[s]), 0);
            cr_assert_eq(back[offsets[o][0] + sizes[s]], 0xcd);
            cr_assert(offsets[o][0] == 0 || back[offsets[o][0] - 1] == 0xcd);
        }
    }
    vulkan_free(device, from);
    vulkan_free(device, to);
    free(bytes);
    free(back);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* As on a device with memory of its own: both ways are timed when it is opened. */
Test(vulkan_kernel_order, the_way_to_copy_is_chosen_at_open) {
    uint32_t count;
    (void)vulkan_count(&fixture_host, &count);
    vulkan_physical_device *physical = &((vulkan_plugin *)fixture_host.plugin_state)->devices[0];
    const VkPhysicalDeviceType type = physical->properties.deviceType;
    physical->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    vulkan_device *device = fixture_open();
    cr_assert_geq(atomic_load(&device->statistics.dispatches), 1);
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    ASSERT_OK(vulkan_limits(device, &limits));
    cr_assert_gt(limits.copy_command_rate, 0);
    cr_assert_gt(limits.copy_kernel_rate, 0);
    cr_assert_eq(limits.copies_by_kernel,
                 limits.copy_kernel_rate > limits.copy_command_rate && device->kernel_copy != NULL);
    fixture_close(device);
    device = fixture_open_with("disable", "kernel_copy");
    cr_assert_null(device->kernel_copy);
    cr_assert_eq(atomic_load(&device->statistics.dispatches), 0);
    fixture_close(device);
    physical->properties.deviceType = type;
}

/* ---- Faults ---- */

/* Every call that can fail, failing once: an error with its name, nothing held, and then it works.
 */
Test(vulkan_kernel_order, calls_that_fail) {
    static const struct {
        const char *call, *result, *disable;
        tn_status status;
    } faults[] = {
        {"vkCreateShaderModule", "OUT_OF_HOST_MEMORY", "", TN_OUT_OF_MEMORY},
        {"vkCreateComputePipelines", "OUT_OF_DEVICE_MEMORY", "", TN_OUT_OF_MEMORY},
        {"vkCreateComputePipelines", "UNKNOWN", "", TN_INTERNAL},
        {"vkCreateDescriptorSetLayout", "OUT_OF_HOST_MEMORY", "", TN_OUT_OF_MEMORY},
        {"vkCreatePipelineLayout", "OUT_OF_HOST_MEMORY", "", TN_OUT_OF_MEMORY},
        {"vkCreateDescriptorPool", "OUT_OF_DEVICE_MEMORY", "push_descriptor", TN_OUT_OF_MEMORY},
        {"vkAllocateDescriptorSets", "OUT_OF_DEVICE_MEMORY", "push_descriptor", TN_OUT_OF_MEMORY},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char text[100], error[200];
        vulkan_device *device = fixture_open_with("disable", faults[i].disable);
        void *stream = fixture_stream(device), *kernel = NULL;
        vulkan_buffer *one = numbers(device, stream, 1.0f);
        vulkan_buffer *sum = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
        const kernel_request request = {.shader = "add", .binding_count = 3, .push_size = 8};
        snprintf(text, sizeof text, "%s:1:%s", faults[i].call, faults[i].result);
        device->fault = vulkan_fault_parse(text, error, sizeof error);
        tn_status status = try_kernel(device, &request, &kernel);
        if (status == TN_OK) {
            status = add(stream, kernel, one, one, sum);
        }
        cr_assert_eq(status, faults[i].status, "%s: %s", text, fixture_error());
        cr_assert_not_null(strstr(fixture_error(), faults[i].call), "%s", fixture_error());
        kernel = kernel != NULL ? kernel : make_kernel(device, &request);
        ASSERT_OK(add(stream, kernel, one, one, sum));
        expect(stream, sum, 2.0f);
        vulkan_fault_destroy(device->fault);
        device->fault = NULL;
        vulkan_free(device, one);
        vulkan_free(device, sum);
        vulkan_destroy_kernel(device, kernel);
        vulkan_destroy_stream(device, stream);
        fixture_close(device);
    }
}

/* A pool that the driver calls full is no error: the next one serves. */
Test(vulkan_kernel_order, a_pool_is_full_early) {
    char error[200];
    vulkan_device *device = fixture_open_with("disable", "push_descriptor");
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *one = numbers(device, stream, 1.0f);
    vulkan_buffer *sum = fixture_buffer(device, BYTES, TN_MEMORY_DEVICE);
    device->fault =
        vulkan_fault_parse("vkAllocateDescriptorSets:2:OUT_OF_POOL_MEMORY", error, sizeof error);
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(add(stream, kernel, one, one, sum));
    }
    expect(stream, sum, 2.0f);
    vulkan_fault_destroy(device->fault);
    device->fault = NULL;
    vulkan_free(device, one);
    vulkan_free(device, sum);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}
