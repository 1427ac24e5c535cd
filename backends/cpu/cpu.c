/* The plugin "cpu": listing, opening and closing the one device. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

typedef struct cpu_options {
    int64_t threads;
    int32_t spin;
    int32_t pin;
} cpu_options;

static const tn_attribute options_table[] = {
    TN_FIELD(cpu_options, threads, INT, "0", "[0,1024]",
             "Threads that run loops, the caller's included; 0: one a core."),
    TN_FIELD(cpu_options, spin, BOOL, "false", NULL,
             "Idle threads watch for the next loop: microseconds quicker where every core is free, "
             "far slower where other programs want the cores."),
    TN_FIELD(cpu_options, pin, BOOL, "false", NULL,
             "Each thread but the caller's stays on a processor of its own."),
};

enum { OPTION_COUNT = sizeof options_table / sizeof options_table[0] };

static tn_status count_devices(const tn_host *host, uint32_t *out_count) {
    (void)host;
    *out_count = 1;
    return TN_OK;
}

static tn_status require_index(const tn_host *host, uint32_t index) {
    if (index != 0) {
        return tn_fail(host, TN_NOT_FOUND, "there is no CPU device %u: all cores are device 0",
                       (unsigned)index);
    }
    return TN_OK;
}

static tn_status describe(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    TN_TRY(require_index(host, index));
    tn_device_info info = {
        .flags = TN_DEVICE_HOST_ADDRESSABLE | TN_DEVICE_SYNCHRONOUS,
        .id = {TN_DEVICE_TYPE_CPU, 0},
        .name = cpu_machine_name(),
        .driver = "tenon cpu backend, pthreadpool",
        .kind = "cpu",
        .targets = "cpu",
        .compute_units = cpu_core_count(),
        .max_clock_mhz = cpu_machine_max_clock(),
        .vendor = cpu_machine_vendor(),
    };
    cpu_machine_memory(&info.memory_total, &info.memory_free);
    cpu_machine_uuid(info.uuid);
    /* As much as both sides know. */
    const uint32_t known = out_info->struct_size;
    const size_t size = known < TN_DEVICE_INFO_SIZE ? known : TN_DEVICE_INFO_SIZE;
    info.struct_size = known;
    memcpy(out_info, &info, size);
    return TN_OK;
}

static tn_status parse_options(const tn_host *host, const tn_option *options, uint32_t count,
                               cpu_options *out_options) {
    const tn_attrs_service *attrs = TN_SERVICE(host, attrs);
    cpu_options parsed = {0};
    TN_TRY(attrs->parse(host, "cpu device options", options_table, OPTION_COUNT,
                        TN_ATTRIBUTE_STRIDE, options, count, &parsed, sizeof parsed));
    *out_options = parsed; /* numbers alone: nothing that release would free */
    attrs->release(host, options_table, OPTION_COUNT, TN_ATTRIBUTE_STRIDE, &parsed);
    return TN_OK;
}

static tn_status open_device(const tn_host *host, uint32_t index, const tn_option *options,
                             uint32_t option_count, void **out_device) {
    cpu_options parsed;
    TN_TRY(require_index(host, index));
    TN_TRY(parse_options(host, options, option_count, &parsed));
    cpu_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to open the CPU: %zu bytes",
                       sizeof *device);
    }
    device->host = host;
    const uint32_t threads = parsed.threads == 0 ? cpu_core_count() : (uint32_t)parsed.threads;
    cpu_parallel_init(device, threads, parsed.spin != 0, parsed.pin != 0);
    *out_device = device;
    return TN_OK;
}

static void close_device(const tn_host *host, void *device) {
    (void)host;
    cpu_parallel_finish(device);
    free(device);
}

/* There are no workgroups and no bindings: what is left are the types, memory and the clock. */
static tn_status limits(void *device, tn_device_limits *out_limits) {
    uint64_t memory, available;
    (void)device;
    cpu_machine_memory(&memory, &available);
    tn_device_limits limits = {
        .has_f16 = 1,
        .has_i8 = 1,
        .has_i64 = 1,
        .has_f64 = 1,
        .has_i16 = 1,
        .has_16_bit_storage = 1,
        .has_8_bit_storage = 1,
        .has_unified_memory = 1,
        .timestamp_bits = 64,
        .timestamp_period = 1,
        .max_allocation_size = memory,
        .features = cpu_machine_features(),
    };
    const uint32_t known = out_limits->struct_size;
    limits.struct_size = known;
    memcpy(out_limits, &limits, known < TN_DEVICE_LIMITS_SIZE ? known : TN_DEVICE_LIMITS_SIZE);
    return TN_OK;
}

static const tn_device_backend backend = {
    .struct_size = TN_DEVICE_BACKEND_SIZE,
    .doc = "The processor's cores and the process's memory. Options: threads, spin, pin.",
    .count = count_devices,
    .info = describe,
    .open = open_device,
    .close = close_device,
    .allocate = cpu_allocate,
    .free = cpu_free,
    .map = cpu_map,
    .memory_usage = cpu_memory_usage,
    .create_stream = cpu_create_stream,
    .destroy_stream = cpu_destroy_stream,
    .copy_from_host = cpu_copy_from_host,
    .copy_to_host = cpu_copy_to_host,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .submit = cpu_submit,
    .wait_stream = cpu_wait_stream,
    .wait = cpu_wait,
    .parallel_for = cpu_parallel_for,
    .thread_count = cpu_thread_count,
    .limits = limits,
    .write_time = cpu_write_time,
    .read_time = cpu_read_time,
};

static const tn_entry entries[] = {TN_ENTRY_DEVICE("cpu", &backend)};

TN_PLUGIN_WITH("cpu", "0.1.0", "error/1,attrs/1", "log/1", NULL, NULL, entries);
