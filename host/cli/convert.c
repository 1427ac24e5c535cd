/* tenon convert: models and tensor files from one format to another. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const cli_option options[] = {
    {"--tensors", NULL, "the file is a list of tensors (.params, .npz, .npy, .png), not a model"},
    {"--format", "NAME", "read the model in this format instead of the one it looks like"},
    {"--format-option", "NAME=VALUE", "an option of the format read; repeatable"},
    {"--shape", "NAME=1,3,8,8",
     "the shape of an input, for formats that must say it and models that do not; repeatable"},
    {"--to", "NAME", "write in this format instead of the one that the file's name says"},
    CLI_PASS_OPTIONS,
};

/* A file of tensors is recognised, and has no nodes that a pass could change. */
static int check_tensor_options(const cli_arguments *arguments) {
    static const char *const unfit[] = {"--format", "--format-option", "--pass", "--optimize",
                                        "--shape"};
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++) {
        if (cli_has(arguments, unfit[i])) {
            return cli_bad_usage("convert: %s %s does not apply to a file of tensors (--tensors)",
                                 unfit[i], cli_value(arguments, unfit[i]));
        }
    }
    return CLI_OK;
}

static int convert_tensors(tn_runtime *runtime, const cli_arguments *arguments) {
    tn_tensor_list *list = NULL;
    tn_status status = tn_tensor_list_read(runtime, arguments->words[0], &list);
    if (status == TN_OK) {
        status = tn_tensor_list_write(list, arguments->words[1], cli_value(arguments, "--to"));
    }
    tn_tensor_list_destroy(list);
    return status == TN_OK ? CLI_OK : cli_fail();
}

/* Declares what --shape says of inputs. */
static int declare_shapes(tn_graph *graph, const cli_arguments *arguments) {
    for (int i = 0; i < arguments->option_count; i++) {
        const cli_given *given = &arguments->options[i];
        tn_tensor_type type = {0};
        tn_shape shape;
        char *name;
        if (strcmp(given->name, "--shape") != 0) {
            continue;
        }
        int result = cli_parse_named_shape(given->value, &name, &shape);
        if (result != CLI_OK) {
            return result;
        }
        const uint32_t node = tn_graph_find_node(graph, name);
        if (node == TN_NO_NODE) {
            result = cli_bad_usage("the model has no input %s", name);
        } else {
            (void)tn_graph_type(graph, (tn_value){node, 0}, &type); /* keeps the dtype, if known */
            type.shape = shape;
            result = tn_graph_set_variable(graph, node, &type, NULL) == TN_OK ? CLI_OK : cli_fail();
        }
        free(name);
        if (result != CLI_OK) {
            return result;
        }
    }
    return CLI_OK;
}

static int convert_model(tn_runtime *runtime, const cli_arguments *arguments) {
    tn_graph *graph = cli_read_model(runtime, arguments, arguments->words[0]);
    if (graph == NULL) {
        return CLI_FAILED;
    }
    int result = declare_shapes(graph, arguments);
    if (result == CLI_OK) {
        result = cli_change_graph(runtime, arguments, "0", graph, NULL, 0, NULL);
    }
    if (result == CLI_OK && tn_graph_write(graph, arguments->words[1], cli_value(arguments, "--to"),
                                           NULL, 0) != TN_OK) {
        result = cli_fail();
    }
    tn_graph_destroy(graph);
    return result;
}

static int run(const cli_arguments *arguments) {
    if (arguments->word_count != 2) {
        return cli_bad_usage("convert: expected two files; see `tenon convert --help`");
    }
    if (cli_has(arguments, "--tensors") && check_tensor_options(arguments) != CLI_OK) {
        return CLI_USAGE;
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const int result = cli_has(arguments, "--tensors") ? convert_tensors(runtime, arguments)
                                                       : convert_model(runtime, arguments);
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_convert = {
    "convert",
    "FROM TO",
    "Convert a model, or a file of tensors, to another format",
    "A model is written with its parameters: Tenon's JSON with an .npz beside it, an MXNet\n"
    "symbol with a .params file.\n\n"
    "Examples:\n"
    "  tenon convert lenet-symbol.json lenet.json\n"
    "  tenon convert lenet.json copy-symbol.json\n"
    "  tenon convert lenet-symbol.json quick.json --optimize 2\n"
    "  tenon convert lenet-symbol.json lenet.onnx --shape data=1,1,28,28\n"
    "  tenon convert --tensors weights.params weights.npz",
    options,
    sizeof options / sizeof options[0],
    run,
};
