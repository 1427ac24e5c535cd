/* tenon partitioner: lists the partitioners that are loaded; and --partition, for the commands that
 * read a model. */
#include <string.h>

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

int cli_partition(const cli_arguments *arguments, tn_graph *graph, const tn_named_type *types,
                  uint32_t type_count, FILE *diff) {
    for (int i = 0; i < arguments->option_count; i++) {
        const char *text = arguments->options[i].value;
        tn_graph *before = NULL;
        char *changes = NULL;
        if (strcmp(arguments->options[i].name, "--partition") != 0) {
            continue;
        }
        tn_status status = diff == NULL ? TN_OK : tn_graph_copy(graph, &before);
        if (status == TN_OK) {
            status = tn_graph_partition_text(graph, text, types, type_count);
        }
        if (status == TN_OK && diff != NULL) {
            status = tn_graph_diff(before, graph, &changes);
        }
        tn_graph_destroy(before);
        if (status != TN_OK) {
            return cli_fail();
        }
        if (diff != NULL) {
            fprintf(diff, "partitioner %.*s:%s\n%s", (int)strcspn(text, ":"), text,
                    changes[0] == '\0' ? " nothing to take" : "", changes);
        }
        tn_text_free(changes);
    }
    return CLI_OK;
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
