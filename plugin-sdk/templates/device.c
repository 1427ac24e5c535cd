/*
 * A device backend; here one device whose memory is the process's and whose work is done when it is
 * queued. What a real one does otherwise stands at each place. This line builds it; nothing of
 * Tenon is linked: cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <stdatomic.h>
#include <stdlib.h>

#include <tenon/plugin.h>

typedef struct device {
    const tn_host *host;
    atomic_ullong allocated, count;
} device;

/* A stream is a timeline, a ticket a point on it. */
typedef struct stream {
    device *owner;
    uint64_t ticket;
} stream;

/* Listing and opening. */

static tn_status count_devices(const tn_host *host, uint32_t *out_count) {
    (void)host; /* a real one: UNAVAILABLE, with the driver's words, where there is no driver */
    *out_count = 1;
    return TN_OK;
}

static tn_status info(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    (void)host;
    (void)index;
    const tn_device_info info = {.struct_size = out_info->struct_size,
                                 .flags = TN_DEVICE_HOST_ADDRESSABLE | TN_DEVICE_SYNCHRONOUS,
                                 .id = {12, 0}, /* DLPack's number for "another device" */
                                 .name = "@NAME@",
                                 .driver = "none",
                                 .kind = "other",
                                 .targets = "cpu", /* runs kernels that are C */
                                 .compute_units = 1};
    memcpy(out_info, &info,
           info.struct_size < TN_DEVICE_INFO_SIZE ? info.struct_size : TN_DEVICE_INFO_SIZE);
    return TN_OK;
}

static tn_status open_device(const tn_host *host, uint32_t index, const tn_option *options,
                             uint32_t option_count, void **out_device) {
    (void)index;
    if (option_count > 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "option %s is not known", options[0].name);
    }
    device *opened = (device *)calloc(1, sizeof *opened);
    if (opened == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the device");
    }
    opened->host = host;
    *out_device = opened;
    return TN_OK;
}

static void close_device(const tn_host *host, void *given) {
    (void)host;
    free(given);
}

/* Memory. In front of each buffer stands its size. */

enum { HEADER = 4096 };

static tn_status allocate(void *given, uint64_t size, uint64_t alignment, uint32_t memory,
                          void **out_buffer) {
    device *own = (device *)given;
    (void)memory; /* all three kinds are the same here */
    if (alignment > HEADER || size > PTRDIFF_MAX - 2 * HEADER) {
        return tn_fail(own->host, TN_OUT_OF_MEMORY, "%llu bytes aligned to %llu cannot be had",
                       (unsigned long long)size, (unsigned long long)alignment);
    }
    const uint64_t total = (size + 2 * HEADER - 1) / HEADER * HEADER;
    char *block = (char *)aligned_alloc(HEADER, total);
    if (block == NULL) {
        return tn_fail(own->host, TN_OUT_OF_MEMORY, "%llu bytes cannot be had",
                       (unsigned long long)size);
    }
    memcpy(block, &size, sizeof size);
    atomic_fetch_add(&own->allocated, size);
    atomic_fetch_add(&own->count, 1);
    *out_buffer = block + HEADER;
    return TN_OK;
}

/* A real device keeps the buffer until the work that uses it is done. */
static void free_buffer(void *given, void *buffer) {
    device *own = (device *)given;
    if (buffer != NULL) {
        uint64_t size;
        char *block = (char *)buffer - HEADER;
        memcpy(&size, block, sizeof size);
        atomic_fetch_sub(&own->allocated, size);
        atomic_fetch_sub(&own->count, 1);
        free(block);
    }
}

static tn_status map(void *given, void *buffer, void **out_address) {
    (void)given;
    *out_address = buffer;
    return TN_OK;
}

static tn_status memory_usage(void *given, tn_memory_usage *out_usage) {
    device *own = (device *)given;
    const tn_memory_usage usage = {.struct_size = out_usage->struct_size,
                                   .allocated = atomic_load(&own->allocated),
                                   .count = atomic_load(&own->count)};
    memcpy(out_usage, &usage,
           usage.struct_size < TN_MEMORY_USAGE_SIZE ? usage.struct_size : TN_MEMORY_USAGE_SIZE);
    return TN_OK;
}

/* Streams. */

static tn_status create_stream(void *given, void **out_stream) {
    device *own = (device *)given;
    stream *made = (stream *)calloc(1, sizeof *made);
    if (made == NULL) {
        return tn_fail(own->host, TN_OUT_OF_MEMORY, "no memory for the stream");
    }
    made->owner = own;
    *out_stream = made;
    return TN_OK;
}

static void destroy_stream(void *given, void *queue) {
    (void)given;
    free(queue);
}

static tn_status copy_from_host(void *queue, void *buffer, uint64_t offset, const void *source,
                                uint64_t size) {
    (void)queue;
    memcpy((char *)buffer + offset, source, size);
    return TN_OK;
}

static tn_status copy_to_host(void *queue, void *target, const void *buffer, uint64_t offset,
                              uint64_t size) {
    (void)queue;
    memcpy(target, (const char *)buffer + offset, size);
    return TN_OK;
}

static tn_status copy(void *queue, void *target, uint64_t target_offset, const void *source,
                      uint64_t source_offset, uint64_t size) {
    (void)queue;
    memcpy((char *)target + target_offset, (const char *)source + source_offset, size);
    return TN_OK;
}

static tn_status fill(void *queue, void *buffer, uint64_t offset, uint64_t size, uint32_t pattern) {
    (void)queue;
    for (uint64_t i = 0; i < size; i += sizeof pattern) {
        memcpy((char *)buffer + offset + i, &pattern, sizeof pattern);
    }
    return TN_OK;
}

/* A real device hands over what was queued here, and signals the ticket when it is done. */
static tn_status submit(void *queue, uint64_t *out_ticket) {
    *out_ticket = ++((stream *)queue)->ticket;
    return TN_OK;
}

static tn_status wait_stream(void *queue, void *other, uint64_t ticket) {
    (void)queue;
    (void)other;
    (void)ticket;
    return TN_OK;
}

static tn_status wait_ticket(void *queue, uint64_t ticket, uint64_t timeout_ns) {
    const stream *own = (const stream *)queue;
    (void)timeout_ns;
    if (ticket > own->ticket) {
        return tn_fail(own->owner->host, TN_INVALID_ARGUMENT, "ticket %llu was never given",
                       (unsigned long long)ticket);
    }
    return TN_OK;
}

static const tn_device_backend backend = {.struct_size = TN_DEVICE_BACKEND_SIZE,
                                          .doc = "A device to start from.",
                                          .count = count_devices,
                                          .info = info,
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
                                          .wait = wait_ticket};

static const tn_entry entries[] = {TN_ENTRY_DEVICE("@NAME@", &backend)};
TN_PLUGIN("@NAME@", "0.1.0", entries);
