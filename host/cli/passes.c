/* Passes on the command line: --optimize and --pass, for the commands that read a model. */
#include <string.h>

#include "command.h"

/* The set first, then each --pass in the order given. */
static tn_status fill(tn_pipeline *pipeline, const cli_arguments *arguments, const char *set) {
    const char *wanted = cli_value(arguments, "--optimize");
    tn_status status = tn_pipeline_add_set(pipeline, wanted != NULL ? wanted : set);
    for (int i = 0; status == TN_OK && i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, "--pass") == 0) {
            status = tn_pipeline_add(pipeline, arguments->options[i].value);
        }
    }
    return status;
}

static int run_with_diff(const tn_pipeline *pipeline, uint32_t index, tn_graph *graph,
                         const tn_named_type *types, uint32_t type_count, FILE *file) {
    tn_graph *before;
    char *text = NULL;
    if (tn_graph_copy(graph, &before) != TN_OK) {
        return cli_fail();
    }
    tn_status status = tn_pipeline_run_pass(pipeline, index, graph, types, type_count);
    if (status == TN_OK) {
        status = tn_graph_diff(before, graph, &text);
    }
    tn_graph_destroy(before);
    if (status != TN_OK) {
        return cli_fail();
    }
    fprintf(file, "pass %s:%s\n%s", tn_pipeline_name(pipeline, index),
            text[0] == '\0' ? " nothing to change" : "", text);
    tn_text_free(text);
    return CLI_OK;
}

int cli_run_passes(tn_runtime *runtime, const cli_arguments *arguments, const char *set,
                   tn_graph *graph, const tn_named_type *types, uint32_t type_count, FILE *diff) {
    tn_pipeline *pipeline;
    if (tn_pipeline_create(runtime, &pipeline) != TN_OK) {
        return cli_fail();
    }
    int result = fill(pipeline, arguments, set) == TN_OK ? CLI_OK : cli_fail();
    if (result == CLI_OK && diff == NULL &&
        tn_pipeline_run(pipeline, graph, types, type_count) != TN_OK) {
        result = cli_fail();
    }
    for (uint32_t i = 0; result == CLI_OK && diff != NULL && i < tn_pipeline_count(pipeline); i++) {
        result = run_with_diff(pipeline, i, graph, types, type_count, diff);
    }
    tn_pipeline_destroy(pipeline);
    return result == CLI_OK ? cli_partition(arguments, graph, types, type_count, diff) : result;
}
