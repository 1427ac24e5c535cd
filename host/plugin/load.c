#include "plugin/load.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/candidate.h"
#include "plugin/ledger.h"

/* The section. */

tn_status tni_load_begin(tn_runtime *runtime) {
    tn_status status = TN_OK;
    pthread_mutex_lock(&runtime->load_lock);
    if (runtime->is_loading && pthread_equal(runtime->loading_thread, pthread_self())) {
        status = tni_fail(TN_FAILED_PRECONDITION,
                          "plugins cannot be loaded or unloaded from inside a plugin's init or "
                          "fini, or from a log callback meanwhile");
    } else {
        while (runtime->is_loading) {
            pthread_cond_wait(&runtime->load_ended, &runtime->load_lock);
        }
        runtime->is_loading = true;
        runtime->loading_thread = pthread_self();
    }
    pthread_mutex_unlock(&runtime->load_lock);
    return status;
}

void tni_load_end(tn_runtime *runtime) {
    pthread_mutex_lock(&runtime->load_lock);
    if (runtime->nested_loads > 0) {
        runtime->nested_loads--;
    } else {
        runtime->is_loading = false;
        pthread_cond_signal(&runtime->load_ended);
    }
    pthread_mutex_unlock(&runtime->load_lock);
}

/* The section of a load that may come from inside another. */
static tn_status begin_nested(tn_runtime *runtime) {
    pthread_mutex_lock(&runtime->load_lock);
    const bool is_nested =
        runtime->is_loading && pthread_equal(runtime->loading_thread, pthread_self());
    runtime->nested_loads += is_nested ? 1 : 0;
    pthread_mutex_unlock(&runtime->load_lock);
    return is_nested ? TN_OK : tni_load_begin(runtime);
}

tn_status tni_load_open(tni_load *load, tn_runtime *runtime, uint32_t flags) {
    load->runtime = runtime;
    load->origin = TNI_ORIGIN_USER;
    load->flags = flags;
    load->is_saved = false;
    load->postpones = false;
    load->defers = false;
    load->postponed = NULL;
    load->postponed_count = load->postponed_capacity = 0;
    return tni_load_begin(runtime);
}

void tni_load_close(tni_load *load) {
    if (load->is_saved) {
        tni_process_state_finish(&load->before);
    }
    for (uint32_t i = 0; i < load->postponed_count; i++) {
        tni_free(load->postponed[i].path);
    }
    tni_free(load->postponed);
    tni_load_end(load->runtime);
}

/* How loud: what the user named is answered by a status; what was found is only told about. */
static void tell(const tni_candidate *c, tn_status status, const char *reason) {
    if (c->changed[0] != '\0') {
        tni_log(c->runtime, TN_LOG_WARNING, "tenon",
                "plugin '%s' (%s) changed %s while it was loaded; it was put back",
                c->identity.name, c->path, c->changed);
    }
    if (status == TN_OK) {
        tni_log(c->runtime, TN_LOG_DEBUG, "tenon", "plugin '%s' (%s): %s", c->plugin->name, c->path,
                reason);
    } else {
        /* Without a name it is not known to be a plugin at all. */
        const bool is_plugin = c->identity.name[0] != '\0' && status != TN_ALREADY_EXISTS;
        tni_log(c->runtime, is_plugin ? TN_LOG_WARNING : TN_LOG_DEBUG, "tenon",
                "plugin '%s' is not loaded: %s", c->path, reason);
    }
}

static void record(const tni_candidate *c, tn_status status) {
    tni_text reason = {0};
    if (status != TN_OK) {
        tni_text_add(&reason, "%s", tn_error_message());
    } else if (!atomic_load(&c->plugin->is_ready)) {
        tni_text_add(&reason, "%s", TNI_REASON_WAITS);
    } else if (c->was_met) {
        tni_text_add(&reason, "loaded already from %s", c->plugin->path);
    } else {
        tni_text_add(&reason, "loaded");
    }
    if (c->changed[0] != '\0') {
        tni_text_add(&reason, "; it changed %s, which was put back", c->changed);
    }
    const tn_ledger_record line = {.struct_size = TN_LEDGER_RECORD_SIZE,
                                   .verdict = status,
                                   .path = c->path,
                                   .origin = c->load->origin,
                                   .name = c->was_met ? c->plugin->name : c->identity.name,
                                   .version = c->was_met ? c->plugin->version : c->identity.version,
                                   .checks = tni_text_get(&c->checks),
                                   .reason = tni_text_get(&reason),
                                   .remedy = status == TN_OK ? "" : c->remedy};
    tni_ledger_add(c->runtime->ledger, &line);
    tell(c, status, tni_text_get(&reason));
    tni_text_finish(&reason);
}

static tn_status postpone(tni_load *load, const char *path) {
    TNI_TRY(tni_grow((void **)&load->postponed, &load->postponed_capacity,
                     load->postponed_count + 1, sizeof load->postponed[0]));
    char *copy = tni_copy_text(path);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    load->postponed[load->postponed_count++] =
        (tni_postponed){.path = copy, .origin = load->origin};
    return TN_OK;
}

tn_status tni_load_postponed(tni_load *load, uint32_t *out_count) {
    load->postpones = false;
    for (uint32_t i = 0; i < load->postponed_count; i++) {
        const tni_postponed *item = &load->postponed[i];
        tni_plugin *plugin;
        bool is_new = false;
        load->origin = item->origin;
        const tn_status status = tni_load_file(load, item->path, &plugin, &is_new);
        if (status == TN_OUT_OF_MEMORY || (status != TN_OK && item->is_named)) {
            return status;
        }
        *out_count += is_new ? 1 : 0;
    }
    return TN_OK;
}

static tn_status fail_with_remedy(const tni_candidate *c, tn_status status, const char *text) {
    const bool has_remedy = c->remedy[0] != '\0';
    return tni_fail(status, "plugin '%s': %s%s%s%s", c->path, text, has_remedy ? " (remedy: " : "",
                    c->remedy, has_remedy ? ")" : "");
}

/* Into the ledger. Gives the status back, with the remedy in its text. */
static tn_status conclude(tni_candidate *c, tn_status status) {
    if (status == TN_OUT_OF_MEMORY) {
        c->remedy[0] = '\0'; /* it is not the plugin's fault */
    }
    char text[4096];
    snprintf(text, sizeof text, "%s", tn_error_message());
    record(c, status);
    return status == TN_OK ? TN_OK : fail_with_remedy(c, status, text);
}

static tn_status load_waiting(tni_plugin *plugin) {
    tni_load load = {
        .runtime = plugin->runtime, .origin = plugin->origin, .flags = plugin->load_flags};
    tni_candidate c = {.load = &load,
                       .runtime = plugin->runtime,
                       .path = plugin->path,
                       .file = TNI_PLUGIN_FILE_NONE,
                       .identity = {.struct_size = TN_IDENTITY_SIZE},
                       .plugin = plugin};
    plugin->is_being_loaded = true;
    const tn_status status = conclude(&c, tni_candidate_wake(&c));
    plugin->is_being_loaded = false;
    tni_candidate_finish(&c);
    if (load.is_saved) {
        tni_process_state_finish(&load.before);
    }
    if (status != TN_OK && status != TN_OUT_OF_MEMORY) {
        plugin->has_failed = true;
        atomic_store(&plugin->leaving, true);
        tni_registry_withdraw(plugin->runtime, plugin);
    }
    return status;
}

tn_status tni_load_waiting(tni_plugin *plugin) {
    TNI_TRY(begin_nested(plugin->runtime));
    tn_status status = TN_OK;
    if (plugin->is_being_loaded) {
        status = tni_fail(TN_BUSY, "plugin '%s' is being loaded by this thread", plugin->name);
    } else if (atomic_load(&plugin->leaving)) {
        status = tni_fail(TN_NOT_FOUND, "plugin '%s' is gone", plugin->name);
    } else if (!atomic_load(&plugin->is_ready)) {
        status = load_waiting(plugin);
    }
    tni_load_end(plugin->runtime);
    return status;
}

tn_status tni_load_file(tni_load *load, const char *path, tni_plugin **out_plugin,
                        bool *out_is_new) {
    tni_candidate c = {.load = load,
                       .runtime = load->runtime,
                       .path = path,
                       .file = TNI_PLUGIN_FILE_NONE,
                       .identity = {.struct_size = TN_IDENTITY_SIZE},
                       .may_wait = load->defers};
    tn_status status = tni_candidate_take(&c);
    if (c.is_postponed) {
        tni_candidate_finish(&c);
        *out_plugin = NULL;
        return postpone(load, path);
    }
    status = conclude(&c, status);
    tni_candidate_finish(&c);
    if (status != TN_OK) {
        return status;
    }
    *out_plugin = c.plugin;
    if (out_is_new != NULL) {
        *out_is_new = !c.was_met;
    }
    return load->defers || atomic_load(&c.plugin->is_ready) ? TN_OK : tni_load_waiting(c.plugin);
}

tn_status tn_plugin_load(tn_runtime *runtime, const char *path, uint32_t flags,
                         const char **out_name) {
    if (runtime == NULL || path == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin load: a runtime and a path are needed");
    }
    tni_load load;
    TNI_TRY(tni_in(tni_load_open(&load, runtime, flags), "plugin '%s'", path));
    tni_plugin *plugin;
    const tn_status status = tni_load_file(&load, path, &plugin, NULL);
    if (status == TN_OK && out_name != NULL) {
        *out_name = plugin->name;
    }
    tni_load_close(&load);
    return status;
}
