/* Opening and closing devices, counting who uses them, and their memory. */
#include "device/device_table.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Bindings of device code may have to begin at multiples of this; elements need less. */
enum { DEVICE_ALIGNMENT = 256, HOST_ALIGNMENT = 64 };

/* The part of a device's memory that may lie idle in the pool. */
enum { POOL_SHARE = 4 };
static const uint64_t default_pool_limit = 256u << 20;

int32_t tni_device_has_target(const tn_device *device, const char *target) {
    const size_t size = strlen(target);
    const char *at = device->targets;
    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        if (length == size && memcmp(at, target, size) == 0) {
            return 1;
        }
        at += length + (at[length] == ',');
    }
    return 0;
}

tn_device *tni_device_cpu(const tn_runtime *runtime) {
    const struct tni_device_table *table = __atomic_load_n(&runtime->devices, __ATOMIC_ACQUIRE);
    return table != NULL ? atomic_load(&table->cpu) : NULL;
}

tn_device *tni_device_cpu_acquire(const tn_runtime *runtime) {
    tn_device *device = tni_device_cpu(runtime);
    if (device == NULL || !tni_device_try_retain(device)) {
        return NULL;
    }
    if (device != tni_device_cpu(runtime)) { /* closed meanwhile, and its struct used again */
        tni_device_release(device);
        return NULL;
    }
    return device;
}

void tni_device_retain(tn_device *device) {
    atomic_fetch_add_explicit(&device->users, 1, memory_order_relaxed);
}

bool tni_device_try_retain(tn_device *device) {
    uint32_t users = atomic_load(&device->users);
    while (users > 0) {
        if (atomic_compare_exchange_weak(&device->users, &users, users + 1)) {
            return true;
        }
    }
    return false;
}

void tni_device_release(tn_device *device) {
    if (device != NULL && atomic_fetch_sub(&device->users, 1) == 1) {
        tni_device_end(device);
    }
}

static tn_device *take_struct(struct tni_device_table *table) {
    pthread_mutex_lock(&table->lock);
    tn_device *device = table->spare;
    if (device != NULL) {
        table->spare = device->next;
    }
    pthread_mutex_unlock(&table->lock);
    return device != NULL ? device : tni_allocate(1, sizeof *device);
}

static void give_struct_back(struct tni_device_table *table, tn_device *device) {
    pthread_mutex_lock(&table->lock);
    device->next = table->spare;
    table->spare = device;
    pthread_mutex_unlock(&table->lock);
}

/* "cpu:0" */
static char *make_name(tni_device_place place) {
    const size_t size = strlen(place.entry->entry->name) + 16;
    char *name = tni_allocate(size, 1);
    if (name != NULL) {
        snprintf(name, size, "%s:%u", place.entry->entry->name, (unsigned)place.index);
    }
    return name;
}

/* Opens the device at its backend. A backend that runs host loops is told of its threads. */
static tn_status open_backend(tn_device *device) {
    char threads[16];
    const tn_runtime_options *wanted = &device->runtime->options;
    tn_option options[2];
    uint32_t count = 0;
    snprintf(threads, sizeof threads, "%u", (unsigned)wanted->thread_count);
    if (device->backend->parallel_for != NULL && wanted->thread_count > 0) {
        options[count++] = (tn_option){"threads", threads};
    }
    if (device->backend->parallel_for != NULL && (wanted->flags & TN_RUNTIME_PINS_THREADS) != 0) {
        options[count++] = (tn_option){"pin", "true"};
    }
    tni_error_clear();
    return tni_plugin_status(device->backend->open(&device->entry->plugin->host, device->index,
                                                   options, count, &device->device));
}

/* On failure the texts are left for the caller to free. */
static tn_status describe_and_open(tn_device *device, tni_device_place place) {
    tn_device_info info;
    TNI_TRY(tni_device_info(place, &info));
    device->id = info.id;
    device->flags = info.flags;
    device->name = make_name(place);
    device->targets = tni_copy_text(info.targets);
    if (device->name == NULL || device->targets == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(open_backend(device));
    const tn_status status = tni_stream_create(device, &device->stream);
    if (status != TN_OK) {
        device->backend->close(&device->entry->plugin->host, device->device);
        return status;
    }
    tni_pool_init(&device->pool,
                  info.memory_total > 0 ? info.memory_total / POOL_SHARE : default_pool_limit);
    pthread_mutex_init(&device->lock, NULL);
    return TN_OK;
}

/* Fills in the struct but for `users`, which other threads may look at. */
static tn_status init_device(tn_device *device, tn_runtime *runtime, tni_device_place place) {
    device->runtime = runtime;
    device->entry = place.entry;
    device->backend = place.entry->entry->impl;
    device->device = NULL;
    device->index = place.index;
    device->name = NULL;
    device->targets = NULL;
    device->opened = 0;
    device->stream = NULL;
    device->idle = NULL;
    device->modules = NULL;
    const tn_status status = describe_and_open(device, place);
    if (status != TN_OK) {
        tni_free(device->name);
        tni_free(device->targets);
    }
    return status;
}

/* A device with one user, not in the table yet. */
static tn_status make_device(tn_runtime *runtime, tni_device_place place, tn_device **out_device) {
    TNI_TRY(tni_plugin_acquire(place.entry->plugin, TNI_HOLDER_DEVICE));
    tn_device *device = take_struct(runtime->devices);
    tn_status status = TN_OUT_OF_MEMORY;
    if (device != NULL) {
        status = init_device(device, runtime, place);
        if (status != TN_OK) {
            give_struct_back(runtime->devices, device);
        }
    }
    if (status != TN_OK) {
        tni_plugin_release(place.entry->plugin, TNI_HOLDER_DEVICE);
        return status;
    }
    atomic_store(&device->users, 1);
    *out_device = device;
    return TN_OK;
}

/* The open device of that place with one more user and open, or NULL. Under the table's lock. */
static tn_device *find_open(const struct tni_device_table *table, tni_device_place place) {
    for (tn_device *device = table->open; device != NULL; device = device->next) {
        if (device->entry == place.entry && device->index == place.index &&
            tni_device_try_retain(device)) {
            device->opened++;
            return device;
        }
    }
    return NULL;
}

tn_status tni_device_open_place(tn_runtime *runtime, tni_device_place place,
                                tn_device **out_device) {
    struct tni_device_table *table = tni_device_table_of(runtime);
    if (table == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&table->lock);
    tn_device *device = find_open(table, place);
    pthread_mutex_unlock(&table->lock);
    if (device != NULL) {
        *out_device = device;
        return TN_OK;
    }
    tn_device *made = NULL; /* without the lock: the plugin's code runs */
    TNI_TRY(make_device(runtime, place, &made));
    pthread_mutex_lock(&table->lock);
    device = find_open(table, place); /* another thread may have been faster */
    if (device == NULL) {
        made->opened = 1;
        made->next = table->open;
        table->open = made;
        if (made->backend->parallel_for != NULL) {
            atomic_store(&table->cpu, made);
        }
    }
    pthread_mutex_unlock(&table->lock);
    if (device != NULL) {
        tni_device_release(made);
    }
    *out_device = device != NULL ? device : made;
    return TN_OK;
}

tn_status tn_device_open(tn_runtime *runtime, const char *name, tn_device **out_device) {
    tni_device_place place;
    if (runtime == NULL || name == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "open a device: expected a runtime and a name");
    }
    TNI_TRY(tni_in(tni_device_find(runtime, name, &place), "device '%s'", name));
    return tni_in(tni_device_open_place(runtime, place, out_device), "device '%s'", name);
}

void tn_device_close(tn_device *device) {
    if (device == NULL) {
        return;
    }
    struct tni_device_table *table = device->runtime->devices;
    pthread_mutex_lock(&table->lock);
    const bool is_open = device->opened > 0;
    device->opened -= is_open ? 1 : 0;
    pthread_mutex_unlock(&table->lock);
    if (is_open) { /* one close too many does no harm while somebody else keeps the device */
        tni_device_release(device);
    }
}

/* Takes the device out of the table, and leaves `cpu` to another that runs host loops. */
static void take_out(struct tni_device_table *table, tn_device *device) {
    tn_device *loops = NULL;
    pthread_mutex_lock(&table->lock);
    for (tn_device **place = &table->open; *place != NULL;) {
        if (*place == device) {
            *place = device->next;
            continue;
        }
        loops = (*place)->backend->parallel_for != NULL ? *place : loops;
        place = &(*place)->next;
    }
    if (atomic_load(&table->cpu) == device) {
        atomic_store(&table->cpu, loops);
    }
    pthread_mutex_unlock(&table->lock);
}

void tni_device_end(tn_device *device) {
    struct tni_device_table *table = device->runtime->devices;
    take_out(table, device);
    tni_stream_destroy(device->stream);
    while (device->idle != NULL) {
        tn_stream *next = device->idle->next;
        tni_stream_destroy(device->idle);
        device->idle = next;
    }
    tni_device_end_modules(device);
    tn_device_trim(device);
    tni_pool_finish(&device->pool);
    device->backend->close(&device->entry->plugin->host, device->device);
    tni_plugin_release(device->entry->plugin, TNI_HOLDER_DEVICE);
    pthread_mutex_destroy(&device->lock);
    tni_free(device->name);
    tni_free(device->targets);
    atomic_store(&device->users, 0);
    give_struct_back(table, device);
}

const char *tn_device_name(const tn_device *device) {
    return device->name;
}

tn_status tn_device_describe(tn_device *device, tn_device_info *out_info) {
    tn_device_info info;
    TNI_TRY(tni_device_info((tni_device_place){device->entry, device->index}, &info));
    return tni_give_struct(out_info, &info, TN_DEVICE_INFO_SIZE);
}

tn_status tn_device_get_limits(tn_device *device, tn_device_limits *out_limits) {
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    if (device->backend->limits != NULL) {
        tni_error_clear();
        TNI_TRY(tni_in(tni_plugin_status(device->backend->limits(device->device, &limits)),
                       "device %s: limits", device->name));
    }
    limits.features = limits.features != NULL ? limits.features : "";
    limits.note = limits.note != NULL ? limits.note : "";
    return tni_give_struct(out_limits, &limits, TN_DEVICE_LIMITS_SIZE);
}

tn_status tn_device_memory(tn_device *device, tn_memory_usage *out_usage) {
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    tni_error_clear();
    TNI_TRY(tni_in(tni_plugin_status(device->backend->memory_usage(device->device, &usage)),
                   "device %s", device->name));
    return tni_give_struct(out_usage, &usage, TN_MEMORY_USAGE_SIZE);
}

static void free_buffer(void *context, void *buffer) {
    const tn_device *device = context;
    device->backend->free(device->device, buffer);
}

void tn_device_trim(tn_device *device) {
    tni_pool_trim(&device->pool, free_buffer, device);
}

static tn_status allocate_new(const tn_device *device, uint64_t size, void **out_buffer) {
    const uint64_t alignment =
        tni_device_is_host_addressable(device) ? HOST_ALIGNMENT : DEVICE_ALIGNMENT;
    tni_error_clear();
    return tni_plugin_status(
        device->backend->allocate(device->device, size, alignment, TN_MEMORY_DEVICE, out_buffer));
}

tn_status tni_device_allocate(tn_device *device, uint64_t size, void **out_buffer) {
    void *buffer = tni_pool_take(&device->pool, size);
    if (buffer == NULL) {
        const uint64_t rounded = tni_pool_round(size);
        tn_status status = allocate_new(device, rounded, &buffer);
        if (status == TN_OUT_OF_MEMORY) { /* what lies idle in the pool may be just what lacks */
            tn_device_trim(device);
            status = allocate_new(device, rounded, &buffer);
        }
        TNI_TRY(tni_in(status, "device %s", device->name));
    }
    *out_buffer = buffer;
    return TN_OK;
}

void tni_device_discard(tn_device *device, void *buffer) {
    if (buffer != NULL) {
        free_buffer(device, buffer);
    }
}

void tni_device_free(tn_device *device, void *buffer, uint64_t size) {
    if (buffer != NULL && !tni_pool_give(&device->pool, size, buffer)) {
        free_buffer(device, buffer);
    }
}
