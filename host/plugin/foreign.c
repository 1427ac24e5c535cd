#include "plugin/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/names.h"
#include "plugin/runtime.h"

/* "libgemm_lib.so.1" is "libgemm_lib". */
static void name_after_file(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    const char *ending = strstr(file, ".so");
    const size_t length = ending != NULL && ending > file ? (size_t)(ending - file) : strlen(file);
    snprintf(name, size, "%.*s", (int)length, file);
    for (char *at = name; *at != '\0'; at++) {
        const char one[2] = {*at, '\0'};
        if (!tni_name_is_valid(one, 1)) {
            *at = '_';
        }
    }
}

/* How sure the loader is. Calls it with a lease, as it may be about to leave. */
static int32_t ask(const tni_entry *entry, const tn_foreign_file *file,
                   tn_foreign_identity *out_identity) {
    *out_identity = (tn_foreign_identity){.struct_size = sizeof *out_identity};
    if (tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL) != TN_OK) {
        return 0;
    }
    const tn_loader *loader = entry->entry->impl;
    const int32_t score = loader->recognise(&entry->plugin->host, file, out_identity);
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    out_identity->description[sizeof out_identity->description - 1] = '\0';
    out_identity->reason[sizeof out_identity->reason - 1] = '\0';
    out_identity->remedy[sizeof out_identity->remedy - 1] = '\0';
    return score;
}

static tn_status choose(const tn_runtime *runtime, tni_foreign *foreign) {
    const uint32_t count = tni_registry_count(runtime, TN_KIND_LOADER);
    int32_t best = 0;
    tni_text names = {0};
    for (uint32_t i = 0; i < count; i++) {
        const tni_entry *entry = tni_registry_get(runtime, TN_KIND_LOADER, i);
        tn_foreign_identity identity;
        if (entry == NULL) {
            break; /* it was unloaded meanwhile */
        }
        const int32_t score = ask(entry, &foreign->file, &identity);
        if (score > best) {
            best = score;
            foreign->loader = entry;
            foreign->identity = identity;
        }
        tni_text_add(&names, "%s%s", i > 0 ? ", " : "", entry->entry->name);
    }
    tn_status status = TN_OK;
    if (foreign->loader == NULL) {
        status = tni_fail(TN_NOT_FOUND,
                          "not a plugin: a shared library without a Tenon note, and no loader (%s) "
                          "recognises it",
                          tni_text_get(&names));
    }
    tni_text_finish(&names);
    return status;
}

static tn_status recognise(const tn_runtime *runtime, const tni_plugin_file *file,
                           tni_foreign *foreign, tn_identity *out_identity) {
    TNI_TRY(tni_symbols_read(file->descriptor, (uint64_t)file->status.st_size, &foreign->symbols));
    foreign->file = (tn_foreign_file){.struct_size = sizeof foreign->file,
                                      .symbol_count = foreign->symbols.count,
                                      .path = file->real_path,
                                      .symbols = foreign->symbols.names};
    TNI_TRY(choose(runtime, foreign));
    name_after_file(file->real_path, out_identity->name, sizeof out_identity->name);
    snprintf(out_identity->loader, sizeof out_identity->loader, "%s", foreign->loader->entry->name);
    snprintf(out_identity->description, sizeof out_identity->description, "%s",
             foreign->identity.description);
    return TN_OK;
}

tn_status tni_foreign_recognise(const tn_runtime *runtime, const tni_plugin_file *file,
                                tni_foreign *out_foreign, tn_identity *out_identity) {
    tni_foreign foreign = {0};
    if (runtime == NULL || tni_registry_count(runtime, TN_KIND_LOADER) == 0) {
        return tni_fail(TN_NOT_FOUND, "not a plugin: a shared library without a Tenon note");
    }
    const tn_status status = recognise(runtime, file, &foreign, out_identity);
    if (status != TN_OK) {
        tni_foreign_finish(&foreign);
        return status;
    }
    *out_foreign = foreign;
    return TN_OK;
}

tn_status tni_foreign_verdict(const tni_foreign *foreign, char *remedy, size_t remedy_size) {
    const tn_foreign_identity *identity = &foreign->identity;
    if (identity->verdict == TN_OK) {
        return TN_OK;
    }
    snprintf(remedy, remedy_size, "%s", identity->remedy);
    tni_error_set("%s", identity->reason);
    return tni_in(tni_plugin_status(identity->verdict), "%s", identity->description);
}

/* What tni_library_table checks of a table in a file; here it stands in the loader's memory. */
static tn_status check_table(const tn_foreign_call *call) {
    const tn_plugin *table = call->plugin;
    if (table == NULL || table->struct_size < TN_STRUCT_END(tn_plugin, entry_stride)) {
        return tni_fail(TN_INTERNAL, "the loader gave no table");
    }
    if (table->contract_major != TN_CONTRACT_MAJOR || table->contract_minor != TN_CONTRACT_MINOR) {
        return tni_fail(
            TN_INTERNAL, "the loader's table is of contract %u.%u, this library's %d.%d",
            table->contract_major, table->contract_minor, TN_CONTRACT_MAJOR, TN_CONTRACT_MINOR);
    }
    if (table->name == NULL || strcmp(table->name, call->name) != 0 ||
        !tni_text_is_printable(table->version, TNI_MAX_NAME)) {
        return tni_fail(TN_INTERNAL, "the loader's table has another name or no version");
    }
    return TN_OK;
}

tn_status tni_foreign_load(const tni_foreign *foreign, tni_plugin *plugin) {
    const tni_entry *entry = foreign->loader;
    const tn_loader *loader = entry->entry->impl;
    tn_foreign_call call = {.struct_size = sizeof call,
                            .host = &entry->plugin->host,
                            .plugin_host = &plugin->host,
                            .file = &foreign->file,
                            .name = plugin->name,
                            .library = plugin->library};
    TNI_TRY(tni_registry_add_use(plugin, entry->plugin));
    tni_error_clear();
    TNI_TRY(tni_in(tni_plugin_status(loader->load(&call)), "%s", foreign->identity.description));
    plugin->loader = entry;
    plugin->loader_state = call.state;
    TNI_TRY(tni_in(check_table(&call), "loader %s", entry->entry->name));
    plugin->table = call.plugin;
    plugin->version = tni_arena_text(&plugin->arena, call.plugin->version);
    return plugin->version == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

void tni_foreign_unload(tni_plugin *plugin) {
    if (plugin->loader != NULL) {
        const tn_loader *loader = plugin->loader->entry->impl;
        const tn_host *host = &plugin->loader->plugin->host;
        plugin->loader = NULL;
        loader->unload(host, plugin->loader_state);
    }
}

void tni_foreign_finish(tni_foreign *foreign) {
    tni_symbols_finish(&foreign->symbols);
}
