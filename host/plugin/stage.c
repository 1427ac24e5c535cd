#include "plugin/stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/kinds.h"
#include "plugin/names.h"

enum { MAX_ENTRIES = 65536, MAX_IMPL_SIZE = 65536 };

/* A text in the plugin's arena, or a fixed one when there is no memory: it only explains. */
__attribute__((format(printf, 2, 3))) static const char *explain(tni_plugin *plugin,
                                                                 const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = tni_arena_text(&plugin->arena, text);
    return copy != NULL ? copy : "skipped";
}

static tn_status check_table(const tn_plugin *table) {
    if (table->entry_count == 0) {
        return tni_fail(TN_CORRUPT, "the plugin offers nothing: its table has no entries");
    }
    if (table->entry_count > MAX_ENTRIES) {
        return tni_fail(TN_CORRUPT, "the table has %u entries, at most %d are allowed",
                        table->entry_count, MAX_ENTRIES);
    }
    if (table->entry_stride < sizeof(tn_entry) || table->entry_stride % _Alignof(tn_entry) != 0) {
        return tni_fail(TN_CORRUPT,
                        "the stride of the entries is %u bytes, at least %zu and a multiple of %zu "
                        "is required",
                        table->entry_stride, sizeof(tn_entry), _Alignof(tn_entry));
    }
    if (table->entries == NULL || (uintptr_t)table->entries % _Alignof(tn_entry) != 0) {
        return tni_fail(TN_CORRUPT, "the pointer to the entries is null or not aligned");
    }
    return TN_OK;
}

/* Every impl begins with its struct_size. One that is shorter than this library's struct is copied
 * and filled up with zeros, which mean absent, so that nobody else need ask for its size. */
static tn_status complete_impl(tni_plugin *plugin, tni_entry *entry, const tni_kind *kind) {
    const void *impl = entry->own.impl;
    if (impl == NULL || (uintptr_t)impl % _Alignof(uint64_t) != 0) {
        return tni_fail(TN_CORRUPT, "impl is null or not aligned");
    }
    uint32_t size;
    memcpy(&size, impl, sizeof size);
    if (size < kind->required_size || size > MAX_IMPL_SIZE) {
        return tni_fail(TN_CORRUPT, "struct_size is %u, expected %u to %d", size,
                        kind->required_size, MAX_IMPL_SIZE);
    }
    if (size < kind->known_size) {
        void *full = tni_arena_allocate(&plugin->arena, 1, kind->known_size);
        if (full == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        memcpy(full, impl, size);
        entry->own.impl = full;
    }
    return TN_OK;
}

/* The other entry of this plugin with the same kind and name decides which one is used. */
static tn_status check_siblings(tni_plugin *plugin, tni_entry *entry) {
    for (tni_entry *other = plugin->entries; other < entry; other++) {
        if (other->skipped != NULL || other->kind != entry->kind ||
            strcmp(other->own.name, entry->own.name) != 0) {
            continue;
        }
        if (other->own.version == entry->own.version) {
            return tni_fail(TN_CORRUPT, "the plugin offers it twice in version %u",
                            entry->own.version);
        }
        tni_entry *older = other->own.version < entry->own.version ? other : entry;
        const tni_entry *newer = older == other ? entry : other;
        older->skipped =
            explain(plugin, "skipped: version %u of the same entry is used", newer->own.version);
    }
    return TN_OK;
}

static void skip_unknown(tni_plugin *plugin, tni_entry *entry) {
    if (entry->kind == TNI_KIND_COUNT) {
        entry->skipped =
            explain(plugin, "skipped: this library does not know the kind '%s'", entry->own.kind);
    } else if (entry->own.version > tni_kinds[entry->kind].version) {
        entry->skipped =
            explain(plugin, "skipped: version %u of kind '%s', this library knows up to %u",
                    entry->own.version, entry->own.kind, tni_kinds[entry->kind].version);
    }
}

static tn_status stage_entry(tni_plugin *plugin, tni_entry *entry, const tn_entry *given) {
    entry->own = *given;
    entry->entry = &entry->own;
    entry->plugin = plugin;
    if (!tni_name_is_valid(given->kind, TNI_MAX_NAME) ||
        !tni_name_is_valid(given->name, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "kind or name is not made of letters, digits, '-', '_', '.'");
    }
    if (given->version == 0) {
        return tni_fail(TN_CORRUPT, "version is 0, versions begin at 1");
    }
    entry->kind = tni_kind_find(given->kind);
    skip_unknown(plugin, entry);
    if (entry->skipped != NULL) {
        return TN_OK;
    }
    const tni_kind *kind = &tni_kinds[entry->kind];
    TNI_TRY(complete_impl(plugin, entry, kind));
    TNI_TRY(kind->check(entry->own.impl));
    return check_siblings(plugin, entry);
}

/* Puts "entry 3 (op 'relu')" in front of a failure. The names may be what failed. */
static tn_status in_entry(tn_status status, uint32_t index, const tn_entry *entry) {
    if (tni_name_is_valid(entry->kind, TNI_MAX_NAME) &&
        tni_name_is_valid(entry->name, TNI_MAX_NAME)) {
        return tni_in(status, "entry %u (%s '%s')", index, entry->kind, entry->name);
    }
    return tni_in(status, "entry %u", index);
}

/* Kernels do not clash: they are ranked. Anything else with a taken name needs two permissions. */
static tn_status check_clash(tni_plugin *plugin, tni_entry *entry, uint32_t flags, char *remedy,
                             size_t remedy_size) {
    const bool overrides = (entry->own.flags & TN_ENTRY_OVERRIDES) != 0;
    if (entry->kind == TNI_KIND_KERNEL) {
        return overrides ? tni_fail(TN_CORRUPT, "a kernel does not override: kernels are ranked by "
                                                "score and priority")
                         : TN_OK;
    }
    const tni_entry *taken = tni_registry_find(plugin->runtime, entry->own.kind, entry->own.name);
    if (taken == NULL) {
        return TN_OK;
    }
    if (!overrides) {
        snprintf(remedy, remedy_size,
                 "load only one of the two, or rename the entry, or mark it TN_ENTRY_OVERRIDES");
        return tni_fail(TN_ALREADY_EXISTS, "plugin '%s' (%s) offers it already",
                        taken->plugin->name, taken->plugin->path);
    }
    if ((flags & TN_LOAD_ALLOW_OVERRIDE) == 0) {
        snprintf(remedy, remedy_size, "allow overrides (TN_LOAD_ALLOW_OVERRIDE)");
        return tni_fail(TN_DENIED,
                        "it overrides that of plugin '%s' (%s), which the user has not allowed",
                        taken->plugin->name, taken->plugin->path);
    }
    entry->overrides = (tni_entry *)taken;
    entry->victim_state = explain(plugin, "overridden by %s", plugin->name);
    return TN_OK;
}

static const tn_entry *entry_at(const tn_plugin *table, uint32_t index) {
    return (const tn_entry *)(const void *)((const char *)table->entries +
                                            (size_t)index * table->entry_stride);
}

tn_status tni_stage_entries(tni_plugin *plugin, uint32_t flags, char *remedy, size_t remedy_size) {
    const tn_plugin *table = plugin->table;
    TNI_TRY(check_table(table));
    plugin->entries = tni_arena_allocate(&plugin->arena, table->entry_count, sizeof(tni_entry));
    if (plugin->entries == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plugin->entry_count = table->entry_count;
    for (uint32_t i = 0; i < table->entry_count; i++) {
        const tn_entry *given = entry_at(table, i);
        TNI_TRY(in_entry(stage_entry(plugin, &plugin->entries[i], given), i, given));
    }
    for (uint32_t i = 0; i < table->entry_count; i++) {
        tni_entry *entry = &plugin->entries[i];
        if (entry->skipped == NULL) {
            const tn_status status = check_clash(plugin, entry, flags, remedy, remedy_size);
            TNI_TRY(in_entry(status, i, &entry->own));
        }
    }
    return TN_OK;
}
