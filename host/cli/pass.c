/* tenon pass: lists the graph passes that are loaded. */
#include <string.h>

#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
};

static const tn_attribute *row_of(const tn_pass_info *pass, uint32_t index) {
    return (const tn_attribute *)(const void *)((const char *)pass->options +
                                                (size_t)index * pass->option_stride);
}

static const char *or_empty(const char *text) {
    return text == NULL ? "" : text;
}

static void print_pass(const tn_pass_info *pass) {
    const char *stop = strstr(pass->doc, ". ");
    printf("%-22s %-12s %.*s\n", pass->name, pass->plugin,
           (int)(stop != NULL ? stop - pass->doc + 1 : (long)strlen(pass->doc)), pass->doc);
    for (uint32_t i = 0; i < pass->option_count; i++) {
        const tn_attribute *row = row_of(pass, i);
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

static void print_pass_json(const tn_pass_info *pass) {
    printf("{\"name\": ");
    cli_print_json_string(stdout, pass->name);
    print_member("plugin", pass->plugin);
    print_member("doc", pass->doc);
    printf(", \"options\": [");
    for (uint32_t i = 0; i < pass->option_count; i++) {
        const tn_attribute *row = row_of(pass, i);
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

static int list(const tn_runtime *runtime, bool json) {
    fputs(json ? "[" : "", stdout);
    for (uint32_t i = 0; i < tn_pass_count(runtime); i++) {
        tn_pass_info pass = {.struct_size = TN_PASS_INFO_SIZE};
        if (tn_pass_get(runtime, i, &pass) != TN_OK) {
            return cli_fail();
        }
        if (json) {
            fputs(i > 0 ? ",\n " : "", stdout);
            print_pass_json(&pass);
        } else {
            print_pass(&pass);
        }
    }
    fputs(json ? "]\n" : "", stdout);
    return CLI_OK;
}

static int run(const cli_arguments *arguments) {
    if (arguments->word_count != 1 || strcmp(arguments->words[0], "list") != 0) {
        return cli_bad_usage("pass: expected `tenon pass list`; see `tenon pass --help`");
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const int result = list(runtime, cli_has(arguments, "--json"));
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_pass = {
    "pass",
    "list",
    "List the graph passes with their options",
    "A pass changes a model and leaves what it computes as it was. `tenon graph MODEL --pass NAME\n"
    "--diff` shows what one does; `tenon run`, `eval` and `convert` take --pass and --optimize.\n\n"
    "Examples:\n"
    "  tenon pass list\n"
    "  tenon graph lenet-symbol.json --pass remove-identity --pass fold-constants:limit=4096 "
    "--diff",
    options,
    sizeof options / sizeof options[0],
    run,
};
