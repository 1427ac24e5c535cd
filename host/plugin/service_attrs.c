/*
 * The struct is the plugin's, and nothing of the host's stands behind it: so what its fields point
 * to are single blocks, found again through the table.
 */
#include "plugin/service_attrs.h"

#include <string.h>

#include "base/error.h"
#include "plugin/attributes.h"

/* Where in `out` the row's field has a pointer to memory; NULL when it has none. */
static void *pointer_place(const tn_attribute *row, void *out) {
    char *field = (char *)out + row->offset;
    switch (row->type) {
    case TN_ATTRIBUTE_STRING: return field;
    case TN_ATTRIBUTE_INTS: return field + offsetof(tn_ints, values);
    case TN_ATTRIBUTE_FLOATS: return field + offsetof(tn_floats, values);
    case TN_ATTRIBUTE_REST: return field + offsetof(tn_options, items);
    default: return NULL;
    }
}

/* The bytes behind that pointer. */
static size_t pointed_size(const tn_attribute *row, const void *out, const void *memory) {
    if (memory == NULL) {
        return 0;
    }
    if (row->type == TN_ATTRIBUTE_STRING) {
        return strlen(memory) + 1;
    }
    int64_t count; /* both kinds of list begin with it */
    memcpy(&count, (const char *)out + row->offset, sizeof count);
    return count > 0 ? (size_t)count * sizeof(int64_t) : 0;
}

static void release_field(const tn_attribute *row, void *out) {
    void *place = pointer_place(row, out);
    if (place != NULL) {
        void *memory;
        memcpy(&memory, place, sizeof memory);
        tni_free(memory);
        memset(place, 0, sizeof memory);
    }
}

/* The options and behind them their texts, in one block. NULL for none. */
static tn_status own_options(tn_options *options) {
    size_t size = 0;
    for (int64_t i = 0; i < options->count; i++) {
        size += sizeof(tn_option) + strlen(options->items[i].name) + 1 +
                strlen(options->items[i].value) + 1;
    }
    tn_option *own = size > 0 ? tni_allocate(size, 1) : NULL;
    if (own == NULL) {
        options->items = NULL;
        return size > 0 ? TN_OUT_OF_MEMORY : TN_OK;
    }
    char *text = (char *)(own + options->count);
    for (int64_t i = 0; i < options->count; i++) {
        own[i].name = text;
        text = stpcpy(text, options->items[i].name) + 1;
        own[i].value = text;
        text = stpcpy(text, options->items[i].value) + 1;
    }
    options->items = own;
    return TN_OK;
}

/* Replaces what the field points to, in an arena, by a block of its own. */
static tn_status own_field(const tn_attribute *row, void *out) {
    void *place = pointer_place(row, out);
    if (place == NULL) {
        return TN_OK;
    }
    if (row->type == TN_ATTRIBUTE_REST) {
        return own_options((void *)((char *)out + row->offset));
    }
    const void *from;
    memcpy(&from, place, sizeof from);
    const size_t size = pointed_size(row, out, from);
    void *own = size > 0 ? tni_allocate(size, 1) : NULL;
    if (own != NULL) {
        memcpy(own, from, size);
    }
    memcpy(place, &own, sizeof own);
    return own == NULL && size > 0 ? TN_OUT_OF_MEMORY : TN_OK;
}

static void attrs_release(const tn_host *host, const tn_attribute *rows, uint32_t count,
                          uint32_t stride, void *out) {
    (void)host;
    const tni_attribute_table table = {rows, count, stride};
    for (uint32_t i = 0; out != NULL && i < count; i++) {
        release_field(tni_attribute_row(&table, i), out);
    }
}

static tn_status own_fields(const tni_attribute_table *table, void *out) {
    for (uint32_t i = 0; i < table->count; i++) {
        const tn_status status = own_field(tni_attribute_row(table, i), out);
        if (status == TN_OK) {
            continue;
        }
        for (uint32_t j = 0; j < i; j++) {
            release_field(tni_attribute_row(table, j), out);
        }
        return status;
    }
    return TN_OK;
}

static tn_status check_options(const tn_option *options, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (options[i].name == NULL || options[i].value == NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "option number %u has no name or no value", i);
        }
    }
    return TN_OK;
}

static tn_status attrs_parse(const tn_host *host, const char *where, const tn_attribute *rows,
                             uint32_t count, uint32_t stride, const tn_option *options,
                             uint32_t option_count, void *out, uint64_t size) {
    (void)host;
    const tni_attribute_table table = {rows, count, stride};
    tni_arena arena = {0};
    void *parsed = NULL;
    tn_status status = tni_attribute_table_check(&table, size);
    if (status == TN_OK) {
        status = check_options(options, option_count);
    }
    if (status == TN_OK) {
        parsed = tni_allocate(1, size);
        status = parsed == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    }
    if (status == TN_OK) {
        status = tni_attributes_parse(&table, options, option_count, &arena, parsed);
    }
    if (status == TN_OK) {
        status = own_fields(&table, parsed);
    }
    if (status == TN_OK && size > 0) {
        memcpy(out, parsed, size);
    }
    tni_free(parsed);
    tni_arena_finish(&arena);
    return tni_in(status, "%s", where != NULL ? where : "options");
}

const tn_attrs_service tni_attrs_service = {.struct_size = TN_STRUCT_END(tn_attrs_service, release),
                                            .parse = attrs_parse,
                                            .release = attrs_release};
