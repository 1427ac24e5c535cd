/* tenon plugin list | inspect | why | new */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
    {"--entries", NULL, "list: print what each plugin offers, too"},
    {"--load", NULL, "load all at once, not when wanted: shows what fails"},
    {"--no-run", NULL, "inspect: do not run a foreign library to ask what it offers"},
};

static void print_field(const char *name, const char *text, bool first) {
    cli_print("%s\"%s\": ", first ? "" : ", ", name);
    cli_print_json_string(cli_out, text);
}

static void list_entries(const tn_runtime *runtime, uint32_t index, uint32_t count, bool json) {
    for (uint32_t i = 0; i < count; i++) {
        tn_entry_info entry = {.struct_size = TN_ENTRY_INFO_SIZE};
        if (tn_plugin_entry(runtime, index, i, &entry) != TN_OK) {
            continue;
        }
        if (json) {
            cli_print("%s{\"version\": %u", i > 0 ? ", " : "", entry.version);
            print_field("kind", entry.kind, false);
            print_field("name", entry.name, false);
            print_field("state", entry.state, false);
            cli_print("}");
        } else {
            cli_print("    %-9s %-28s version %u, %s\n", entry.kind, entry.name, entry.version,
                      entry.state);
        }
    }
}

static int list(const tn_runtime *runtime, const cli_arguments *arguments) {
    const bool json = cli_has(arguments, "--json");
    fputs(json ? "[" : "", cli_out);
    for (uint32_t i = 0; i < tn_plugin_count(runtime); i++) {
        tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
        if (tn_plugin_get(runtime, i, &info) != TN_OK) {
            continue;
        }
        if (json) {
            cli_print("%s{", i > 0 ? ",\n " : "");
            print_field("name", info.name, true);
            print_field("version", info.version, false);
            print_field("state", info.is_loaded ? "loaded" : "waiting", false);
            print_field("path", info.path, false);
            cli_print(", \"entries\": [");
            list_entries(runtime, i, info.entry_count, true);
            cli_print("]}");
        } else {
            cli_print("%-16s %-8s %4u entries  %s\n", info.name, info.version, info.entry_count,
                      info.path);
            if (cli_has(arguments, "--entries")) {
                list_entries(runtime, i, info.entry_count, false);
            }
        }
    }
    fputs(json ? "]\n" : "", cli_out);
    return CLI_OK;
}

static void print_record(const tn_ledger_record *record, bool json, bool first) {
    if (json) {
        cli_print("%s{", first ? "" : ",\n ");
        print_field("path", record->path, true);
        print_field("origin", record->origin, false);
        print_field("name", record->name, false);
        print_field("version", record->version, false);
        print_field("verdict", tn_status_name(record->verdict), false);
        print_field("checks", record->checks, false);
        print_field("reason", record->reason, false);
        print_field("remedy", record->remedy, false);
        cli_print("}");
        return;
    }
    cli_print("%s\n  origin:  %s\n  plugin:  %s %s\n  checks:  %s\n  verdict: %s: %s\n",
              record->path, record->origin, record->name[0] != '\0' ? record->name : "(unknown)",
              record->version, record->checks, record->verdict == TN_OK ? "taken" : "refused",
              record->reason);
    if (record->remedy[0] != '\0') {
        cli_print("  remedy:  %s\n", record->remedy);
    }
}

/* Whether the record is about the plugin or file that the user means. */
static bool is_about(const tn_ledger_record *record, const char *name) {
    const char *slash = strrchr(record->path, '/');
    const char *file = slash == NULL ? record->path : slash + 1;
    const size_t size = strlen(name);
    return strcmp(record->name, name) == 0 || strcmp(record->path, name) == 0 ||
           strcmp(file, name) == 0 ||
           (strncmp(file, name, size) == 0 && strcmp(file + size, ".so") == 0);
}

static int why(const tn_runtime *runtime, const cli_arguments *arguments) {
    const bool json = cli_has(arguments, "--json");
    const char *name = arguments->word_count > 1 ? arguments->words[1] : NULL;
    uint32_t found = 0;
    fputs(json ? "[" : "", cli_out);
    for (uint32_t i = 0; i < tn_ledger_count(runtime); i++) {
        tn_ledger_record record = {.struct_size = TN_LEDGER_RECORD_SIZE};
        if (tn_ledger_get(runtime, i, &record) == TN_OK &&
            (name == NULL || is_about(&record, name))) {
            print_record(&record, json, found == 0);
            found++;
        }
    }
    fputs(json ? "]\n" : "", cli_out);
    if (found == 0 && name != NULL) {
        return cli_fail_with("no candidate of the name %s was met; searched: what --plugin names, "
                             "TENON_PLUGIN_PATH, and %s",
                             name, tn_plugin_installed_directory());
    }
    return CLI_OK;
}

static void print_identity_json(const tn_identity *identity) {
    cli_print("{\"contract\": \"%u.%u\", \"needs_minor\": %u", identity->contract_major,
              identity->contract_minor, identity->needs_minor);
    print_field("name", identity->name, false);
    print_field("version", identity->version, false);
    print_field("requires", identity->requires_services, false);
    print_field("optional", identity->optional_services, false);
    print_field("sanitizer", identity->sanitizer, false);
    print_field("toolchain", identity->toolchain, false);
    print_field("loader", identity->loader, false);
    print_field("description", identity->description, false);
    print_field("verdict", tn_status_name(identity->verdict), false);
    print_field("reason", identity->reason, false);
    print_field("remedy", identity->remedy, false);
}

static void print_identity(const tn_identity *identity) {
    if (identity->loader[0] != '\0') {
        cli_print("name:      %s\nkind:      %s\nloader:    %s\n", identity->name,
                  identity->description, identity->loader);
    } else if (identity->name[0] != '\0') {
        cli_print("name:      %s\nversion:   %s\ncontract:  %u.%u, needs minor %u\n"
                  "requires:  %s\noptional:  %s\nsanitizer: %s\ntoolchain: %s\n",
                  identity->name, identity->version, identity->contract_major,
                  identity->contract_minor, identity->needs_minor, identity->requires_services,
                  identity->optional_services, identity->sanitizer, identity->toolchain);
    }
    if (identity->verdict == TN_OK) {
        cli_print("verdict:   would load\n");
    } else {
        cli_print("verdict:   would be refused: %s\nremedy:    %s\n", identity->reason,
                  identity->remedy);
    }
}

/* What a foreign library offers is in its code alone, so it is loaded to be asked. */
static int print_offers(tn_runtime *runtime, const char *path, bool json) {
    const char *name;
    if (tn_plugin_load(runtime, path, 0, &name) != TN_OK) {
        return cli_fail();
    }
    for (uint32_t i = 0; i < tn_plugin_count(runtime); i++) {
        tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
        if (tn_plugin_get(runtime, i, &info) == TN_OK && strcmp(info.name, name) == 0) {
            cli_print(json ? ", \"entries\": [" : "offers:    (the library was run to be asked)\n");
            list_entries(runtime, i, info.entry_count, json);
            fputs(json ? "]" : "", cli_out);
        }
    }
    return CLI_OK;
}

static int inspect_file(tn_runtime *runtime, const char *path, const cli_arguments *arguments) {
    const bool json = cli_has(arguments, "--json");
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    if (tn_plugin_inspect(runtime, path, &identity) != TN_OK) {
        return cli_fail();
    }
    int result = identity.verdict == TN_OK ? CLI_OK : CLI_FAILED;
    if (json) {
        print_identity_json(&identity);
    } else {
        print_identity(&identity);
    }
    if (result == CLI_OK && identity.loader[0] != '\0' && !cli_has(arguments, "--no-run")) {
        result = print_offers(runtime, path, json);
    }
    fputs(json ? "}\n" : "", cli_out);
    return result;
}

static int inspect(const cli_arguments *arguments) {
    const char *path = arguments->words[1];
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    if (tn_plugin_inspect(NULL, path, &identity) != TN_OK) {
        return cli_fail();
    }
    if (identity.verdict != TN_CORRUPT) {
        return inspect_file(NULL, path, arguments);
    }
    tn_runtime *runtime = cli_open_runtime_tolerant(arguments); /* for its loaders */
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const int result = inspect_file(runtime, path, arguments);
    tn_runtime_destroy(runtime);
    return result;
}

static const char *template_directory(void) {
    const char *directory = getenv("TENON_TEMPLATE_PATH");
    return directory != NULL ? directory : TENON_TEMPLATE_DIRECTORY;
}

static bool is_identifier(const char *name) {
    const size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    const size_t all =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return letters > 0 && name[all] == '\0' && all < 64;
}

/* Copies the template with @NAME@ replaced. */
static int fill_template(FILE *from, FILE *to, const char *name) {
    char line[1024];
    while (fgets(line, sizeof line, from) != NULL) {
        const char *at = line, *mark;
        while ((mark = strstr(at, "@NAME@")) != NULL) {
            fprintf(to, "%.*s%s", (int)(mark - at), at, name);
            at = mark + 6;
        }
        fputs(at, to);
    }
    return ferror(from) || ferror(to) ? cli_fail_with("the template cannot be copied") : CLI_OK;
}

static int new_plugin(const cli_arguments *arguments) {
    char source[4096], target[128];
    if (arguments->word_count != 3 || !is_identifier(arguments->words[2])) {
        return cli_bad_usage("plugin new: expected a kind and a C identifier, as in `tenon plugin "
                             "new operator scale`");
    }
    snprintf(source, sizeof source, "%s/%s.c", template_directory(), arguments->words[1]);
    snprintf(target, sizeof target, "%s.c", arguments->words[2]);
    FILE *from = strchr(arguments->words[1], '/') == NULL ? fopen(source, "r") : NULL;
    if (from == NULL) {
        return cli_fail_with(
            "there is no template for %s: expected operator, kernel, pass, partitioner, "
            "format, dataset, function, device or loader (%s cannot be read)",
            arguments->words[1], source);
    }
    FILE *to = fopen(target, "wx"); /* never over an existing file */
    int result = CLI_FAILED;
    if (to == NULL) {
        cli_fail_with("%s cannot be created: %s", target, strerror(errno));
    } else {
        result = fill_template(from, to, arguments->words[2]);
        if (fclose(to) != 0) {
            result = cli_fail_with("%s cannot be written", target);
        }
    }
    fclose(from);
    if (result == CLI_OK) {
        cli_print("wrote %s; its first lines say how to build it\n", target);
    }
    return result;
}

static int run(const cli_arguments *arguments) {
    const char *action = arguments->word_count > 0 ? arguments->words[0] : "";
    if (strcmp(action, "inspect") == 0 && arguments->word_count == 2) {
        return inspect(arguments);
    }
    if (strcmp(action, "new") == 0) {
        return new_plugin(arguments);
    }
    const bool is_list = strcmp(action, "list") == 0 && arguments->word_count == 1;
    const bool is_why = strcmp(action, "why") == 0 && arguments->word_count <= 2;
    if (!is_list && !is_why) {
        return cli_bad_usage(
            "plugin: expected list, inspect FILE, why [NAME] or new KIND NAME; see "
            "`tenon plugin --help`");
    }
    tn_runtime *runtime =
        is_why ? cli_open_runtime_tolerant(arguments) : cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const int result = is_list ? list(runtime, arguments) : why(runtime, arguments);
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_plugin = {
    "plugin",
    "list | inspect FILE | why [NAME] | new KIND NAME",
    "List plugins, explain them, start a new one",
    "  list          the plugins that were found, and what they offer\n"
    "  inspect FILE  what a file says of itself and whether it would load, without running it; a\n"
    "                foreign library that would load is then run to be asked what it offers\n"
    "  why [NAME]    for every candidate met: where from, what was checked, the verdict, the\n"
    "                reason and the remedy\n"
    "  new KIND NAME writes NAME.c, a small working plugin; KIND is operator, kernel, pass,\n"
    "                partitioner, format, dataset, function, device or loader\n\n"
    "Examples:\n"
    "  tenon plugin list --entries\n"
    "  tenon plugin inspect ./scale.so\n"
    "  tenon plugin why scale\n"
    "  tenon plugin new operator scale",
    options,
    sizeof options / sizeof options[0],
    run,
};
