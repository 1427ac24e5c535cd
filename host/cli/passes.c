/* Passes and partitioners on the command line: --optimize, --pass and --partition, for the commands
 * that read a model. */
#include <string.h>

#include "command.h"

/* The set, and behind it each --pass in the order given. */
static tn_status fill(tn_pipeline *pipeline, const cli_arguments *arguments, const char *set,
                      uint32_t *out_set_count) {
    const char *wanted = cli_value(arguments, "--optimize");
    tn_status status = tn_pipeline_add_set(pipeline, wanted != NULL ? wanted : set);
    *out_set_count = tn_pipeline_count(pipeline);
    for (int i = 0; status == TN_OK && i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, "--pass") == 0) {
            status = tn_pipeline_add(pipeline, arguments->options[i].value);
        }
    }
    return status;
}

/* One change of the graph, by pass number `index` of the pipeline, or by the partitioner that
 * `partition` names. */
typedef struct graph_change {
    const tn_pipeline *pipeline;
    uint32_t index;
    const char *partition; /* NULL: a pass */
    const tn_named_type *types;
    uint32_t type_count;
} graph_change;

static tn_status apply(const graph_change *change, tn_graph *graph) {
    return change->partition != NULL ? tn_graph_partition_text(graph, change->partition,
                                                               change->types, change->type_count)
                                     : tn_pipeline_run_pass(change->pipeline, change->index, graph,
                                                            change->types, change->type_count);
}

static void print_diff(const graph_change *change, const char *text, FILE *file) {
    if (change->partition != NULL) {
        fprintf(file, "partitioner %.*s:%s\n%s", (int)strcspn(change->partition, ":"),
                change->partition, text[0] == '\0' ? " nothing to take" : "", text);
    } else {
        fprintf(file, "pass %s:%s\n%s", tn_pipeline_name(change->pipeline, change->index),
                text[0] == '\0' ? " nothing to change" : "", text);
    }
}

static int make_change(const graph_change *change, tn_graph *graph, FILE *diff) {
    tn_graph *before = NULL;
    char *text = NULL;
    tn_status status = diff == NULL ? TN_OK : tn_graph_copy(graph, &before);
    if (status == TN_OK) {
        status = apply(change, graph);
    }
    if (status == TN_OK && diff != NULL) {
        status = tn_graph_diff(before, graph, &text);
    }
    tn_graph_destroy(before);
    if (status != TN_OK) {
        return cli_fail();
    }
    if (diff != NULL) {
        print_diff(change, text, diff);
    }
    tn_text_free(text);
    return CLI_OK;
}

/* What the user asks for, in the order given. */
static int make_given_changes(graph_change next, const cli_arguments *arguments, tn_graph *graph,
                              FILE *diff) {
    int result = CLI_OK;
    for (int i = 0; result == CLI_OK && i < arguments->option_count; i++) {
        const bool is_pass = strcmp(arguments->options[i].name, "--pass") == 0;
        if (is_pass || strcmp(arguments->options[i].name, "--partition") == 0) {
            next.partition = is_pass ? NULL : arguments->options[i].value;
            result = make_change(&next, graph, diff);
            next.index += is_pass;
        }
    }
    return result;
}

/* A set that nobody asked for runs last: before it the nodes are those that the user knows. */
static int make_changes(graph_change next, uint32_t set_count, const cli_arguments *arguments,
                        tn_graph *graph, FILE *diff) {
    const bool is_set_first = cli_value(arguments, "--optimize") != NULL;
    graph_change given = next;
    given.index = set_count;
    int result = is_set_first ? CLI_OK : make_given_changes(given, arguments, graph, diff);
    for (; result == CLI_OK && next.index < set_count; next.index++) {
        result = make_change(&next, graph, diff);
    }
    return result == CLI_OK && is_set_first ? make_given_changes(given, arguments, graph, diff)
                                            : result;
}

int cli_change_graph(tn_runtime *runtime, const cli_arguments *arguments, const char *set,
                     tn_graph *graph, const tn_named_type *types, uint32_t type_count, FILE *diff) {
    tn_pipeline *pipeline;
    uint32_t set_count;
    if (tn_pipeline_create(runtime, &pipeline) != TN_OK) {
        return cli_fail();
    }
    const int result = fill(pipeline, arguments, set, &set_count) == TN_OK
                           ? make_changes((graph_change){pipeline, 0, NULL, types, type_count},
                                          set_count, arguments, graph, diff)
                           : cli_fail();
    tn_pipeline_destroy(pipeline);
    return result;
}
