/* Lists of passes and partitioners, with the options that their plugins declare. */
#include <string.h>

#include "command.h"

static const tn_attribute *row_of(const cli_entry *entry, uint32_t index) {
    return (const tn_attribute *)(const void *)((const char *)entry->options +
                                                (size_t)index * entry->option_stride);
}

static const char *or_empty(const char *text) {
    return text == NULL ? "" : text;
}

static void print_entry(const cli_entry *entry) {
    const char *doc = entry->doc, *stop = strstr(doc, ". ");
    cli_print("%-22s %-12s %.*s\n", entry->name, entry->plugin,
              (int)(stop != NULL ? stop - doc + 1 : (long)strlen(doc)), doc);
    for (uint32_t i = 0; i < entry->option_count; i++) {
        const tn_attribute *row = row_of(entry, i);
        cli_print("  %-20s %-7s ", row->name, cli_attribute_type(row->type));
        cli_print(row->default_value == NULL ? "must be given" : "default %s",
                  or_empty(row->default_value));
        cli_print(row->choices != NULL ? ", one of %s" : "%s", or_empty(row->choices));
        cli_print(row->range != NULL ? ", in %s\n" : "%s\n", or_empty(row->range));
        cli_print("    %s\n", or_empty(row->doc));
    }
}

/* A member whose value is a text, or null. */
static void print_member(const char *name, const char *text) {
    cli_print(", \"%s\": ", name);
    if (text == NULL) {
        cli_print("null");
    } else {
        cli_print_json_string(cli_out, text);
    }
}

static void print_entry_json(const cli_entry *entry) {
    cli_print("{\"name\": ");
    cli_print_json_string(cli_out, entry->name);
    print_member("plugin", entry->plugin);
    print_member("doc", entry->doc);
    cli_print(", \"options\": [");
    for (uint32_t i = 0; i < entry->option_count; i++) {
        const tn_attribute *row = row_of(entry, i);
        fputs(i > 0 ? ", {\"name\": " : "{\"name\": ", cli_out);
        cli_print_json_string(cli_out, row->name);
        cli_print(", \"type\": \"%s\"", cli_attribute_type(row->type));
        print_member("default", row->default_value);
        print_member("choices", row->choices);
        print_member("range", row->range);
        print_member("doc", row->doc);
        cli_print("}");
    }
    cli_print("]}");
}

static int list(const tn_runtime *runtime, bool json, uint32_t count,
                tn_status (*get)(const tn_runtime *runtime, uint32_t index, cli_entry *out)) {
    fputs(json ? "[" : "", cli_out);
    for (uint32_t i = 0; i < count; i++) {
        cli_entry entry;
        if (get(runtime, i, &entry) != TN_OK) {
            return cli_fail();
        }
        if (json) {
            fputs(i > 0 ? ",\n " : "", cli_out);
            print_entry_json(&entry);
        } else {
            print_entry(&entry);
        }
    }
    fputs(json ? "]\n" : "", cli_out);
    return CLI_OK;
}

int cli_list_entries(const cli_arguments *arguments, const char *command,
                     uint32_t (*count)(const tn_runtime *runtime),
                     tn_status (*get)(const tn_runtime *runtime, uint32_t index, cli_entry *out)) {
    if (arguments->word_count != 1 || strcmp(arguments->words[0], "list") != 0) {
        return cli_bad_usage("%s: expected `tenon %s list`; see `tenon %s --help`", command,
                             command, command);
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const int result = list(runtime, cli_has(arguments, "--json"), count(runtime), get);
    tn_runtime_destroy(runtime);
    return result;
}
