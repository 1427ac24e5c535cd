/* Ending plugins: while the runtime lives, and with it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/foreign.h"
#include "plugin/ledger.h"
#include "plugin/library.h"
#include "plugin/load.h"
#include "plugin/process_state.h"
#include "plugin/strings.h"

static const char *const holder_words[TNI_HOLDER_COUNT][2] = {
    [TNI_HOLDER_GRAPH] = {"graph", "graphs"},
    [TNI_HOLDER_SESSION] = {"session", "sessions"},
    [TNI_HOLDER_INVOKE] = {"eager operator", "eager operators"},
    [TNI_HOLDER_DEVICE] = {"device", "devices"},
    [TNI_HOLDER_DATASET] = {"data set", "data sets"},
    [TNI_HOLDER_TENSOR] = {"tensor", "tensors"},
    [TNI_HOLDER_CALL] = {"call", "calls"},
    [TNI_HOLDER_PLUGIN] = {"plugin", "plugins"},
};

static bool is_held(tni_plugin *plugin) {
    for (int holder = 0; holder < TNI_HOLDER_COUNT; holder++) {
        if (atomic_load(&plugin->leases[holder]) > 0) {
            return true;
        }
    }
    return false;
}

/* "2 graphs, 1 device" */
static void list_holders(tni_plugin *plugin, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int holder = 0; holder < TNI_HOLDER_COUNT; holder++) {
        const unsigned count = atomic_load(&plugin->leases[holder]);
        if (count > 0 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%u %s", used > 0 ? ", " : "",
                                     count, holder_words[holder][count > 1]);
        }
    }
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Looks again after 50 microseconds at first and every 5 milliseconds later. A release is one
 * atomic step on hot paths; waking an unload there would cost every one of them. */
static bool wait_until_free(tni_plugin *plugin, uint64_t timeout_ns) {
    const uint64_t begin = now_ns();
    long pause_ns = 50000;
    while (is_held(plugin)) {
        if (now_ns() - begin >= timeout_ns) {
            return false;
        }
        const struct timespec pause = {0, pause_ns};
        nanosleep(&pause, NULL);
        pause_ns = pause_ns < 2500000 ? pause_ns * 2 : 5000000;
    }
    return true;
}

static void call_fini_guarded(tni_plugin *plugin) {
    char changed[256] = "";
    tni_process_state state;
    const bool is_saved = tni_process_state_save(&state) == TN_OK;
    plugin->table->fini(&plugin->host);
    if (is_saved && tni_process_state_restore(&state, changed, sizeof changed)) {
        tni_log(plugin->runtime, TN_LOG_WARNING, "tenon",
                "plugin '%s' changed %s while it was ended; it was put back", plugin->name,
                changed);
    }
    tni_process_state_finish(&state);
}

void tni_plugin_end(tni_plugin *plugin) {
    const tn_plugin *table = plugin->table; /* NULL for one that has waited all along */
    if (plugin->initialised && TN_HAS_FIELD(tn_plugin, table, fini) && table->fini != NULL) {
        call_fini_guarded(plugin);
    }
    plugin->initialised = false;
    const unsigned long long count = atomic_load(&plugin->memory_count);
    if (count > 0) {
        tni_log(plugin->runtime, TN_LOG_WARNING, "tenon",
                "plugin '%s' left %llu bytes in %llu allocations of the memory service behind",
                plugin->name, (unsigned long long)atomic_load(&plugin->memory_size), count);
    }
    tni_foreign_unload(plugin);
    tni_registry_end_uses(plugin);
}

/* Nothing refers to it any more. Returns whether its code left memory. */
static bool close_plugin(tni_plugin *plugin) {
    tni_registry_withdraw(plugin->runtime, plugin);
    tni_plugin_end(plugin);
    plugin->table = NULL;
    tni_library_close(plugin->library);
    plugin->library = NULL;
    return !tni_library_is_mapped(plugin->path);
}

static void record(const tni_plugin *plugin, bool closed) {
    const tn_ledger_record line = {.struct_size = TN_LEDGER_RECORD_SIZE,
                                   .verdict = TN_OK,
                                   .path = plugin->path,
                                   .origin = TNI_ORIGIN_USER,
                                   .name = plugin->name,
                                   .version = plugin->version,
                                   .checks = "unload",
                                   .reason =
                                       closed ? "unloaded" : "unloaded; its code stays in memory",
                                   .remedy = ""};
    tni_ledger_add(plugin->runtime->ledger, &line);
}

/* Within the section, so that one thread alone has it leave. */
static tn_status begin_leaving(tn_runtime *runtime, const char *name, tni_plugin **out_plugin) {
    tni_plugin *plugin = tni_plugin_find(runtime, name);
    if (plugin == NULL) {
        return tni_fail(TN_NOT_FOUND, "no such plugin is loaded");
    }
    if (atomic_exchange(&plugin->leaving, true)) {
        return tni_fail(TN_BUSY, "another thread unloads it");
    }
    *out_plugin = plugin;
    return TN_OK;
}

/* Outside the section: who holds the plugin may have to load another before letting go. */
static tn_status wait_for_holders(tni_plugin *plugin, uint64_t timeout_ns) {
    if (plugin->runtime->drop_idle != NULL) {
        plugin->runtime->drop_idle(plugin->runtime);
    }
    if (!wait_until_free(plugin, timeout_ns)) {
        char holders[256];
        list_holders(plugin, holders, sizeof holders);
        atomic_store(&plugin->leaving, false);
        return tni_fail(TN_BUSY, "it is still in use by %s", holders);
    }
    return TN_OK;
}

static tn_status unload(tn_runtime *runtime, const char *name, uint64_t timeout_ns,
                        bool *out_closed) {
    tni_plugin *plugin;
    TNI_TRY(tni_load_begin(runtime));
    tn_status status = begin_leaving(runtime, name, &plugin);
    tni_load_end(runtime);
    TNI_TRY(status);
    TNI_TRY(wait_for_holders(plugin, timeout_ns));
    TNI_TRY(tni_load_begin(runtime));
    *out_closed = close_plugin(plugin);
    record(plugin, *out_closed);
    tni_load_end(runtime);
    return TN_OK;
}

tn_status tn_plugin_unload(tn_runtime *runtime, const char *name, uint64_t timeout_ns,
                           int32_t *out_closed) {
    if (runtime == NULL || name == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin unload: a runtime and a name are needed");
    }
    bool closed = false;
    const tn_status status = unload(runtime, name, timeout_ns, &closed);
    if (status == TN_OK && out_closed != NULL) {
        *out_closed = closed ? 1 : 0;
    }
    return tni_in(status, "plugin unload '%s'", name);
}

void tni_plugin_floor_finish(tn_runtime *runtime) {
    for (uint32_t i = 0; i < runtime->plugin_count; i++) {
        atomic_store(&runtime->plugins[i]->leaving, true);
    }
    for (tni_plugin *plugin = runtime->last_loaded; plugin != NULL;
         plugin = plugin->loaded_before) {
        tni_plugin_end(plugin);
    }
    runtime->last_loaded = NULL;
    tni_registry_destroy(runtime);
    tni_ledger_destroy(runtime->ledger);
    tni_strings_destroy(runtime->strings);
    runtime->ledger = NULL;
    pthread_cond_destroy(&runtime->load_ended);
    pthread_mutex_destroy(&runtime->load_lock);
}
