#include "plugin/attributes.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { MAX_LIST = 65536 };

const tn_attribute *tni_attribute_row(const tni_attribute_table *table, uint32_t index) {
    return (const tn_attribute *)(const void *)((const char *)table->rows +
                                                (size_t)index * table->stride);
}

const tn_attribute *tni_attribute_find(const tni_attribute_table *table, const char *name) {
    for (uint32_t i = 0; i < table->count; i++) {
        const tn_attribute *row = tni_attribute_row(table, i);
        if (row->type != TN_ATTRIBUTE_REST && strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

/* The row that takes what no other names, or NULL. */
static const tn_attribute *find_rest(const tni_attribute_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        const tn_attribute *row = tni_attribute_row(table, i);
        if (row->type == TN_ATTRIBUTE_REST) {
            return row;
        }
    }
    return NULL;
}

static bool is_nullable(const tn_attribute *row) {
    return (row->flags & TN_ATTRIBUTE_NULLABLE) != 0 ||
           (row->default_value != NULL && strcmp(row->default_value, "None") == 0);
}

static void skip_space(const char **cursor) {
    while (isspace((unsigned char)**cursor)) {
        (*cursor)++;
    }
}

static bool at_end(const char *cursor) {
    skip_space(&cursor);
    return *cursor == '\0';
}

/* "[1,inf)": whether `value` lies in it. A malformed interval holds nothing. */
static bool in_range(const char *range, double value) {
    if (range == NULL) {
        return true;
    }
    const char *cursor = range + 1;
    double low, high;
    if ((range[0] != '[' && range[0] != '(') || !tni_read_float(&cursor, &low) ||
        *cursor++ != ',' || !tni_read_float(&cursor, &high) || (*cursor != ']' && *cursor != ')')) {
        return false;
    }
    const bool above = range[0] == '[' ? value >= low : value > low;
    const bool below = *cursor == ']' ? value <= high : value < high;
    return above && below;
}

static bool range_is_valid(const char *range) {
    if (range == NULL) {
        return true;
    }
    const char *cursor = range + 1;
    double low, high;
    return (range[0] == '[' || range[0] == '(') && tni_read_float(&cursor, &low) &&
           *cursor++ == ',' && tni_read_float(&cursor, &high) &&
           (*cursor == ']' || *cursor == ')') && cursor[1] == '\0';
}

static const char *type_text(const tn_attribute *row) {
    switch (row->type) {
    case TN_ATTRIBUTE_BOOL: return "True or False";
    case TN_ATTRIBUTE_INT: return "an integer";
    case TN_ATTRIBUTE_FLOAT: return "a number";
    case TN_ATTRIBUTE_ENUM: return "one of";
    case TN_ATTRIBUTE_DTYPE: return "an element type such as float32";
    case TN_ATTRIBUTE_INTS: return "a list of integers such as (2, 3)";
    case TN_ATTRIBUTE_FLOATS: return "a list of numbers such as (0.5, 1)";
    default: return "a text";
    }
}

static tn_status bad_value(const tn_attribute *row, const char *text) {
    char shown[81];
    const size_t size = strlen(text);
    memcpy(shown, text, size < 80 ? size : 80);
    shown[size < 80 ? size : 80] = '\0';
    const bool words = row->type == TN_ATTRIBUTE_ENUM;
    return tni_fail(TN_INVALID_ARGUMENT, "attribute %s=%s%s: expected %s%s%s%s%s%s", row->name,
                    shown, size > 80 ? "…" : "", type_text(row), words ? " " : "",
                    words ? row->choices : "", row->range != NULL ? " in " : "",
                    row->range != NULL ? row->range : "", is_nullable(row) ? ", or None" : "");
}

static bool parse_bool(const char *text, int32_t *out) {
    static const char *const yes[] = {"True", "true", "1"};
    static const char *const no[] = {"False", "false", "0"};
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(text, yes[i]) == 0) {
            *out = 1;
            return true;
        }
        if (strcmp(text, no[i]) == 0) {
            *out = 0;
            return true;
        }
    }
    return false;
}

/* The place of `text` among "max|avg|sum", or -1. */
static int32_t choice_index(const char *choices, const char *text) {
    const size_t size = strlen(text);
    int32_t index = 0;
    for (const char *word = choices; word != NULL; index++) {
        const char *bar = strchr(word, '|');
        const size_t word_size = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (word_size == size && memcmp(word, text, size) == 0) {
            return index;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static bool read_list_integer(const tn_attribute *row, const char **cursor, int64_t *out) {
    if (is_nullable(row) && strncmp(*cursor, "None", 4) == 0) {
        *cursor += 4;
        *out = TN_NONE;
        return true;
    }
    if (!tni_read_integer(cursor, out) || !in_range(row->range, (double)*out)) {
        return false;
    }
    if (**cursor == 'L') {
        (*cursor)++;
    } else if (**cursor == '.') { /* "2.0", which some writers make of an integer */
        (*cursor)++;
        while (**cursor == '0') {
            (*cursor)++;
        }
    }
    return true;
}

static bool read_element(const tn_attribute *row, const char **cursor, void *values,
                         int64_t index) {
    if (row->type == TN_ATTRIBUTE_INTS) {
        int64_t value;
        if (!read_list_integer(row, cursor, &value)) {
            return false;
        }
        if (values != NULL) {
            ((int64_t *)values)[index] = value;
        }
        return true;
    }
    double value;
    if (!tni_read_float(cursor, &value) || !in_range(row->range, value)) {
        return false;
    }
    if (values != NULL) {
        ((double *)values)[index] = value;
    }
    return true;
}

/* Reads "(2, 3)", "[2,3]", "(2,)", "()" or "2". With values NULL only counts. -1: malformed. */
static int64_t read_list(const tn_attribute *row, const char *text, void *values) {
    const char *cursor = text;
    skip_space(&cursor);
    const char close = *cursor == '(' ? ')' : *cursor == '[' ? ']' : '\0';
    if (close == '\0') {
        return read_element(row, &cursor, values, 0) && at_end(cursor) ? 1 : -1;
    }
    cursor++;
    int64_t count = 0;
    for (skip_space(&cursor); *cursor != close; skip_space(&cursor)) {
        if (count == MAX_LIST || !read_element(row, &cursor, values, count)) {
            return -1;
        }
        count++;
        skip_space(&cursor);
        if (*cursor == ',') {
            cursor++;
        } else if (*cursor != close) {
            return -1;
        }
    }
    return at_end(cursor + 1) ? count : -1;
}

static tn_status parse_list(const tn_attribute *row, const char *text, tni_arena *arena,
                            void *field) {
    const int64_t count = read_list(row, text, NULL);
    if (count < 0) {
        return bad_value(row, text);
    }
    void *values = tni_arena_allocate(arena, (size_t)count, 8);
    if (values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    read_list(row, text, values);
    if (row->type == TN_ATTRIBUTE_INTS) {
        *(tn_ints *)field = (tn_ints){count, values};
    } else {
        *(tn_floats *)field = (tn_floats){count, values};
    }
    return TN_OK;
}

static void store_none(const tn_attribute *row, void *field) {
    switch (row->type) {
    case TN_ATTRIBUTE_INT: *(int64_t *)field = TN_NONE; break;
    case TN_ATTRIBUTE_FLOAT: *(double *)field = (double)NAN; break;
    case TN_ATTRIBUTE_STRING: *(const char **)field = NULL; break;
    case TN_ATTRIBUTE_DTYPE: *(tn_dtype *)field = 0; break;
    case TN_ATTRIBUTE_INTS: *(tn_ints *)field = (tn_ints){-1, NULL}; break;
    case TN_ATTRIBUTE_FLOATS: *(tn_floats *)field = (tn_floats){-1, NULL}; break;
    default: *(int32_t *)field = -1; break;
    }
}

static tn_status parse_number(const tn_attribute *row, const char *text, void *field) {
    const char *cursor = text;
    skip_space(&cursor);
    if (row->type == TN_ATTRIBUTE_INT) {
        int64_t value;
        if (!read_list_integer(row, &cursor, &value) || !at_end(cursor)) {
            return bad_value(row, text);
        }
        *(int64_t *)field = value;
        return TN_OK;
    }
    double value;
    if (!tni_read_float(&cursor, &value) || !at_end(cursor) || !in_range(row->range, value)) {
        return bad_value(row, text);
    }
    *(double *)field = value;
    return TN_OK;
}

static tn_status parse_word(const tn_attribute *row, const char *text, tni_arena *arena,
                            void *field) {
    if (row->type == TN_ATTRIBUTE_BOOL) {
        return parse_bool(text, field) ? TN_OK : bad_value(row, text);
    }
    if (row->type == TN_ATTRIBUTE_ENUM) {
        const int32_t index = choice_index(row->choices, text);
        if (index < 0) {
            return bad_value(row, text);
        }
        *(int32_t *)field = index;
        return TN_OK;
    }
    if (row->type == TN_ATTRIBUTE_DTYPE) {
        const tn_dtype dtype = tn_dtype_from_text(text);
        if (dtype == 0) {
            return bad_value(row, text);
        }
        *(tn_dtype *)field = dtype;
        return TN_OK;
    }
    char *copy = tni_arena_text(arena, text);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *(const char **)field = copy;
    return TN_OK;
}

static tn_status parse_value(const tn_attribute *row, const char *text, tni_arena *arena,
                             void *out) {
    void *field = (char *)out + row->offset;
    /* A choice may be the word None itself; otherwise None is the absence of a value. */
    if (strcmp(text, "None") == 0 && is_nullable(row) &&
        !(row->type == TN_ATTRIBUTE_ENUM && choice_index(row->choices, text) >= 0)) {
        store_none(row, field);
        return TN_OK;
    }
    switch (row->type) {
    case TN_ATTRIBUTE_INT:
    case TN_ATTRIBUTE_FLOAT: return parse_number(row, text, field);
    case TN_ATTRIBUTE_INTS:
    case TN_ATTRIBUTE_FLOATS: return parse_list(row, text, arena, field);
    default: return parse_word(row, text, arena, field);
    }
}

static tn_status unknown_attribute(const tni_attribute_table *table, const char *name) {
    char known[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const char *word = tni_attribute_row(table, i)->name;
        const size_t size = strlen(word);
        if (used + size + 3 > sizeof known) {
            break;
        }
        memcpy(known + used, i > 0 ? ", " : "", i > 0 ? 2 : 0);
        used += i > 0 ? 2 : 0;
        memcpy(known + used, word, size + 1);
        used += size;
    }
    return tni_fail(TN_INVALID_ARGUMENT, "attribute %.80s is not known: expected %s%s", name,
                    table->count > 0 ? "one of " : "none", known);
}

static tn_status collect_rest(const tni_attribute_table *table, const tn_attribute *rest,
                              const tn_option *options, uint32_t option_count, tni_arena *arena,
                              void *out) {
    tn_option *items = tni_arena_allocate(arena, option_count, sizeof *items);
    if (items == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    int64_t count = 0;
    for (uint32_t i = 0; i < option_count; i++) {
        if (tni_attribute_find(table, options[i].name) == NULL) {
            tn_option *item = &items[count++];
            item->name = tni_arena_text(arena, options[i].name);
            item->value = tni_arena_text(arena, options[i].value);
            if (item->name == NULL || item->value == NULL) {
                return TN_OUT_OF_MEMORY;
            }
        }
    }
    *(tn_options *)(void *)((char *)out + rest->offset) = (tn_options){count, items};
    return TN_OK;
}

tn_status tni_attributes_parse(const tni_attribute_table *table, const tn_option *options,
                               uint32_t option_count, tni_arena *arena, void *out) {
    const tn_attribute *rest = find_rest(table);
    for (uint32_t i = 0; i < option_count; i++) {
        const tn_attribute *row = tni_attribute_find(table, options[i].name);
        if (row != NULL) {
            TNI_TRY(parse_value(row, options[i].value, arena, out));
        } else if (rest == NULL) {
            return unknown_attribute(table, options[i].name);
        }
    }
    if (rest != NULL) {
        TNI_TRY(collect_rest(table, rest, options, option_count, arena, out));
    }
    for (uint32_t i = 0; i < table->count; i++) {
        const tn_attribute *row = tni_attribute_row(table, i);
        bool given = row->type == TN_ATTRIBUTE_REST;
        for (uint32_t j = 0; j < option_count && !given; j++) {
            given = strcmp(options[j].name, row->name) == 0;
        }
        if (given) {
            continue;
        }
        if (row->default_value == NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "attribute %s is missing: expected %s%s%s",
                            row->name, type_text(row), row->choices != NULL ? " " : "",
                            row->choices != NULL ? row->choices : "");
        }
        TNI_TRY(parse_value(row, row->default_value, arena, out));
    }
    return TN_OK;
}

static uint64_t field_size(uint32_t type) {
    switch (type) {
    case TN_ATTRIBUTE_BOOL:
    case TN_ATTRIBUTE_ENUM: return sizeof(int32_t);
    case TN_ATTRIBUTE_DTYPE: return sizeof(tn_dtype);
    case TN_ATTRIBUTE_INT: return sizeof(int64_t);
    case TN_ATTRIBUTE_FLOAT: return sizeof(double);
    case TN_ATTRIBUTE_STRING: return sizeof(const char *);
    case TN_ATTRIBUTE_INTS: return sizeof(tn_ints);
    case TN_ATTRIBUTE_FLOATS: return sizeof(tn_floats);
    case TN_ATTRIBUTE_REST: return sizeof(tn_options);
    default: return 0;
    }
}

static tn_status check_row(const tni_attribute_table *table, uint32_t index, uint64_t size,
                           tni_arena *arena, void *scratch) {
    const tn_attribute *row = tni_attribute_row(table, index);
    if (row->name == NULL || row->name[0] == '\0') {
        return tni_fail(TN_INVALID_ARGUMENT, "attribute number %u has no name", index);
    }
    const uint64_t bytes = field_size(row->type);
    if (bytes == 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "attribute %s has type %u, which is none", row->name,
                        row->type);
    }
    if (row->offset > size || size - row->offset < bytes || row->offset % (bytes < 8 ? 4 : 8)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "attribute %s lies at offset %llu, outside its struct of %llu bytes or "
                        "not aligned",
                        row->name, (unsigned long long)row->offset, (unsigned long long)size);
    }
    if (row->type == TN_ATTRIBUTE_ENUM && (row->choices == NULL || row->choices[0] == '\0')) {
        return tni_fail(TN_INVALID_ARGUMENT, "attribute %s has no choices", row->name);
    }
    if (!range_is_valid(row->range)) {
        return tni_fail(TN_INVALID_ARGUMENT, "attribute %s has the range %s: expected \"[1,inf)\"",
                        row->name, row->range);
    }
    if (row->type == TN_ATTRIBUTE_REST) {
        return find_rest(table) == row
                   ? TN_OK
                   : tni_fail(TN_INVALID_ARGUMENT, "attribute %s is the second that takes the rest",
                              row->name);
    }
    if (tni_attribute_find(table, row->name) != row) {
        return tni_fail(TN_INVALID_ARGUMENT, "attribute %s is declared twice", row->name);
    }
    if (row->default_value != NULL) {
        TNI_TRY(tni_in(parse_value(row, row->default_value, arena, scratch), "default"));
    }
    return TN_OK;
}

tn_status tni_attribute_table_check(const tni_attribute_table *table, uint64_t size) {
    if (table->count == 0) {
        return TN_OK;
    }
    if (table->rows == NULL || table->stride < TN_STRUCT_END(tn_attribute, doc) ||
        table->count > 256 || size > 65536) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "the attribute table is malformed: %u rows of %u bytes for a struct of "
                        "%llu bytes",
                        table->count, table->stride, (unsigned long long)size);
    }
    tni_arena arena = {0};
    void *scratch = tni_allocate(1, size);
    tn_status status = scratch == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < table->count; i++) {
        status = check_row(table, i, size, &arena, scratch);
    }
    tni_free(scratch);
    tni_arena_finish(&arena);
    return status;
}
