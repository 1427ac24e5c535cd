/* tenon partitioner: lists the partitioners that are loaded. */
#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
};

static tn_status get(const tn_runtime *runtime, uint32_t index, cli_entry *out) {
    tn_partitioner_info info = {.struct_size = TN_PARTITIONER_INFO_SIZE};
    const tn_status status = tn_partitioner_get(runtime, index, &info);
    *out = (cli_entry){info.name,    info.plugin,       info.doc,
                       info.options, info.option_count, info.option_stride};
    return status;
}

static int run(const cli_arguments *arguments) {
    return cli_list_entries(arguments, "partitioner", tn_partitioner_count, get);
}

const cli_command cli_partitioner = {
    "partitioner",
    "list",
    "List the partitioners with their options",
    "A partitioner carves subgraphs out of a model and has an operator of its choice compute "
    "each.\n"
    "`tenon graph MODEL --partition NAME --svg FILE` draws them in colour; `tenon run` takes\n"
    "--partition, too. Every partitioner has the options min_nodes (1), the fewest nodes that make "
    "a\n"
    "subgraph, and dedup_subgraph (True), whether a value that is read twice is one input.\n\n"
    "Examples:\n"
    "  tenon partitioner list\n"
    "  tenon graph lenet-symbol.json --partition 'oplist:ops=Convolution|Activation' --svg out.svg",
    options,
    sizeof options / sizeof options[0],
    run,
};
