/* Memory: alignment, blocks, accounting, running out of it, and faults on the way. */
#include "vulkan_fixture.h"

#include <stdlib.h>

#include "device.h"
#include "fault.h"
#include "heap.h"
#include "instance.h"

TestSuite(vulkan_memory, .init = fixture_start, .fini = fixture_stop);

Test(vulkan_memory, is_aligned_and_accounted) {
    vulkan_device *device = fixture_open();
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    for (uint64_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
        for (uint32_t memory = 0; memory < VULKAN_MEMORY_KINDS; memory++) {
            void *handle, *address = NULL;
            ASSERT_OK(vulkan_allocate(device, 1000, alignment, memory, &handle));
            const vulkan_buffer *buffer = handle;
            cr_assert_eq(buffer->offset % alignment, 0);
            cr_assert_eq(buffer->offset % 256, 0);
            if (memory == TN_MEMORY_DEVICE) {
                ASSERT_FAILS(vulkan_map(device, handle, &address), TN_UNSUPPORTED, "no address");
            } else {
                ASSERT_OK(vulkan_map(device, handle, &address));
                memset(address, 1, 1000);
            }
            ASSERT_OK(vulkan_memory_usage(device, &usage));
            cr_assert_eq(usage.allocated, 1000);
            cr_assert_eq(usage.count, 1);
            vulkan_free(device, handle);
        }
    }
    vulkan_free(device, NULL);
    ASSERT_OK(vulkan_memory_usage(device, &usage));
    cr_assert_eq(usage.allocated, 0);
    cr_assert_eq(usage.peak, 1000);
    cr_assert_gt(usage.total, 0);
    fixture_close(device);
}

Test(vulkan_memory, many_small_buffers_take_few_blocks) {
    enum { COUNT = 10000 };
    vulkan_device *device = fixture_open();
    vulkan_buffer **buffers = malloc(COUNT * sizeof *buffers);
    for (int i = 0; i < COUNT; i++) {
        buffers[i] = fixture_buffer(device, 1 + (uint64_t)i % 1000, TN_MEMORY_DEVICE);
    }
    cr_assert_leq(atomic_load(&device->statistics.memory_allocations), 2);
    for (int i = 0; i < COUNT; i++) {
        vulkan_free(device, buffers[(i * 7919) % COUNT]);
    }
    cr_assert_eq(device->heap->memory_count, 1, "one empty block stays");
    pthread_mutex_lock(&device->heap->lock);
    vulkan_heap_trim(device);
    pthread_mutex_unlock(&device->heap->lock);
    cr_assert_eq(device->heap->memory_count, 0);
    free(buffers);
    fixture_close(device);
}

Test(vulkan_memory, a_steady_state_asks_the_driver_for_nothing) {
    vulkan_device *device = fixture_open();
    vulkan_free(device, fixture_buffer(device, 1000, TN_MEMORY_DEVICE));
    const uint64_t before = atomic_load(&device->statistics.memory_allocations);
    for (uint64_t i = 0; i < 1000; i++) {
        vulkan_free(device, fixture_buffer(device, 1 + i * 1000, TN_MEMORY_DEVICE));
    }
    cr_assert_eq(atomic_load(&device->statistics.memory_allocations), before);
    fixture_close(device);
}

Test(vulkan_memory, blocks_of_a_given_size) {
    vulkan_device *device = fixture_open_with("block_size", "1048576");
    vulkan_buffer *buffers[16];
    for (int i = 0; i < 16; i++) {
        buffers[i] = fixture_buffer(device, 400 << 10, TN_MEMORY_DEVICE);
    }
    cr_assert_eq(device->heap->memory_count, 8, "two fit into each");
    vulkan_buffer *large = fixture_buffer(device, 5 << 20, TN_MEMORY_DEVICE);
    cr_assert_null(large->node, "a block of its own");
    vulkan_free(device, large);
    cr_assert_eq(device->heap->memory_count, 8, "which goes with it");
    for (int i = 0; i < 16; i++) {
        vulkan_free(device, buffers[i]);
    }
    fixture_close(device);
}

Test(vulkan_memory, what_is_left_is_reported) {
    vulkan_device *device = fixture_open();
    const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
    (void)fixture_buffer(device, 1000, TN_MEMORY_DEVICE);
    vulkan_close(&fixture_host, device);
    cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings + 1);
    device = fixture_open();
    fixture_close(device);
    cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings + 1, "nothing is left here");
}

Test(vulkan_memory, requests_that_cannot_be) {
    vulkan_device *device = fixture_open();
    const uint64_t large[] = {UINT64_MAX, INT64_MAX, (uint64_t)1 << 50};
    void *buffer = NULL;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        ASSERT_FAILS(vulkan_allocate(device, large[i], 64, TN_MEMORY_DEVICE, &buffer),
                     TN_OUT_OF_MEMORY, "cannot allocate");
    }
    ASSERT_FAILS(vulkan_allocate(device, 0, 64, 0, &buffer), TN_INVALID_ARGUMENT, "at least 1");
    ASSERT_FAILS(vulkan_allocate(device, 8, 3, 0, &buffer), TN_INVALID_ARGUMENT, "power of two");
    ASSERT_FAILS(vulkan_allocate(device, 8, 8, 9, &buffer), TN_INVALID_ARGUMENT, "use 9");
    cr_assert_null(buffer);
    fixture_close(device);
}

static void start_with_faults(const char *faults) {
    setenv("TENON_VK_FAULT", faults, 1);
    vulkan_plugin_fini(&fixture_host);
    ASSERT_OK(vulkan_plugin_init(&fixture_host));
}

Test(vulkan_memory, out_of_memory_names_what_there_is) {
    start_with_faults("vkAllocateMemory:1:OUT_OF_DEVICE_MEMORY:0");
    vulkan_device *device = fixture_open();
    void *buffer = NULL;
    ASSERT_FAILS(vulkan_allocate(device, 12345, 64, TN_MEMORY_DEVICE, &buffer), TN_OUT_OF_MEMORY,
                 "cannot allocate 12345 bytes of device memory: vkAllocateMemory: "
                 "VK_ERROR_OUT_OF_DEVICE_MEMORY");
    cr_assert_not_null(strstr(fixture_error(), "largest free block"));
    cr_assert_null(buffer);
    fixture_close(device);
}

/* The large block is not to be had: a smaller one is. */
Test(vulkan_memory, a_smaller_block_does) {
    start_with_faults("vkAllocateMemory:1:OUT_OF_DEVICE_MEMORY:2");
    vulkan_device *device = fixture_open();
    vulkan_buffer *buffer = fixture_buffer(device, 1000, TN_MEMORY_DEVICE);
    cr_assert_not_null(buffer->node);
    cr_assert_leq(buffer->block->size, 32 << 20);
    vulkan_free(device, buffer);
    fixture_close(device);
}

/* What work still holds comes back when nothing else does. */
Test(vulkan_memory, freed_buffers_in_use_come_back_when_memory_lacks) {
    start_with_faults("vkAllocateMemory:2:OUT_OF_DEVICE_MEMORY:0");
    vulkan_device *device = fixture_open_with("block_size", "1048576");
    void *stream = fixture_stream(device);
    vulkan_buffer *first = fixture_buffer(device, 5 << 20, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_fill(stream, first, 0, 5 << 20, 1));
    uint64_t ticket;
    ASSERT_OK(vulkan_submit(stream, &ticket));
    vulkan_free(device, first);
    void *second = NULL;
    ASSERT_FAILS(vulkan_allocate(device, 100, 64, TN_MEMORY_DEVICE, &second), TN_OUT_OF_MEMORY, "");
    cr_assert_eq(device->heap->memory_count, 0, "the freed buffer's block went back");
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* One pass over everything: any status but success is fine, a crash or a leak is not. */
static tn_status use_all(void) {
    unsigned char bytes[1000] = {0}, back[1000] = {0};
    void *device = NULL, *stream = NULL, *recording = NULL;
    void *buffers[3] = {NULL};
    uint64_t ticket = 0;
    const tn_option options[] = {{"disable", "unified,rebar,coherent"}};
    TN_TRY(vulkan_open(&fixture_host, 0, options, 1, &device));
    tn_status status = vulkan_create_stream(device, &stream);
    for (uint32_t memory = 0; memory < 3 && status == TN_OK; memory++) {
        status = vulkan_allocate(device, 1000, 64, memory, &buffers[memory]);
    }
    if (status == TN_OK) {
        status = vulkan_copy_from_host(stream, buffers[0], 0, bytes, 1000);
    }
    if (status == TN_OK && (status = vulkan_begin_recording(stream)) == TN_OK) {
        status = vulkan_copy(stream, buffers[2], 0, buffers[0], 0, 1000);
        const tn_status ended = vulkan_end_recording(stream, &recording);
        status = status == TN_OK ? ended : status;
    }
    status = status == TN_OK ? vulkan_replay(stream, recording) : status;
    status = status == TN_OK ? vulkan_write_time(stream, 0) : status;
    status = status == TN_OK ? vulkan_copy_to_host(stream, back, buffers[0], 0, 1000) : status;
    status = status == TN_OK ? vulkan_submit(stream, &ticket) : status;
    status = status == TN_OK ? vulkan_wait(stream, ticket, UINT64_MAX) : status;
    status = status == TN_OK ? vulkan_read_time(stream, 0, &ticket) : status;
    vulkan_destroy_recording(device, recording);
    for (uint32_t memory = 0; memory < 3; memory++) {
        vulkan_free(device, buffers[memory]);
    }
    if (stream != NULL) {
        vulkan_destroy_stream(device, stream);
    }
    fixture_close(device);
    return status;
}

Test(vulkan_memory, every_call_may_fail, .timeout = 120) {
    static const char *const results[] = {"OUT_OF_HOST_MEMORY", "OUT_OF_DEVICE_MEMORY",
                                          "DEVICE_LOST", "UNKNOWN"};
    for (int call = 0; call < VULKAN_CALL_COUNT; call++) {
        const char *name = vulkan_call_name((vulkan_call)call);
        if (strstr(name, "Destroy") != NULL || strstr(name, "Cmd") != NULL) {
            continue;
        }
        for (int nth = 1; nth <= 3; nth++) {
            char fault[128], error[256];
            snprintf(fault, sizeof fault, "%s:%d:%s", name, nth, results[(call + nth) % 4]);
            vulkan_plugin *plugin = vulkan_plugin_of(&fixture_host);
            plugin->fault = vulkan_fault_parse(fault, error, sizeof error);
            cr_assert_not_null(plugin->fault, "%s", error);
            (void)use_all();
            vulkan_fault_destroy(plugin->fault);
            plugin->fault = NULL;
        }
        ASSERT_OK(use_all());
    }
}

Test(vulkan_memory, the_instance_may_fail) {
    static const char *const calls[] = {"vkCreateInstance", "vkEnumerateInstanceVersion",
                                        "vkEnumeratePhysicalDevices",
                                        "vkEnumerateDeviceExtensionProperties", "vkCreateDevice"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char fault[128];
        snprintf(fault, sizeof fault, "%s:1:INITIALIZATION_FAILED", calls[i]);
        start_with_faults(fault);
        void *device = NULL;
        ASSERT_FAILS(vulkan_open(&fixture_host, 0, NULL, 0, &device), TN_UNAVAILABLE,
                     "VK_ERROR_INITIALIZATION_FAILED");
        cr_assert_null(device);
    }
}
