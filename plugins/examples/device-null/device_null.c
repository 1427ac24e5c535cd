/*
 * A complete device backend in one file: "null", one device whose memory is the process's own and
 * whose work is done when the call that queued it returns. docs/write-a-device-backend.md walks
 * through it. This line builds it; nothing of Tenon is linked:
 *
 *     cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) device_null.c -o device_null.so
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin.h>

/* All that the device says it has. A real one asks its driver. */
static const uint64_t budget = (uint64_t)1 << 30;

typedef struct null_device {
    const tn_host *host; /* as long as the plugin is loaded: for error texts */
    atomic_ullong allocated;
    atomic_ullong peak;
    atomic_ullong count;
} null_device;

/* A timeline. Its tickets count up from 1; ticket 0 stands for "nothing", and is complete. */
typedef struct null_stream {
    null_device *device;
    atomic_ullong last_ticket; /* atomic: wait may come from any thread */
} null_stream;

/* Stands in front of every buffer: free is told neither the size nor where the memory began. */
typedef struct buffer_header {
    void *memory;
    uint64_t size;
} buffer_header;

/* 1. Listing. No device is open yet, so that only `host` is there to word an error with. */

/* A backend that finds no driver or hardware fails with UNAVAILABLE and says why; `tenon devices`
 * prints that, and everything else goes on. */
static tn_status count_devices(const tn_host *host, uint32_t *out_count) {
    (void)host;
    *out_count = 1;
    return TN_OK;
}

static tn_status require_index(const tn_host *host, uint32_t index) {
    return index == 0 ? TN_OK
                      : tn_fail(host, TN_NOT_FOUND, "there is no null device %u: 0 is the only one",
                                (unsigned)index);
}

/* Copies a struct of which the host may know less or more than this file does: as much as both
 * know, and `struct_size`, which comes first, stays the host's. */
static void give_struct(void *out, const void *own, uint32_t own_size) {
    uint32_t size;
    memcpy(&size, out, sizeof size);
    size = size < own_size ? size : own_size;
    if (size > sizeof size) {
        memcpy((char *)out + sizeof size, (const char *)own + sizeof size, size - sizeof size);
    }
}

/* What is listed must be cheap to find out, and texts must outlive the call: constants do. */
static tn_status describe(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    TN_TRY(require_index(host, index));
    const tn_device_info info = {
        .flags = TN_DEVICE_HOST_ADDRESSABLE | TN_DEVICE_SYNCHRONOUS,
        .id = {12, 0}, /* DLPack's number for a device that is none of those it names */
        .name = "Null",
        .driver = "none",
        .kind = "other",
        .targets = "cpu", /* runs kernels that are C: their views are addresses */
        .memory_total = budget,
        .memory_free = budget, /* an estimate; memory_usage knows better once it is open */
        .compute_units = 1,
    };
    give_struct(out_info, &info, TN_DEVICE_INFO_SIZE);
    return TN_OK;
}

/* 2. Opening and closing. The pointer that open gives comes back in every later call. */

/* On failure nothing may be left behind: close is then not called. */
static tn_status open_device(const tn_host *host, uint32_t index, const tn_option *options,
                             uint32_t option_count, void **out_device) {
    TN_TRY(require_index(host, index));
    if (option_count > 0) { /* one with options has them parsed by the service `attrs` */
        return tn_fail(host, TN_INVALID_ARGUMENT, "option %s is not known: the device has none",
                       options[0].name);
    }
    null_device *device = (null_device *)calloc(1, sizeof *device);
    if (device == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to open the device: %zu bytes",
                       sizeof *device);
    }
    device->host = host;
    *out_device = device;
    return TN_OK;
}

/* The host has freed every buffer and destroyed every stream before. */
static void close_device(const tn_host *host, void *device) {
    (void)host;
    free(device);
}

/* 3. Memory. Any thread may call, also while streams work. */

/* Takes `size` from the budget; 0 when that is not left. */
static int reserve(null_device *device, uint64_t size) {
    unsigned long long now = atomic_load(&device->allocated);
    do {
        if (size > budget - now) {
            return 0;
        }
    } while (!atomic_compare_exchange_weak(&device->allocated, &now, now + size));
    unsigned long long peak = atomic_load(&device->peak);
    while (peak < now + size && !atomic_compare_exchange_weak(&device->peak, &peak, now + size)) {
    }
    return 1;
}

/* The host keeps a pool above this: when it meets OUT_OF_MEMORY, it frees what lies idle there and
 * asks once more. `memory` (device, upload, readback) makes no difference here. */
static tn_status allocate(void *given, uint64_t size, uint64_t alignment, uint32_t memory,
                          void **out_buffer) {
    null_device *device = (null_device *)given;
    (void)memory;
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "%llu bytes aligned to %llu: expected at least 1 and a power of two",
                       (unsigned long long)size, (unsigned long long)alignment);
    }
    /* The header's room is a whole alignment, so that the buffer behind it is aligned, too. */
    const uint64_t front = alignment < 64 ? 64 : alignment;
    char *memory_begin = NULL;
    if (front <= budget && reserve(device, size)) {
        memory_begin = (char *)aligned_alloc(front, front + (size + front - 1) / front * front);
        if (memory_begin == NULL) {
            atomic_fetch_sub(&device->allocated, size);
        }
    }
    if (memory_begin == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY,
                       "%llu bytes cannot be had: the device has %llu, of which %llu are free",
                       (unsigned long long)size, (unsigned long long)budget,
                       (unsigned long long)(budget - atomic_load(&device->allocated)));
    }
    buffer_header *header = (buffer_header *)(void *)(memory_begin + front) - 1;
    *header = (buffer_header){memory_begin, size};
    atomic_fetch_add(&device->count, 1);
    *out_buffer = memory_begin + front;
    return TN_OK;
}

/* May come while work that uses the buffer is queued. Here nothing ever is; a device that is not
 * SYNCHRONOUS notes the last tickets of its streams and frees when they are complete. */
static void free_buffer(void *given, void *buffer) {
    null_device *device = (null_device *)given;
    if (buffer == NULL) {
        return;
    }
    const buffer_header *header = (const buffer_header *)buffer - 1;
    atomic_fetch_sub(&device->allocated, header->size);
    atomic_fetch_sub(&device->count, 1);
    free(header->memory);
}

/* Addresses are the handles themselves: that is what HOST_ADDRESSABLE promises. */
static tn_status map(void *given, void *buffer, void **out_address) {
    (void)given;
    *out_address = buffer;
    return TN_OK;
}

static tn_status memory_usage(void *given, tn_memory_usage *out_usage) {
    null_device *device = (null_device *)given;
    const uint64_t allocated = atomic_load(&device->allocated);
    const tn_memory_usage usage = {.total = budget,
                                   .free = budget - allocated,
                                   .allocated = allocated,
                                   .peak = atomic_load(&device->peak),
                                   .count = atomic_load(&device->count)};
    give_struct(out_usage, &usage, TN_MEMORY_USAGE_SIZE);
    return TN_OK;
}

/* 4. Streams. */

static tn_status create_stream(void *given, void **out_stream) {
    null_device *device = (null_device *)given;
    null_stream *stream = (null_stream *)calloc(1, sizeof *stream);
    if (stream == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory for a stream: %zu bytes",
                       sizeof *stream);
    }
    stream->device = device;
    *out_stream = stream;
    return TN_OK;
}

/* Waits for the stream's work first. Here it is done already. */
static void destroy_stream(void *given, void *stream) {
    (void)given;
    free(stream);
}

/* 5. Queueing. One thread at a time calls for one stream. The three copies are the same one here:
 * all sides are addresses, and may be NULL where `size` is 0. */

static tn_status copy(void *stream, void *target, uint64_t target_offset, const void *source,
                      uint64_t source_offset, uint64_t size) {
    (void)stream;
    if (size > 0) {
        memcpy((char *)target + target_offset, (const char *)source + source_offset, size);
    }
    return TN_OK;
}

/* `source` is the caller's again at return: a device that copies later copies it aside now. */
static tn_status copy_from_host(void *stream, void *buffer, uint64_t offset, const void *source,
                                uint64_t size) {
    return copy(stream, buffer, offset, source, 0, size);
}

/* `target` need not hold anything before a ticket that follows is complete. */
static tn_status copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                              uint64_t size) {
    return copy(stream, target, 0, buffer, offset, size);
}

static tn_status fill(void *given, void *buffer, uint64_t offset, uint64_t size, uint32_t pattern) {
    const null_stream *stream = (const null_stream *)given;
    if (offset % sizeof pattern != 0 || size % sizeof pattern != 0) {
        return tn_fail(stream->device->host, TN_INVALID_ARGUMENT,
                       "fill of %llu bytes at offset %llu: expected multiples of 4",
                       (unsigned long long)size, (unsigned long long)offset);
    }
    for (uint64_t done = 0; done < size; done += sizeof pattern) {
        memcpy((char *)buffer + offset + done, &pattern, sizeof pattern);
    }
    return TN_OK;
}

/* 6. Tickets. */

/* A point behind everything queued so far. A real device hands its work over here. */
static tn_status submit(void *given, uint64_t *out_ticket) {
    null_stream *stream = (null_stream *)given;
    *out_ticket = atomic_fetch_add(&stream->last_ticket, 1) + 1;
    return TN_OK;
}

/* Any thread. The error of work that failed comes out here, at its ticket and those after it. Every
 * ticket that was given is complete; one that never was would be waited for in vain. */
static tn_status wait_ticket(void *given, uint64_t ticket, uint64_t timeout_ns) {
    null_stream *stream = (null_stream *)given;
    (void)timeout_ns; /* TIMEOUT when it is over first; 0 only asks, UINT64_MAX waits for ever */
    const uint64_t last = atomic_load(&stream->last_ticket);
    return ticket <= last ? TN_OK
                          : tn_fail(stream->device->host, TN_INVALID_ARGUMENT,
                                    "ticket %llu was never given: the stream's last is %llu",
                                    (unsigned long long)ticket, (unsigned long long)last);
}

/* Orders two streams of this backend without blocking a thread: a semaphore of the device. */
static tn_status wait_stream(void *stream, void *other, uint64_t ticket) {
    (void)stream;
    return wait_ticket(other, ticket, 0);
}

/* 7. The table. Groups that are left out are NULL as a whole: loops on host threads, device code,
 * recording, time stamps. */
static const tn_device_backend backend = {
    .struct_size = TN_DEVICE_BACKEND_SIZE,
    .doc = "An example: the process's memory as a device of its own.",
    .count = count_devices,
    .info = describe,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .free = free_buffer,
    .map = map,
    .memory_usage = memory_usage,
    .create_stream = create_stream,
    .destroy_stream = destroy_stream,
    .copy_from_host = copy_from_host,
    .copy_to_host = copy_to_host,
    .copy = copy,
    .fill = fill,
    .submit = submit,
    .wait_stream = wait_stream,
    .wait = wait_ticket,
};

static const tn_entry entries[] = {TN_ENTRY_DEVICE("null", &backend)};
TN_PLUGIN("device-null", "0.1.0", entries);
