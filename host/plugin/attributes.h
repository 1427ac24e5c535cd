/*
 * Parsing of attribute texts into a plugin's struct, by its table (tenon/plugin/attribute.h).
 */
#ifndef TENON_PLUGIN_ATTRIBUTES_H
#define TENON_PLUGIN_ATTRIBUTES_H

#include <tenon/plugin/attribute.h>

#include "base/memory.h"

typedef struct tni_attribute_table {
    const tn_attribute *rows;
    uint32_t count;
    uint32_t stride; /* bytes from row to row, as the plugin knew it */
} tni_attribute_table;

/* Row `index`, whatever the stride. */
const tn_attribute *tni_attribute_row(const tni_attribute_table *table, uint32_t index);

/* NULL when the table has no such name. */
const tn_attribute *tni_attribute_find(const tni_attribute_table *table, const char *name);

/* Checks a table once, when its plugin is loaded: types known, fields inside the struct of
 * `size` bytes, defaults parse and lie in their ranges, names unique. */
tn_status tni_attribute_table_check(const tni_attribute_table *table, uint64_t size);

/* Fills the zeroed struct `out`, which is as large as its table was checked for. Lists and texts
 * come from `arena`. */
tn_status tni_attributes_parse(const tni_attribute_table *table, const tn_option *options,
                               uint32_t option_count, tni_arena *arena, void *out);

#endif
