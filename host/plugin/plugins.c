/* The listings of plugins and their entries. */
#include <string.h>

#include "base/error.h"
#include "plugin/runtime.h"

/* Gives the caller as much of a struct as it knows. */
static void hand_out(void *out, uint32_t out_size, const void *full, size_t size) {
    memcpy(out, full, out_size < size ? out_size : size);
    memcpy(out, &out_size, sizeof out_size);
}

uint32_t tn_plugin_count(const tn_runtime *runtime) {
    if (runtime == NULL) {
        return 0;
    }
    tni_registry_lock_shared(runtime);
    const uint32_t count = runtime->plugin_count;
    tni_registry_unlock(runtime);
    return count;
}

static tni_plugin *plugin_at(const tn_runtime *runtime, uint32_t index) {
    tni_registry_lock_shared(runtime);
    tni_plugin *plugin = index < runtime->plugin_count ? runtime->plugins[index] : NULL;
    tni_registry_unlock(runtime);
    if (plugin == NULL) {
        tni_error_set("plugin number %u: there are %u", index, tn_plugin_count(runtime));
    }
    return plugin;
}

tn_status tn_plugin_get(const tn_runtime *runtime, uint32_t index, tn_plugin_info *out_info) {
    if (runtime == NULL || out_info == NULL || out_info->struct_size < sizeof(uint32_t)) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin: a runtime and a struct are needed");
    }
    const tni_plugin *plugin = plugin_at(runtime, index);
    if (plugin == NULL) {
        return TN_OUT_OF_RANGE;
    }
    const tn_plugin_info info = {.entry_count = plugin->entry_count,
                                 .name = plugin->name,
                                 .version = plugin->version,
                                 .path = plugin->path,
                                 .is_loaded = atomic_load(&plugin->is_ready) ? 1 : 0};
    hand_out(out_info, out_info->struct_size, &info, sizeof info);
    return TN_OK;
}

/* Reads links that a load changes. */
static const char *entry_state(const tn_runtime *runtime, const tni_entry *entry) {
    if (entry->skipped != NULL) {
        return entry->skipped;
    }
    tni_registry_lock_shared(runtime);
    const char *state =
        entry->overridden_by != NULL ? entry->overridden_by->victim_state : "active";
    tni_registry_unlock(runtime);
    return state;
}

tn_status tn_plugin_entry(const tn_runtime *runtime, uint32_t plugin_index, uint32_t entry_index,
                          tn_entry_info *out_info) {
    if (runtime == NULL || out_info == NULL || out_info->struct_size < sizeof(uint32_t)) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin entry: a runtime and a struct are needed");
    }
    const tni_plugin *plugin = plugin_at(runtime, plugin_index);
    if (plugin == NULL) {
        return TN_OUT_OF_RANGE;
    }
    if (entry_index >= plugin->entry_count) {
        return tni_fail(TN_OUT_OF_RANGE, "plugin '%s': entry %u of %u", plugin->name, entry_index,
                        plugin->entry_count);
    }
    const tni_entry *entry = &plugin->entries[entry_index];
    const tn_entry_info info = {.version = entry->own.version,
                                .kind = entry->own.kind,
                                .name = entry->own.name,
                                .plugin = plugin->name,
                                .state = entry_state(runtime, entry)};
    hand_out(out_info, out_info->struct_size, &info, sizeof info);
    return TN_OK;
}
