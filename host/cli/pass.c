/* tenon pass: lists the graph passes that are loaded. */
#include <string.h>

#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
};

static int list(const tn_runtime *runtime, bool json) {
    fputs(json ? "[" : "", stdout);
    for (uint32_t i = 0; i < tn_pass_count(runtime); i++) {
        tn_pass_info pass = {.struct_size = TN_PASS_INFO_SIZE};
        if (tn_pass_get(runtime, i, &pass) != TN_OK) {
            return cli_fail();
        }
        const cli_option_rows rows = {pass.options, pass.option_count, pass.option_stride};
        if (json) {
            fputs(i > 0 ? ",\n " : "", stdout);
            cli_print_entry_json(pass.name, pass.plugin, pass.doc, &rows);
        } else {
            cli_print_entry(pass.name, pass.plugin, pass.doc, &rows);
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
