/*
 * A device that is part of the test. Its buffers are handles and no addresses; what is queued on a
 * stream is done when somebody waits for a ticket behind it, so that a host that does not wait is
 * found out. There are three: "Alpha" of no type, and the discrete "Beta One" and "Beta
 * Two".
 */
#ifndef TENON_TESTS_FAKE_BACKEND_H
#define TENON_TESTS_FAKE_BACKEND_H

#include <pthread.h>
#include <stdlib.h>

#include "../tensor/fake_plugin.h"
#include "device/device_table.h"

typedef struct fake_buffer {
    uint64_t size;
    char *bytes;
    int uses; /* of queued work */
    int is_freed;
} fake_buffer;

typedef struct fake_work {
    struct fake_work *next;
    char *target;
    const char *source;
    uint64_t size;
    char *kept; /* the bytes of a copy from the host */
    fake_buffer *buffers[2];
} fake_work;

typedef struct fake_stream {
    fake_work *first, **last;
    uint64_t ticket;
} fake_stream;

/* What the tests look at and turn. */
static struct fake {
    uint32_t device_count;
    int32_t opened, buffers, streams, modules, kernels;
    uint64_t bytes; /* handed out */
    uint64_t budget;
    uint32_t modules_made, launches, host_copies, largest_copy;
    tn_status fail_count, fail_open, fail_stream, fail_copy, fail_map, fail_wait, fail_module,
        fail_kernel;
    char options[64];
    pthread_mutex_t lock;
} fake = {.device_count = 3, .budget = UINT64_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};

static tn_status fake_count(const tn_host *host, uint32_t *out_count) {
    if (fake.fail_count != TN_OK) {
        return tn_fail(host, fake.fail_count, "no driver for the fake device");
    }
    *out_count = fake.device_count;
    return TN_OK;
}

static tn_status fake_info(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    static const char *const names[] = {"Alpha", "Beta One", "Beta Two"};
    (void)host;
    cr_assert_eq(out_info->struct_size, TN_DEVICE_INFO_SIZE);
    out_info->id = (tn_device_id){TN_DEVICE_TYPE_VULKAN, (int32_t)index};
    out_info->name = names[index];
    out_info->kind = index > 0 ? "discrete gpu" : NULL;
    out_info->targets = "fakecode,other";
    out_info->uuid[0] = 0xab;
    out_info->uuid[15] = (uint8_t)index;
    out_info->memory_total = 1 << 20;
    return TN_OK; /* the other texts stay NULL */
}

static tn_status fake_open(const tn_host *host, uint32_t index, const tn_option *options,
                           uint32_t option_count, void **out_device) {
    (void)index;
    if (fake.fail_open != TN_OK) {
        return tn_fail(host, fake.fail_open, "the fake device is taken");
    }
    pthread_mutex_lock(&fake.lock);
    fake.options[0] = '\0';
    for (uint32_t i = 0; i < option_count; i++) {
        snprintf(fake.options, sizeof fake.options, "%s=%s", options[i].name, options[i].value);
    }
    fake.opened++;
    pthread_mutex_unlock(&fake.lock);
    *out_device = &fake;
    return TN_OK;
}

static void fake_close(const tn_host *host, void *device) {
    (void)host;
    cr_assert_eq(device, &fake);
    pthread_mutex_lock(&fake.lock);
    fake.opened--;
    pthread_mutex_unlock(&fake.lock);
}

static tn_status fake_allocate(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                               void **out_buffer) {
    (void)device;
    cr_assert_gt(size, 0);
    cr_assert_eq(alignment, memory == TN_MEMORY_DEVICE ? 256 : 64);
    if (size > fake.budget - fake.bytes) {
        return TN_OUT_OF_MEMORY;
    }
    fake_buffer *buffer = malloc(sizeof *buffer);
    *buffer = (fake_buffer){.size = size, .bytes = malloc(size)};
    pthread_mutex_lock(&fake.lock);
    fake.buffers++;
    fake.bytes += size;
    pthread_mutex_unlock(&fake.lock);
    *out_buffer = buffer;
    return TN_OK;
}

static void fake_free(void *device, void *buffer) {
    fake_buffer *mine = buffer;
    (void)device;
    pthread_mutex_lock(&fake.lock);
    fake.buffers--;
    fake.bytes -= mine->size;
    mine->is_freed = 1;
    const int is_used = mine->uses > 0;
    pthread_mutex_unlock(&fake.lock);
    if (!is_used) {
        free(mine->bytes);
        free(mine);
    }
}

static void fake_use(fake_buffer *buffer, int change) {
    if (buffer == NULL) {
        return;
    }
    pthread_mutex_lock(&fake.lock);
    buffer->uses += change;
    const int is_over = buffer->uses == 0 && buffer->is_freed;
    pthread_mutex_unlock(&fake.lock);
    if (is_over) {
        free(buffer->bytes);
        free(buffer);
    }
}

static tn_status fake_map(void *device, void *buffer, void **out_address) {
    (void)device;
    if (fake.fail_map != TN_OK) {
        return fake.fail_map;
    }
    *out_address = ((fake_buffer *)buffer)->bytes;
    return TN_OK;
}

static tn_status fake_usage(void *device, tn_memory_usage *out_usage) {
    (void)device;
    out_usage->allocated = fake.bytes;
    out_usage->count = (uint64_t)fake.buffers;
    return TN_OK;
}

static tn_status fake_create_stream(void *device, void **out_stream) {
    (void)device;
    if (fake.fail_stream != TN_OK) {
        return fake.fail_stream;
    }
    fake_stream *stream = calloc(1, sizeof *stream);
    stream->last = &stream->first;
    pthread_mutex_lock(&fake.lock);
    fake.streams++;
    pthread_mutex_unlock(&fake.lock);
    *out_stream = stream;
    return TN_OK;
}

static void fake_do_work(fake_stream *stream) {
    while (stream->first != NULL) {
        fake_work *work = stream->first;
        stream->first = work->next;
        memcpy(work->target, work->source, work->size);
        fake_use(work->buffers[0], -1);
        fake_use(work->buffers[1], -1);
        free(work->kept);
        free(work);
    }
    stream->last = &stream->first;
}

static void fake_destroy_stream(void *device, void *stream) {
    (void)device;
    fake_do_work(stream);
    free(stream);
    pthread_mutex_lock(&fake.lock);
    fake.streams--;
    pthread_mutex_unlock(&fake.lock);
}

static tn_status fake_queue(fake_stream *stream, char *target, const char *source, uint64_t size,
                            int keep, fake_buffer *first, fake_buffer *second) {
    if (fake.fail_copy != TN_OK) {
        return fake.fail_copy;
    }
    fake_work *work = calloc(1, sizeof *work);
    *work =
        (fake_work){.target = target, .source = source, .size = size, .buffers = {first, second}};
    fake_use(first, 1);
    fake_use(second, 1);
    if (keep) {
        work->kept = malloc(size);
        memcpy(work->kept, source, size);
        work->source = work->kept;
    }
    pthread_mutex_lock(&fake.lock);
    if (size > fake.largest_copy) {
        fake.largest_copy = (uint32_t)size;
    }
    pthread_mutex_unlock(&fake.lock);
    *stream->last = work;
    stream->last = &work->next;
    return TN_OK;
}

static char *fake_bytes(const void *buffer, uint64_t offset, uint64_t size) {
    const fake_buffer *mine = buffer;
    cr_assert(offset <= mine->size && size <= mine->size - offset);
    return mine->bytes + offset;
}

static tn_status fake_copy_from_host(void *stream, void *buffer, uint64_t offset,
                                     const void *source, uint64_t size) {
    fake.host_copies++;
    return fake_queue(stream, fake_bytes(buffer, offset, size), source, size, 1, buffer, NULL);
}

static tn_status fake_copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                                   uint64_t size) {
    fake.host_copies++;
    return fake_queue(stream, target, fake_bytes(buffer, offset, size), size, 0,
                      (fake_buffer *)(uintptr_t)buffer, NULL);
}

static tn_status fake_copy(void *stream, void *target, uint64_t target_offset, const void *source,
                           uint64_t source_offset, uint64_t size) {
    char *to = fake_bytes(target, target_offset, size);
    const char *from = fake_bytes(source, source_offset, size);
    cr_assert(to + size <= from || from + size <= to, "the two overlap");
    return fake_queue(stream, to, from, size, 0, target, (fake_buffer *)(uintptr_t)source);
}

static tn_status fake_fill(void *stream, void *buffer, uint64_t offset, uint64_t size,
                           uint32_t pattern) {
    (void)stream;
    (void)pattern;
    memset(fake_bytes(buffer, offset, size), 0, size);
    return TN_OK;
}

static tn_status fake_submit(void *stream, uint64_t *out_ticket) {
    *out_ticket = ++((fake_stream *)stream)->ticket;
    return TN_OK;
}

static tn_status fake_wait_stream(void *stream, void *other, uint64_t ticket) {
    (void)stream;
    (void)other;
    (void)ticket;
    return TN_OK;
}

static tn_status fake_wait(void *stream, uint64_t ticket, uint64_t timeout_ns) {
    cr_assert_eq(ticket, ((fake_stream *)stream)->ticket);
    cr_assert_eq(timeout_ns, UINT64_MAX);
    fake_do_work(stream);
    return fake.fail_wait;
}

static tn_status fake_limits(void *device, tn_device_limits *out_limits) {
    (void)device;
    out_limits->subgroup_size = 32;
    out_limits->max_push_size = 128;
    return TN_OK;
}

static tn_status fake_create_module(void *device, const void *code, uint64_t size,
                                    void **out_module) {
    (void)device;
    (void)code;
    (void)size;
    if (fake.fail_module != TN_OK) {
        return fake.fail_module;
    }
    fake.modules++;
    fake.modules_made++;
    *out_module = malloc(1);
    return TN_OK;
}

static void fake_destroy_module(void *device, void *module) {
    (void)device;
    fake.modules--;
    free(module);
}

static tn_status fake_create_kernel(void *device, void *module, const tn_device_kernel_desc *desc,
                                    void **out_kernel) {
    (void)device;
    cr_assert_not_null(module);
    cr_assert_not_null(desc);
    if (fake.fail_kernel != TN_OK) {
        return fake.fail_kernel;
    }
    fake.kernels++;
    *out_kernel = malloc(1);
    return TN_OK;
}

static void fake_destroy_kernel(void *device, void *kernel) {
    (void)device;
    fake.kernels--;
    free(kernel);
}

static tn_status fake_launch(void *stream, void *kernel, const uint32_t groups[3],
                             const tn_binding *bindings, uint32_t binding_count, const void *push,
                             uint32_t push_size) {
    (void)stream;
    (void)kernel;
    (void)bindings;
    (void)binding_count;
    (void)push;
    (void)push_size;
    fake.launches += groups[0] * groups[1] * groups[2];
    return TN_OK;
}

static const tn_device_backend fake_backend = {
    .struct_size = TN_DEVICE_BACKEND_SIZE,
    .doc = "A fake.",
    .count = fake_count,
    .info = fake_info,
    .open = fake_open,
    .close = fake_close,
    .allocate = fake_allocate,
    .free = fake_free,
    .map = fake_map,
    .memory_usage = fake_usage,
    .create_stream = fake_create_stream,
    .destroy_stream = fake_destroy_stream,
    .copy_from_host = fake_copy_from_host,
    .copy_to_host = fake_copy_to_host,
    .copy = fake_copy,
    .fill = fake_fill,
    .submit = fake_submit,
    .wait_stream = fake_wait_stream,
    .wait = fake_wait,
    .limits = fake_limits,
    .create_module = fake_create_module,
    .destroy_module = fake_destroy_module,
    .create_kernel = fake_create_kernel,
    .destroy_kernel = fake_destroy_kernel,
    .launch = fake_launch,
};
static const tn_entry fake_entries[] = {TN_ENTRY_DEVICE("fake", &fake_backend)};

static tn_runtime *runtime;
static tni_plugin *fake_plugin;

static void fake_set_up(void) {
    runtime = new_runtime();
    fake_plugin = ADD_PLUGIN(runtime, "fake", fake_entries);
}

/* Nothing is left behind. */
static void fake_tear_down(void) {
    cr_assert_eq(atomic_load(&fake_plugin->leases[TNI_HOLDER_DEVICE]), 0);
    cr_assert_eq(atomic_load(&fake_plugin->leases[TNI_HOLDER_CALL]), 0);
    tn_runtime_destroy(runtime);
    cr_assert_eq(fake.opened, 0);
    cr_assert_eq(fake.buffers, 0);
    cr_assert_eq(fake.streams, 0);
    cr_assert_eq(fake.modules, 0);
    cr_assert_eq(fake.kernels, 0);
}

__attribute__((unused)) static tn_device *open_device(const char *name) {
    tn_device *device;
    cr_assert_eq(tn_device_open(runtime, name, &device), TN_OK, "%s", tn_error_message());
    return device;
}

#define FAKE_SUITE(name) TestSuite(name, .init = fake_set_up, .fini = fake_tear_down)

#endif
