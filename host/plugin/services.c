/* The services of this floor, and the floor itself: error, log, memory, attrs, function. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/function.h>
#include <tenon/plugin/identity.h>

#include "base/error.h"
#include "plugin/ledger.h"
#include "plugin/runtime.h"
#include "plugin/service_attrs.h"
#include "plugin/strings.h"

static bool is_status(tn_status status) {
    return status >= TN_OK && status <= TN_INTERNAL;
}

tn_status tni_plugin_status(tn_status status) {
    if (is_status(status)) {
        return tni_error_complete(status);
    }
    tni_error_complete(TN_INTERNAL);
    return tni_in(TN_INTERNAL, "the plugin returned %d, which is no status", status);
}

/* error */

static tn_status error_fail(const tn_host *host, tn_status status, const char *message) {
    if (message == NULL || message[0] == '\0') {
        message = tn_status_sentence(status);
    }
    if (status == TN_OK || !is_status(status)) {
        return tni_fail(TN_INTERNAL, "plugin '%s' reports a failure with the status %d: %s",
                        tni_plugin_of(host)->name, status, message);
    }
    return tni_fail(status, "%s", message);
}

static const tn_error_service error_service = {.struct_size = TN_STRUCT_END(tn_error_service, fail),
                                               .fail = error_fail};

/* log */

void tni_log(const tn_runtime *runtime, uint32_t level, const char *source, const char *format,
             ...) {
    if (runtime->options.log == NULL) {
        return;
    }
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    runtime->options.log(runtime->options.log_context, level, source, message);
}

static void log_write(const tn_host *host, uint32_t level, const char *message) {
    const tni_plugin *plugin = tni_plugin_of(host);
    if (message != NULL) {
        tni_log(plugin->runtime, level <= TN_LOG_ERROR ? level : TN_LOG_ERROR, plugin->name, "%s",
                message);
    }
}

static const tn_log_service log_service = {.struct_size = TN_STRUCT_END(tn_log_service, write),
                                           .write = log_write};

/* random */

static uint64_t random_seed(const tn_host *host, uint64_t *out_turn) {
    const tn_runtime *runtime = tni_plugin_of(host)->runtime;
    *out_turn = atomic_load_explicit(&runtime->seed_turn, memory_order_acquire);
    return atomic_load_explicit(&runtime->seed, memory_order_relaxed);
}

static const tn_random_service random_service = {
    .struct_size = TN_STRUCT_END(tn_random_service, seed), .seed = random_seed};

void tn_runtime_set_seed(tn_runtime *runtime, uint64_t seed) {
    atomic_store_explicit(&runtime->seed, seed, memory_order_relaxed);
    atomic_fetch_add_explicit(&runtime->seed_turn, 1, memory_order_release);
}

/* memory: in front of each block stands who has it, at the distance of its alignment */

typedef struct block_header {
    _Alignas(64) tni_plugin *plugin;
    uint64_t size;
} block_header;

static void *memory_allocate(const tn_host *host, uint64_t size) {
    tni_plugin *plugin = tni_plugin_of(host);
    uint64_t total;
    if (size == 0 || !tni_add(size, sizeof(block_header), &total)) {
        return NULL;
    }
    block_header *header = tni_allocate_aligned(total);
    if (header == NULL) {
        return NULL;
    }
    header->plugin = plugin;
    header->size = size;
    atomic_fetch_add(&plugin->memory_size, size);
    atomic_fetch_add(&plugin->memory_count, 1);
    return header + 1;
}

static void memory_free(const tn_host *host, void *memory) {
    (void)host; /* a block may be freed by another plugin than its maker */
    if (memory == NULL) {
        return;
    }
    block_header *header = (block_header *)memory - 1;
    atomic_fetch_sub(&header->plugin->memory_size, header->size);
    atomic_fetch_sub(&header->plugin->memory_count, 1);
    tni_free(header);
}

static const tn_memory_service memory_service = {.struct_size =
                                                     TN_STRUCT_END(tn_memory_service, free),
                                                 .allocate = memory_allocate,
                                                 .free = memory_free};

/* function */

static tn_status function_find(const tn_host *host, const char *name, const char *signature,
                               void (**out_function)(void)) {
    tni_plugin *caller = tni_plugin_of(host);
    if (name == NULL || signature == NULL || out_function == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "function: a name and a signature are needed");
    }
    const tni_entry *entry = tni_registry_find(caller->runtime, TN_KIND_FUNCTION, name);
    if (entry == NULL) {
        char refusal[TNI_REFUSAL_SIZE];
        return tni_fail(TN_NOT_FOUND, "no plugin offers a function '%s'%s", name,
                        tni_registry_refusal(caller->runtime, TN_KIND_FUNCTION, name, refusal));
    }
    /* The caller keeps the address, so it keeps the plugin, too. */
    TNI_TRY(tni_registry_add_use(caller, entry->plugin));
    const tn_function *function = entry->own.impl;
    if (strcmp(function->signature, signature) != 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "function '%s' is %s, not %s", name,
                        function->signature, signature);
    }
    *out_function = function->address;
    return TN_OK;
}

static const tn_function_service function_service = {
    .struct_size = TN_STRUCT_END(tn_function_service, find), .find = function_find};

/* string */

static tn_status string_intern(const tn_host *host, const void *bytes, uint64_t size,
                               const char **out_string) {
    return tni_strings_intern(tni_plugin_of(host)->runtime->strings, bytes, size, out_string);
}

static const tn_string_service string_service = {
    .struct_size = TN_STRUCT_END(tn_string_service, intern), .intern = string_intern};

/* All services. */

const void *tni_find_service(const tn_host *host, const char *name, uint32_t version) {
    const tn_runtime *runtime = tni_plugin_of(host)->runtime;
    for (uint32_t i = 0; name != NULL && i < runtime->service_count; i++) {
        const tni_service *service = &runtime->services[i];
        if (service->version == version && strcmp(service->name, name) == 0) {
            return service->table;
        }
    }
    return NULL;
}

tn_status tni_runtime_add_service(tn_runtime *runtime, const char *name, uint32_t version,
                                  const void *table) {
    if (runtime->service_count == TNI_MAX_SERVICES) {
        return tni_fail(TN_INTERNAL, "service '%s' is one too many", name);
    }
    runtime->services[runtime->service_count++] = (tni_service){name, version, table};
    return TN_OK;
}

static tn_status add_services(tn_runtime *runtime) {
    TNI_TRY(tni_runtime_add_service(runtime, "error", 1, &error_service));
    TNI_TRY(tni_runtime_add_service(runtime, "log", 1, &log_service));
    TNI_TRY(tni_runtime_add_service(runtime, "memory", 1, &memory_service));
    TNI_TRY(tni_runtime_add_service(runtime, "random", 1, &random_service));
    TNI_TRY(tni_runtime_add_service(runtime, "attrs", 1, &tni_attrs_service));
    TNI_TRY(tni_runtime_add_service(runtime, "string", 1, &string_service));
    return tni_runtime_add_service(runtime, "function", 1, &function_service);
}

tn_status tni_plugin_floor_init(tn_runtime *runtime) {
    pthread_mutex_init(&runtime->load_lock, NULL);
    pthread_cond_init(&runtime->load_ended, NULL);
    tn_status status = tni_registry_create(&runtime->registry);
    if (status == TN_OK) {
        status = tni_ledger_create(&runtime->ledger);
    }
    if (status == TN_OK) {
        status = tni_strings_create(&runtime->strings);
    }
    if (status == TN_OK) {
        status = add_services(runtime);
    }
    if (status != TN_OK) {
        tni_plugin_floor_finish(runtime);
    }
    return status;
}
