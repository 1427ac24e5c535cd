#include "plugin/elf_offers.h"

#include <stddef.h>

#include "base/error.h"
#include "plugin/elf_image.h"
#include "plugin/names.h"

enum { MAX_TEXT = 1024 };

static tn_status read_text_at(tni_elf_image *image, uint64_t address, tni_arena *arena,
                              const char **out_text) {
    char text[MAX_TEXT];
    TNI_TRY(tni_elf_read_text(image, address, text, sizeof text));
    *out_text = tni_arena_text(arena, text);
    return *out_text == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

/* The text to which the pointer at `address` leads; NULL for a null pointer. */
static tn_status read_text(tni_elf_image *image, uint64_t address, tni_arena *arena,
                           const char **out_text) {
    uint64_t text;
    *out_text = NULL;
    TNI_TRY(tni_elf_read_pointer(image, address, &text));
    return text == 0 ? TN_OK : read_text_at(image, text, arena, out_text);
}

static tn_status read_offer(tni_elf_image *image, uint64_t address, tni_arena *arena,
                            tni_offer *out_offer) {
    tn_entry *entry = &out_offer->entry;
    uint64_t impl;
    TNI_TRY(tni_elf_read(image, address, entry, sizeof *entry)); /* for its numbers */
    entry->impl = NULL;
    TNI_TRY(read_text(image, address + offsetof(tn_entry, kind), arena, &entry->kind));
    TNI_TRY(read_text(image, address + offsetof(tn_entry, name), arena, &entry->name));
    TNI_TRY(tni_elf_read_pointer(image, address + offsetof(tn_entry, impl), &impl));
    if (entry->kind == NULL || entry->name == NULL || impl == 0) {
        return tni_fail(TN_CORRUPT, "an entry has no kind, no name or no impl");
    }
    const uint32_t kind = tni_kind_find(entry->kind);
    for (uint32_t i = 0; kind != TNI_KIND_COUNT && i < tni_kinds[kind].text_count; i++) {
        TNI_TRY(read_text(image, impl + tni_kinds[kind].texts[i], arena, &out_offer->texts[i]));
    }
    return TN_OK;
}

static tn_status read_table(tni_elf_image *image, tni_arena *arena, tni_offer **out_offers,
                            uint32_t *out_count) {
    Elf64_Sym symbol;
    tn_plugin table;
    uint64_t entries;
    TNI_TRY(tni_elf_find_symbol(image, TN_PLUGIN_SYMBOL, &symbol));
    if (symbol.st_size < TN_STRUCT_END(tn_plugin, entry_stride)) {
        return tni_fail(TN_CORRUPT, "the symbol '%s' is not a table of a plugin", TN_PLUGIN_SYMBOL);
    }
    TNI_TRY(tni_elf_read(image, symbol.st_value, &table, TN_STRUCT_END(tn_plugin, entry_stride)));
    TNI_TRY(tni_elf_read_pointer(image, symbol.st_value + offsetof(tn_plugin, entries), &entries));
    if (entries == 0 || table.entry_count == 0 || table.entry_count > TNI_MAX_ENTRIES ||
        table.entry_stride < sizeof(tn_entry)) {
        return tni_fail(TN_CORRUPT, "the table has no entries that could be read");
    }
    tni_offer *offers = tni_arena_allocate(arena, table.entry_count, sizeof *offers);
    if (offers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < table.entry_count; i++) {
        const uint64_t address = entries + (uint64_t)i * table.entry_stride;
        TNI_TRY(tni_in(read_offer(image, address, arena, &offers[i]), "entry %u", i));
    }
    *out_offers = offers;
    *out_count = table.entry_count;
    return TN_OK;
}

tn_status tni_offers_read(int descriptor, uint64_t file_size, tni_arena *arena,
                          tni_offer **out_offers, uint32_t *out_count) {
    tni_elf_image *image = tni_allocate(1, sizeof *image); /* large for a stack */
    if (image == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = tni_elf_open(descriptor, file_size, image);
    if (status == TN_OK) {
        status = read_table(image, arena, out_offers, out_count);
    }
    tni_elf_finish(image);
    tni_free(image);
    return status;
}
