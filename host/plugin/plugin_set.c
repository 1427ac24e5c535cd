#include "plugin/plugin_set.h"

#include "base/error.h"
#include "base/memory.h"

tn_status tni_plugin_set_add(tni_plugin_set *set, tni_plugin *plugin, tni_holder holder) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->plugins[i] == plugin) {
            return TN_OK;
        }
    }
    void *plugins = set->plugins;
    TNI_TRY(tni_grow(&plugins, &set->capacity, set->count + 1, sizeof(tni_plugin *)));
    set->plugins = plugins;
    TNI_TRY(tni_plugin_acquire(plugin, holder));
    set->plugins[set->count++] = plugin;
    return TN_OK;
}

void tni_plugin_set_finish(tni_plugin_set *set, tni_holder holder) {
    for (uint32_t i = 0; i < set->count; i++) {
        tni_plugin_release(set->plugins[i], holder);
    }
    tni_free(set->plugins);
    *set = (tni_plugin_set){0};
}
