/* Listing backends and their devices, and finding a device by its name. */
#include "device/device_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "plugin/load.h"

/* A struct that a caller of the API made is no larger than this. */
enum { MAX_STRUCT_SIZE = 4096 };

tn_status tni_give_struct(void *out, const void *known, uint32_t known_size) {
    uint32_t size;
    memcpy(&size, out, sizeof size);
    if (size < sizeof size || size > MAX_STRUCT_SIZE) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "struct_size is %u: set it with the struct's TN_…_SIZE before the call",
                        (unsigned)size);
    }
    const uint32_t both = size < known_size ? size : known_size;
    memcpy((char *)out + sizeof size, (const char *)known + sizeof size, both - sizeof size);
    memset((char *)out + both, 0, size - both);
    return TN_OK;
}

struct tni_device_table *tni_device_table_of(tn_runtime *runtime) {
    struct tni_device_table *table = __atomic_load_n(&runtime->devices, __ATOMIC_ACQUIRE);
    if (table != NULL) {
        return table;
    }
    struct tni_device_table *made = tni_allocate(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    pthread_mutex_init(&made->lock, NULL);
    atomic_init(&made->cpu, NULL);
    if (__atomic_compare_exchange_n(&runtime->devices, &table, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return made;
    }
    pthread_mutex_destroy(&made->lock); /* another thread was faster */
    tni_free(made);
    return table;
}

void tni_device_floor_finish(tn_runtime *runtime) {
    struct tni_device_table *table = runtime->devices;
    if (table == NULL) {
        return;
    }
    while (table->open != NULL) {
        tn_device *device = table->open;
        tni_log(runtime, TN_LOG_WARNING, "tenon",
                "device %s is still open and has %u users while the runtime ends", device->name,
                atomic_load(&device->users));
        tni_device_end(device);
    }
    while (table->spare != NULL) {
        tn_device *next = table->spare->next;
        tni_free(table->spare);
        table->spare = next;
    }
    tni_map_finish(&table->reasons, tni_free);
    pthread_mutex_destroy(&table->lock);
    tni_free(table);
    runtime->devices = NULL;
}

/* In the section of [load] calls before the lease is taken: an unload that has the section waits
 * for leases. */
tn_status tni_device_count(const tni_entry *entry, uint32_t *out_count) {
    tn_runtime *runtime = entry->plugin->runtime;
    TNI_TRY(tni_load_begin(runtime));
    uint32_t count = 0;
    tn_status status = tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL);
    if (status == TN_OK) {
        const tn_device_backend *backend = entry->entry->impl;
        tni_error_clear();
        status = tni_plugin_status(backend->count(&entry->plugin->host, &count));
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
    tni_load_end(runtime);
    if (status == TN_OK) {
        *out_count = count;
    }
    return tni_in(status, "backend '%s'", entry->entry->name);
}

tn_status tni_device_info(tni_device_place place, tn_device_info *out_info) {
    tni_plugin *plugin = place.entry->plugin;
    TNI_TRY(tni_plugin_acquire(plugin, TNI_HOLDER_CALL));
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    const tn_device_backend *backend = place.entry->entry->impl;
    tni_error_clear();
    const tn_status status = tni_plugin_status(backend->info(&plugin->host, place.index, &info));
    tni_plugin_release(plugin, TNI_HOLDER_CALL);
    if (status != TN_OK) {
        return tni_in(status, "device %s:%u", place.entry->entry->name, (unsigned)place.index);
    }
    info.name = info.name != NULL ? info.name : "";
    info.driver = info.driver != NULL ? info.driver : "";
    info.kind = info.kind != NULL ? info.kind : "other";
    info.targets = info.targets != NULL ? info.targets : "";
    info.vendor = info.vendor != NULL ? info.vendor : "";
    info.location = info.location != NULL ? info.location : "";
    info.api_version = info.api_version != NULL ? info.api_version : "";
    info.driver_version = info.driver_version != NULL ? info.driver_version : "";
    *out_info = info;
    return TN_OK;
}

uint32_t tn_backend_count(const tn_runtime *runtime) {
    return tni_registry_count(runtime, TN_KIND_DEVICE);
}

/* Keeps the present error text as the backend's reason; "" without one, also when no memory is left
 * to keep it. */
static const char *keep_reason(struct tni_device_table *table, const char *backend,
                               const char *reason) {
    char *copy = reason != NULL ? tni_copy_text(reason) : NULL;
    pthread_mutex_lock(&table->lock);
    char *before = tni_map_find(&table->reasons, backend);
    if (tni_map_set(&table->reasons, backend, copy) == TN_OK) {
        tni_free(before);
    } else {
        tni_free(copy);
        copy = NULL;
    }
    pthread_mutex_unlock(&table->lock);
    return copy != NULL ? copy : "";
}

tn_status tn_backend_get(tn_runtime *runtime, uint32_t index, tn_backend_info *out_info) {
    const tni_entry *entry = tni_registry_get(runtime, TN_KIND_DEVICE, index);
    if (entry == NULL) {
        return tni_fail(TN_OUT_OF_RANGE, "backend number %u: there are %u", (unsigned)index,
                        (unsigned)tn_backend_count(runtime));
    }
    struct tni_device_table *table = tni_device_table_of(runtime);
    if (table == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_backend_info info = {.name = entry->entry->name, .plugin = entry->plugin->name};
    info.status = tni_device_count(entry, &info.device_count);
    info.reason = keep_reason(table, info.name, info.status != TN_OK ? tn_error_message() : NULL);
    const tn_device_backend *backend = entry->entry->impl;
    info.doc = backend->doc != NULL ? backend->doc : "";
    return tni_give_struct(out_info, &info, TN_BACKEND_INFO_SIZE);
}

/* A backend by name; the failure lists those that there are. */
static tn_status find_backend(tn_runtime *runtime, const char *name, const tni_entry **out_entry) {
    const tni_entry *entry = tni_registry_find(runtime, TN_KIND_DEVICE, name);
    if (entry != NULL) {
        *out_entry = entry;
        return TN_OK;
    }
    tni_text known = {0};
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_DEVICE, i)) != NULL; i++) {
        tni_text_add(&known, "%s%s", i > 0 ? ", " : "", entry->entry->name);
    }
    char refusal[TNI_REFUSAL_SIZE];
    tni_error_set("no loaded plugin offers a device backend '%s'%s; those there are: %s", name,
                  tni_registry_refusal(runtime, TN_KIND_DEVICE, name, refusal),
                  known.size > 0 ? tni_text_get(&known) : "none");
    tni_text_finish(&known);
    return TN_NOT_FOUND;
}

tn_status tn_device_list(tn_runtime *runtime, const char *backend, uint32_t index,
                         tn_device_info *out_info) {
    tni_device_place place = {.index = index};
    uint32_t count;
    tn_device_info info;
    TNI_TRY(find_backend(runtime, backend, &place.entry));
    TNI_TRY(tni_device_count(place.entry, &count));
    if (index >= count) {
        return tni_fail(TN_OUT_OF_RANGE, "device %s:%u: the backend has %u", backend,
                        (unsigned)index, (unsigned)count);
    }
    TNI_TRY(tni_device_info(place, &info));
    return tni_give_struct(out_info, &info, TN_DEVICE_INFO_SIZE);
}

/* 32 hexadecimal digits, with dashes or without. */
static bool read_uuid(const char *text, uint8_t out_uuid[16]) {
    uint32_t digits = 0;
    uint8_t uuid[16] = {0};
    for (; *text != '\0'; text++) {
        if (*text == '-') {
            continue;
        }
        if (!isxdigit((unsigned char)*text) || digits == 32) {
            return false;
        }
        const int low = tolower((unsigned char)*text);
        const int value = low <= '9' ? low - '0' : low - 'a' + 10;
        uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
        digits++;
    }
    memcpy(out_uuid, uuid, sizeof uuid);
    return digits == 32;
}

static bool read_index(const char *text, uint32_t *out_index) {
    uint32_t index = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || index > (UINT32_MAX - 9) / 10) {
            return false;
        }
        index = index * 10 + (uint32_t)(*at - '0');
    }
    *out_index = index;
    return *text != '\0';
}

/* Whether the device's UUID is the one in the text, or its name has the text in it. */
static bool matches(const tn_device_info *info, const char *text) {
    uint8_t uuid[16];
    if (read_uuid(text, uuid)) {
        return memcmp(info->uuid, uuid, sizeof uuid) == 0;
    }
    return strcasestr(info->name, text) != NULL;
}

/* Types of device, as tn_device_info.kind begins with them. */
static bool is_type(const char *text) {
    static const char *const types[] = {"discrete", "integrated", "virtual", "cpu", "other"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(text, types[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_type(const tn_device_info *info, const char *type) {
    const size_t size = strcspn(info->kind, " ");
    return strlen(type) == size && strncasecmp(info->kind, type, size) == 0;
}

/* The one device among `count` that the text fits, or the first of that type; a list of all when it
 * is none or several. */
static tn_status find_by_text(const tni_entry *entry, uint32_t count, const char *text,
                              uint32_t *out_index) {
    const bool by_type = is_type(text);
    uint32_t found = 0;
    tni_text seen = {0};
    for (uint32_t i = 0; i < count; i++) {
        tn_device_info info;
        if (tni_device_info((tni_device_place){entry, i}, &info) != TN_OK) {
            continue;
        }
        const bool fits = by_type ? has_type(&info, text) : matches(&info, text);
        tni_text_add(&seen, "%s%u '%s' (%s)%s", i > 0 ? ", " : "", (unsigned)i, info.name,
                     info.kind, fits ? " (fits)" : "");
        if (fits && found++ == 0) {
            *out_index = i;
        }
    }
    tn_status status = TN_OK;
    const char *list = seen.size > 0 ? tni_text_get(&seen) : "none";
    if (found == 0 && by_type) {
        status = tni_fail(TN_NOT_FOUND, "no device is of type '%s'. There are: %s", text, list);
    } else if (found == 0 || (found > 1 && !by_type)) {
        status = tni_fail(found == 0 ? TN_NOT_FOUND : TN_INVALID_ARGUMENT,
                          "%u devices fit '%s': expected one; give its number or UUID. There are: "
                          "%s",
                          (unsigned)found, text, list);
    }
    tni_text_finish(&seen);
    return status;
}

static tn_status find_in_backend(const tni_entry *entry, const char *selector,
                                 uint32_t *out_index) {
    uint32_t count;
    TNI_TRY(tni_device_count(entry, &count));
    uint32_t index = 0;
    if (selector != NULL && !read_index(selector, &index)) {
        return find_by_text(entry, count, selector, out_index);
    }
    if (index >= count) {
        return tni_fail(TN_NOT_FOUND, "backend '%s' has %u devices: there is no number %u",
                        entry->entry->name, (unsigned)count, (unsigned)index);
    }
    *out_index = index;
    return TN_OK;
}

tn_status tni_device_find(tn_runtime *runtime, const char *name, tni_device_place *out_place) {
    const char *colon = strchr(name, ':');
    const size_t size = colon != NULL ? (size_t)(colon - name) : strlen(name);
    char backend[128];
    if (size == 0 || size >= sizeof backend || (colon != NULL && colon[1] == '\0')) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "'%s' is no name of a device: expected BACKEND, BACKEND:NUMBER, "
                        "BACKEND:TYPE, BACKEND:NAME or BACKEND:UUID",
                        name);
    }
    memcpy(backend, name, size);
    backend[size] = '\0';
    tni_device_place place;
    TNI_TRY(find_backend(runtime, backend, &place.entry));
    TNI_TRY(find_in_backend(place.entry, colon != NULL ? colon + 1 : NULL, &place.index));
    *out_place = place;
    return TN_OK;
}
