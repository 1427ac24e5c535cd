#include "plugin/stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plugin/kinds.h"
#include "plugin/names.h"

enum { MAX_IMPL_SIZE = 65536 };

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
    if (table->entry_count > TNI_MAX_ENTRIES) {
        return tni_fail(TN_CORRUPT, "the table has %u entries, at most %d are allowed",
                        table->entry_count, TNI_MAX_ENTRIES);
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

static tn_status stage_offer(tni_plugin *plugin, tni_entry *entry, const tni_offer *offer) {
    const tn_entry *given = &offer->entry;
    entry->own = *given;
    entry->entry = &entry->own;
    entry->plugin = plugin;
    memcpy(entry->texts, offer->texts, sizeof entry->texts);
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
    if (entry->kind == TNI_KIND_KERNEL &&
        (!tni_name_is_valid(tni_kernel_op(entry), TNI_MAX_NAME) ||
         !tni_name_is_valid(tni_kernel_target(entry), TNI_MAX_NAME))) {
        return tni_fail(TN_CORRUPT, "op or target is not the name of one");
    }
    return TN_OK;
}

/* Puts "entry 3 (op 'relu')" in front of a failure. The names may be what failed. */
static tn_status in_entry(tn_status status, uint32_t index, const tn_entry *entry) {
    if (tni_name_is_valid(entry->kind, TNI_MAX_NAME) &&
        tni_name_is_valid(entry->name, TNI_MAX_NAME)) {
        return tni_in(status, "entry %u (%s '%s')", index, entry->kind, entry->name);
    }
    return tni_in(status, "entry %u", index);
}

static int compare_siblings(const void *a, const void *b) {
    const tni_entry *left = *(tni_entry *const *)a, *right = *(tni_entry *const *)b;
    const int by_name = strcmp(left->own.name, right->own.name);
    if (by_name != 0 || left->kind != right->kind) {
        return by_name != 0 ? by_name : left->kind < right->kind ? -1 : 1;
    }
    return left->own.version < right->own.version ? -1 : left->own.version > right->own.version;
}

/* Of several entries of one kind and name the one of the highest version is used. */
static tn_status skip_older(tni_plugin *plugin, tni_entry *older, const tni_entry *newer) {
    if (older->kind != newer->kind || strcmp(older->own.name, newer->own.name) != 0) {
        return TN_OK;
    }
    if (older->own.version == newer->own.version) {
        const uint32_t index = (uint32_t)((older > newer ? older : newer) - plugin->entries);
        return in_entry(
            tni_fail(TN_CORRUPT, "the plugin offers it twice in version %u", newer->own.version),
            index, &newer->own);
    }
    older->skipped =
        explain(plugin, "skipped: version %u of the same entry is used", newer->own.version);
    return TN_OK;
}

static tn_status check_siblings(tni_plugin *plugin) {
    tni_entry **sorted = tni_allocate(plugin->entry_count, sizeof(tni_entry *));
    uint32_t count = 0;
    if (sorted == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plugin->entry_count; i++) {
        if (plugin->entries[i].skipped == NULL) {
            sorted[count++] = &plugin->entries[i];
        }
    }
    qsort(sorted, count, sizeof sorted[0], compare_siblings);
    tn_status status = TN_OK;
    for (uint32_t i = 1; status == TN_OK && i < count; i++) {
        status = skip_older(plugin, sorted[i - 1], sorted[i]);
    }
    tni_free(sorted);
    return status;
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

tn_status tni_stage_offers(tni_plugin *plugin, const tni_offer *offers, uint32_t count,
                           uint32_t flags, char *remedy, size_t remedy_size) {
    plugin->entries = tni_arena_allocate(&plugin->arena, count, sizeof(tni_entry));
    if (plugin->entries == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plugin->entry_count = count;
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(
            in_entry(stage_offer(plugin, &plugin->entries[i], &offers[i]), i, &offers[i].entry));
    }
    TNI_TRY(check_siblings(plugin));
    for (uint32_t i = 0; i < count; i++) {
        tni_entry *entry = &plugin->entries[i];
        if (entry->skipped == NULL) {
            const tn_status status = check_clash(plugin, entry, flags, remedy, remedy_size);
            TNI_TRY(in_entry(status, i, &entry->own));
        }
    }
    return TN_OK;
}

/* The table in memory. */

static const tn_entry *entry_at(const tn_plugin *table, uint32_t index) {
    return (const tn_entry *)(const void *)((const char *)table->entries +
                                            (size_t)index * table->entry_stride);
}

static const char *text_of(const tni_kind *kind, const void *impl, uint32_t index) {
    const char *text;
    memcpy(&text, (const char *)impl + kind->texts[index], sizeof text);
    return text;
}

static bool is_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Before the impl's texts are read, its size must be known to reach that far. */
static tn_status check_impl(tni_plugin *plugin, tni_entry *entry, const void *impl) {
    const tni_kind *kind = &tni_kinds[entry->kind];
    entry->own.impl = impl;
    TNI_TRY(complete_impl(plugin, entry, kind));
    return kind->check(entry->own.impl);
}

/* The offers of a plugin whose file did not tell them. */
static tn_status stage_from_table(tni_plugin *plugin, uint32_t flags, char *remedy,
                                  size_t remedy_size) {
    const tn_plugin *table = plugin->table;
    tni_offer *offers = tni_arena_allocate(&plugin->arena, table->entry_count, sizeof *offers);
    if (offers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < table->entry_count; i++) {
        const tn_entry *given = entry_at(table, i);
        tni_entry probe = {.own = *given};
        offers[i].entry = *given;
        probe.kind = given->kind == NULL ? TNI_KIND_COUNT : tni_kind_find(given->kind);
        if (probe.kind == TNI_KIND_COUNT || tni_kinds[probe.kind].text_count == 0 ||
            given->version > tni_kinds[probe.kind].version) {
            continue;
        }
        TNI_TRY(in_entry(check_impl(plugin, &probe, given->impl), i, given));
        for (uint32_t j = 0; j < tni_kinds[probe.kind].text_count; j++) {
            offers[i].texts[j] = text_of(&tni_kinds[probe.kind], probe.own.impl, j);
        }
    }
    return tni_stage_offers(plugin, offers, table->entry_count, flags, remedy, remedy_size);
}

/* A constructor that changes the table, or a table that is made by hand, would make a liar of the
 * file. */
static tn_status check_promise(const tni_entry *entry, const tn_entry *given) {
    if (!is_same_text(entry->own.kind, given->kind) ||
        !is_same_text(entry->own.name, given->name) || entry->own.version != given->version ||
        entry->own.flags != given->flags) {
        return tni_fail(TN_CORRUPT, "file and table disagree: the file offers %s '%s'",
                        entry->own.kind, entry->own.name);
    }
    return TN_OK;
}

static tn_status implement(tni_plugin *plugin, tni_entry *entry, const tn_entry *given) {
    TNI_TRY(check_promise(entry, given));
    if (entry->kind == TNI_KIND_COUNT || given->version > tni_kinds[entry->kind].version) {
        return TN_OK;
    }
    TNI_TRY(check_impl(plugin, entry, given->impl));
    const tni_kind *kind = &tni_kinds[entry->kind];
    for (uint32_t i = 0; i < kind->text_count; i++) {
        if (!is_same_text(entry->texts[i], text_of(kind, entry->own.impl, i))) {
            return tni_fail(TN_CORRUPT, "file and table disagree: the file has '%s'",
                            entry->texts[i] == NULL ? "(null)" : entry->texts[i]);
        }
    }
    return TN_OK;
}

tn_status tni_stage_table(tni_plugin *plugin, uint32_t flags, char *remedy, size_t remedy_size) {
    const tn_plugin *table = plugin->table;
    TNI_TRY(check_table(table));
    if (plugin->entries == NULL) {
        TNI_TRY(stage_from_table(plugin, flags, remedy, remedy_size));
    }
    if (plugin->entry_count != table->entry_count) {
        return tni_fail(TN_CORRUPT, "file and table disagree: %u entries and %u",
                        plugin->entry_count, table->entry_count);
    }
    for (uint32_t i = 0; i < table->entry_count; i++) {
        const tn_entry *given = entry_at(table, i);
        TNI_TRY(in_entry(implement(plugin, &plugin->entries[i], given), i, given));
    }
    return TN_OK;
}
