/* Options that plugins declare, as the lists of passes and partitioners show them. */
#include <string.h>

#include "command.h"

static const tn_attribute *row_of(const cli_option_rows *rows, uint32_t index) {
    return (const tn_attribute *)(const void *)((const char *)rows->rows +
                                                (size_t)index * rows->stride);
}

static const char *or_empty(const char *text) {
    return text == NULL ? "" : text;
}

void cli_print_entry(const char *name, const char *plugin, const char *doc,
                     const cli_option_rows *rows) {
    const char *stop = strstr(doc, ". ");
    printf("%-22s %-12s %.*s\n", name, plugin,
           (int)(stop != NULL ? stop - doc + 1 : (long)strlen(doc)), doc);
    for (uint32_t i = 0; i < rows->count; i++) {
        const tn_attribute *row = row_of(rows, i);
        printf("  %-20s %-7s ", row->name, cli_attribute_type(row->type));
        printf(row->default_value == NULL ? "must be given" : "default %s",
               or_empty(row->default_value));
        printf(row->choices != NULL ? ", one of %s" : "%s", or_empty(row->choices));
        printf(row->range != NULL ? ", in %s\n" : "%s\n", or_empty(row->range));
        printf("    %s\n", or_empty(row->doc));
    }
}

/* A member whose value is a text, or null. */
static void print_member(const char *name, const char *text) {
    printf(", \"%s\": ", name);
    if (text == NULL) {
        printf("null");
    } else {
        cli_print_json_string(stdout, text);
    }
}

void cli_print_entry_json(const char *name, const char *plugin, const char *doc,
                          const cli_option_rows *rows) {
    printf("{\"name\": ");
    cli_print_json_string(stdout, name);
    print_member("plugin", plugin);
    print_member("doc", doc);
    printf(", \"options\": [");
    for (uint32_t i = 0; i < rows->count; i++) {
        const tn_attribute *row = row_of(rows, i);
        fputs(i > 0 ? ", {\"name\": " : "{\"name\": ", stdout);
        cli_print_json_string(stdout, row->name);
        printf(", \"type\": \"%s\"", cli_attribute_type(row->type));
        print_member("default", row->default_value);
        print_member("choices", row->choices);
        print_member("range", row->range);
        print_member("doc", row->doc);
        printf("}");
    }
    printf("]}");
}
