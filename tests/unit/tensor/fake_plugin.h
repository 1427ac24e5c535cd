/* Plugins that are part of the test: a table is registered as if it had been loaded from a file. */
#ifndef TENON_TESTS_FAKE_PLUGIN_H
#define TENON_TESTS_FAKE_PLUGIN_H

#include <criterion/criterion.h>

#include <tenon/plugin.h>
#include <tenon/runtime.h>

#include "base/memory.h"
#include "plugin/runtime.h"
#include "plugin/stage.h"

__attribute__((unused)) static tn_runtime *new_runtime(void) {
    tn_runtime *runtime;
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK, "%s", tn_error_message());
    return runtime;
}

__attribute__((unused)) static tni_plugin *add_plugin(tn_runtime *runtime, const char *name,
                                                      const tn_entry *entries, uint32_t count) {
    tni_plugin *plugin = tni_allocate(1, sizeof *plugin);
    tn_plugin *table = tni_arena_allocate(&plugin->arena, 1, sizeof *table);
    *table = (tn_plugin){
        .struct_size = TN_PLUGIN_SIZE,
        .name = name,
        .version = "1",
        .entries = entries,
        .entry_count = count,
        .entry_stride = sizeof(tn_entry),
    };
    plugin->runtime = runtime;
    plugin->name = name;
    plugin->version = "1";
    plugin->path = "(in the test)";
    plugin->table = table;
    plugin->host = (tn_host){
        .struct_size = TN_HOST_SIZE,
        .name = "tenon",
        .version = "0",
        .find_service = tni_find_service,
        .internal = plugin,
    };
    char remedy[256];
    cr_assert_eq(tni_stage_table(plugin, 0, remedy, sizeof remedy), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tni_registry_commit(runtime, plugin), TN_OK);
    return plugin;
}

#define ADD_PLUGIN(runtime, name, entries)                                                         \
    add_plugin(runtime, name, entries, (uint32_t)(sizeof(entries) / sizeof((entries)[0])))

/* The text of the last failure holds `part`. */
#define ASSERT_MESSAGE(part)                                                                       \
    cr_assert(strstr(tn_error_message(), part) != NULL, "'%s' has no '%s'", tn_error_message(),    \
              part)

#endif
