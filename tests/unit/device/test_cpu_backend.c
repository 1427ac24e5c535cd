#include <dirent.h>
#include <sched.h>
#include <time.h>

#include <tenon/tensor.h>

#include "cpu_device.h"
#include "tensor/tensor.h"

static void set_up(void) {
    cpu_set_up(0);
}

TestSuite(cpu_backend, .init = set_up, .fini = cpu_tear_down);

Test(cpu_backend, describes_the_machine) {
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_eq(tn_device_list(runtime, "cpu", 0, &info), TN_OK);
    cr_assert_eq(info.flags, TN_DEVICE_HOST_ADDRESSABLE | TN_DEVICE_SYNCHRONOUS);
    cr_assert_eq(info.id.type, TN_DEVICE_TYPE_CPU);
    cr_assert_eq(info.id.index, 0);
    cr_assert_gt(strlen(info.name), 0);
    cr_assert_str_eq(info.kind, "cpu");
    cr_assert_str_eq(info.targets, "cpu");
    cr_assert_gt(info.memory_total, 0);
    cr_assert_leq(info.memory_free, info.memory_total);
    cr_assert_geq(info.compute_units, 1);
    cr_assert_eq(tn_device_list(runtime, "cpu", 1, &info), TN_OUT_OF_RANGE);
}

Test(cpu_backend, limits) {
    tn_device *device = open_cpu();
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    cr_assert_eq(tn_device_get_limits(device, &limits), TN_OK);
    cr_assert(limits.has_f16 && limits.has_f64 && limits.has_i8 && limits.has_i16);
    cr_assert(limits.has_i64 && limits.has_unified_memory);
    cr_assert_eq(limits.max_workgroup_invocations, 0, "there are no workgroups");
    cr_assert_eq(limits.timestamp_bits, 64);
    cr_assert_eq(limits.timestamp_period, 1.0);
    cr_assert_gt(limits.max_allocation_size, 0);
    cr_assert_not_null(limits.features);
    cr_assert_str_eq(limits.note, "");
    limits.struct_size = 2;
    cr_assert_eq(tn_device_get_limits(device, &limits), TN_INVALID_ARGUMENT);
    tn_device_close(device);
}

Test(cpu_backend, one_thread_a_core_by_default) {
    tn_device *device = open_cpu();
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_eq(tn_device_describe(device, &info), TN_OK);
    cr_assert_eq(device->backend->thread_count(device->device), info.compute_units);
    tn_device_close(device);
}

Test(cpu_backend, options_are_checked) {
    const tni_entry *entry = tni_registry_find(runtime, TN_KIND_DEVICE, "cpu");
    const tn_device_backend *backend = entry->entry->impl;
    const tn_option bad[] = {
        {"threads", "-1"}, {"threads", "many"}, {"thread", "2"}, {"spin", "2"}, {"pin", "maybe"}};
    const tn_option good[] = {{"threads", "1"}, {"spin", "true"}, {"pin", "true"}};
    void *device = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_eq(backend->open(&entry->plugin->host, 0, &bad[i], 1, &device),
                     TN_INVALID_ARGUMENT);
        cr_assert_null(device);
    }
    cr_assert_eq(backend->open(&entry->plugin->host, 1, NULL, 0, &device), TN_NOT_FOUND);
    cr_assert_eq(backend->open(&entry->plugin->host, 0, good, 2, &device), TN_OK);
    cr_assert_eq(backend->thread_count(device), 1);
    backend->close(&entry->plugin->host, device);
}

Test(cpu_backend, memory_is_aligned_and_accounted) {
    tn_device *device = open_cpu();
    const tn_device_backend *backend = device->backend;
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    for (uint64_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
        void *buffer, *address;
        cr_assert_eq(backend->allocate(device->device, 1000, alignment, TN_MEMORY_UPLOAD, &buffer),
                     TN_OK);
        cr_assert_eq((uintptr_t)buffer % alignment, 0);
        cr_assert_eq((uintptr_t)buffer % 64, 0);
        memset(buffer, 1, 1000);
        cr_assert_eq(backend->map(device->device, buffer, &address), TN_OK);
        cr_assert_eq(address, buffer);
        cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
        cr_assert_eq(usage.allocated, 1000);
        cr_assert_eq(usage.count, 1);
        backend->free(device->device, buffer);
    }
    backend->free(device->device, NULL);
    cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
    cr_assert_eq(usage.allocated, 0);
    cr_assert_eq(usage.peak, 1000);
    cr_assert_gt(usage.total, 0);
    tn_device_close(device);
}

Test(cpu_backend, allocations_that_cannot_be) {
    tn_device *device = open_cpu();
    const tn_device_backend *backend = device->backend;
    void *buffer = NULL;
    const uint64_t large[] = {UINT64_MAX, INT64_MAX, (uint64_t)1 << 50};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        cr_assert_eq(backend->allocate(device->device, large[i], 64, TN_MEMORY_DEVICE, &buffer),
                     TN_OUT_OF_MEMORY);
        ASSERT_MESSAGE("the CPU cannot allocate");
    }
    cr_assert_eq(backend->allocate(device->device, 1, (uint64_t)1 << 63, TN_MEMORY_DEVICE, &buffer),
                 TN_OUT_OF_MEMORY);
    cr_assert_eq(backend->allocate(device->device, 0, 64, TN_MEMORY_DEVICE, &buffer),
                 TN_INVALID_ARGUMENT);
    cr_assert_eq(backend->allocate(device->device, 8, 3, TN_MEMORY_DEVICE, &buffer),
                 TN_INVALID_ARGUMENT);
    cr_assert_null(buffer);
    tn_device_close(device);
}

Test(cpu_backend, streams_have_done_their_work) {
    tn_device *device = open_cpu();
    const tn_device_backend *backend = device->backend;
    void *stream = device->stream->stream;
    uint32_t source[] = {1, 2, 3, 4}, target[4] = {0}, back[4] = {0};
    uint64_t first, second;
    cr_assert_eq(backend->copy_from_host(stream, target, 4, source, 8), TN_OK);
    cr_assert_eq(target[2], 2);
    cr_assert_eq(backend->fill(stream, target, 4, 4, 77), TN_OK);
    cr_assert_eq(target[1], 77);
    cr_assert_eq(backend->copy(stream, target, 0, target, 8, 4), TN_OK);
    cr_assert_eq(target[0], 2);
    cr_assert_eq(backend->copy_to_host(stream, back, target, 0, 16), TN_OK);
    cr_assert_eq(back[1], 77);
    cr_assert_eq(backend->copy(stream, NULL, 0, NULL, 0, 0), TN_OK);
    cr_assert_eq(backend->fill(stream, target, 2, 4, 0), TN_INVALID_ARGUMENT);
    cr_assert_eq(backend->submit(stream, &first), TN_OK);
    cr_assert_eq(backend->submit(stream, &second), TN_OK);
    cr_assert_gt(second, first);
    cr_assert_eq(backend->wait(stream, 0, 0), TN_OK);
    cr_assert_eq(backend->wait(stream, second, 0), TN_OK);
    cr_assert_eq(backend->wait(stream, second + 1, 0), TN_INVALID_ARGUMENT);
    cr_assert_eq(backend->wait_stream(stream, stream, first), TN_OK);
    tn_device_close(device);
}

Test(cpu_backend, time_stamps) {
    tn_device *device = open_cpu();
    const tn_device_backend *backend = device->backend;
    void *stream = device->stream->stream;
    uint64_t first = 0, last = 0;
    cr_assert_eq(backend->read_time(stream, 0, &first), TN_FAILED_PRECONDITION);
    cr_assert_eq(backend->write_time(stream, 0), TN_OK);
    cr_assert_eq(backend->write_time(stream, 4095), TN_OK);
    cr_assert_eq(backend->read_time(stream, 0, &first), TN_OK);
    cr_assert_eq(backend->read_time(stream, 4095, &last), TN_OK);
    cr_assert_geq(last, first);
    cr_assert_eq(backend->write_time(stream, 4096), TN_OUT_OF_RANGE);
    cr_assert_eq(backend->read_time(stream, 4096, &last), TN_OUT_OF_RANGE);
    tn_device_close(device);
}

Test(cpu_backend, tensors_are_host_memory) {
    tn_device *device = open_cpu();
    const int64_t extents[] = {5};
    tn_tensor *tensor, *host, *same;
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 1, extents, &tensor), TN_OK);
    cr_assert_not_null(tn_tensor_data(tensor));
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, extents, &host), TN_OK);
    cr_assert_eq(tn_tensor_to_device(host, device, &same), TN_OK);
    cr_assert_eq(same, host, "host memory is the CPU's memory");
    cr_assert_eq(tn_tensor_copy(host, tensor), TN_OK);
    tn_tensor_release(same);
    tn_tensor_release(host);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

static uint32_t process_threads(void) {
    uint32_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    cr_assert_not_null(folder);
    for (const struct dirent *row = readdir(folder); row != NULL; row = readdir(folder)) {
        count += row->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static void no_work(void *context, int64_t begin, int64_t end) {
    (void)context;
    (void)begin;
    (void)end;
}

Test(cpu_backend, leaves_no_thread_behind) {
    tn_runtime_destroy(runtime);
    cpu_set_up(4);
    const uint32_t before = process_threads();
    tn_device *device = open_cpu();
    device->backend->parallel_for(device->device, 1000, 1, no_work, NULL);
    cr_assert_geq(process_threads(), before + 3);
    tn_device_close(device);
    cr_assert_eq(tn_plugin_unload(runtime, "cpu", 0, NULL), TN_OK, "%s", tn_error_message());
    /* A thread that has been joined may stay in /proc for a moment. */
    for (uint32_t i = 0; i < 10000 && process_threads() > before; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert_eq(process_threads(), before);
}

static void count_thread(void *context, int64_t begin, int64_t end) {
    const struct timespec pause = {0, 2000000};
    (void)begin;
    (void)end;
    nanosleep(&pause, NULL); /* so that every thread gets a share */
    atomic_fetch_add((atomic_int *)context, 1);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Threads that have no work do not look for it for long: half a second of it is to cost next to
 * nothing, which is a tenth of what one thread that spins would take. */
Test(cpu_backend, idle_threads_use_no_processor) {
    cpu_tear_down();
    cpu_set_up(4);
    tn_device *device = open_cpu();
    atomic_int ranges = 0;
    device->backend->parallel_for(device->device, 64, 1, count_thread, &ranges);
    cr_assert_gt(atomic_load(&ranges), 0);
    const struct timespec settle = {0, 50000000}, idle = {0, 500000000};
    nanosleep(&settle, NULL);
    const double begin = processor_seconds();
    nanosleep(&idle, NULL);
    const double used = processor_seconds() - begin;
    cr_expect_lt(used, 0.05, "%.3f s of processor time while nothing was to be done", used);
    tn_device_close(device);
}

static void note_processors(void *context, int64_t begin, int64_t end) {
    cpu_set_t set;
    count_thread(context, begin, end);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1) {
        atomic_fetch_add((atomic_int *)context + 1, 1);
    }
}

Test(cpu_backend, pinned_threads_stay_where_they_are) {
    cpu_set_t own, after;
    cr_assert_eq(sched_getaffinity(0, sizeof own, &own), 0);
    if (CPU_COUNT(&own) < 2) {
        cr_skip("one processor is all there is");
    }
    runtime->options.flags = TN_RUNTIME_PINS_THREADS;
    runtime->options.thread_count = 3;
    tn_device *device = open_cpu();
    atomic_int counts[2] = {0, 0};
    device->backend->parallel_for(device->device, 64, 1, note_processors, counts);
    cr_expect_gt(atomic_load(&counts[1]), 0, "no range ran on a thread with one processor");
    cr_expect_lt(atomic_load(&counts[1]), atomic_load(&counts[0]), "the caller is not pinned");
    cr_assert_eq(sched_getaffinity(0, sizeof after, &after), 0);
    cr_expect(CPU_EQUAL(&own, &after));
    tn_device_close(device);
}
