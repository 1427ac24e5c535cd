/* tenon pass: lists the graph passes that are loaded. */
#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
};

static tn_status get(const tn_runtime *runtime, uint32_t index, cli_entry *out) {
    tn_pass_info info = {.struct_size = TN_PASS_INFO_SIZE};
    const tn_status status = tn_pass_get(runtime, index, &info);
    *out = (cli_entry){info.name,    info.plugin,       info.doc,
                       info.options, info.option_count, info.option_stride};
    return status;
}

static int run(const cli_arguments *arguments) {
    return cli_list_entries(arguments, "pass", tn_pass_count, get);
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
