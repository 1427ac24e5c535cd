/* tenon graph: a model as a table, or drawn. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "graph_text.h"

static const cli_option options[] = {
    {"--shape", "NAME=1,3,8,8", "the shape of an input, to infer the others from; repeatable"},
    {"--svg", "FILE", "draw it with Graphviz"},
    {"--dot", NULL, "print it in Graphviz's language"},
    {"--format", "NAME", "read the model in this format instead of the one it looks like"},
    {"--format-option", "NAME=VALUE", "an option of the format; repeatable"},
    {"--json", NULL, "print as Tenon's JSON"},
    CLI_PASS_OPTIONS,
    {"--diff", NULL, "print what each pass and partitioner changed, instead of the model"},
};

static uint64_t element_count(const tn_shape *shape) {
    uint64_t count = 1;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        count *= shape->extents[axis] < 0 ? 0 : (uint64_t)shape->extents[axis];
    }
    return count;
}

/* Elements of a parameter; 0 for what is none. */
static uint64_t parameter_size(const tn_graph *graph, uint32_t number) {
    tn_tensor_type type;
    return number != TN_NO_NODE && tn_graph_parameter(graph, number) != NULL &&
                   tn_graph_type(graph, (tn_value){number, 0}, &type) == TN_OK &&
                   type.shape.rank >= 0
               ? element_count(&type.shape)
               : 0;
}

uint64_t cli_parameter_count(const tn_graph *graph, const tn_node_info *node) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        count += parameter_size(graph, node->inputs[i].node);
    }
    return count;
}

/* The types of the --shape options; names are allocated. */
static int read_shapes(const cli_arguments *arguments, tn_named_type *types, uint32_t *out_count) {
    for (int i = 0; i < arguments->option_count; i++) {
        char *name;
        const cli_given *given = &arguments->options[i];
        if (strcmp(given->name, "--shape") != 0) {
            continue;
        }
        tn_named_type *type = &types[*out_count];
        const int result = cli_parse_named_shape(given->value, &name, &type->type.shape);
        if (result != CLI_OK) {
            return result;
        }
        type->name = name;
        (*out_count)++;
    }
    return CLI_OK;
}

/* Infers as much as the given shapes allow (what stays unknown is shown as such), and runs the
 * passes, which infer again. */
static int infer_and_change(tn_runtime *runtime, tn_graph *graph, const cli_arguments *arguments) {
    tn_named_type *types = calloc((size_t)arguments->option_count + 1, sizeof *types);
    uint32_t count = 0;
    int result =
        types == NULL ? cli_fail_with("out of memory") : read_shapes(arguments, types, &count);
    if (result == CLI_OK && tn_graph_infer(graph, types, count) != TN_OK) {
        result = cli_fail();
    }
    if (result == CLI_OK) {
        result = cli_change_graph(runtime, arguments, "0", graph, types, count,
                                  cli_has(arguments, "--diff") ? cli_out : NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)types[i].name);
    }
    free(types);
    return result;
}

void cli_print_type(FILE *file, const tn_graph *graph, tn_value value) {
    tn_tensor_type type;
    char shape[512];
    if (tn_graph_type(graph, value, &type) == TN_OK) {
        fprintf(file, "%s%s %s", cli_storage_text(type.storage),
                type.dtype == 0 ? "?" : tn_dtype_text(type.dtype),
                cli_shape_text(&type.shape, shape, sizeof shape));
    }
}

static const char *kind_text(uint32_t kind) {
    static const char *const texts[] = {"input", "parameter", "auxiliary", "training"};
    return texts[kind <= TN_VARIABLE_TRAINING ? kind : 0];
}

static void print_row(const tn_graph *graph, uint32_t number) {
    tn_node_info node = {.struct_size = TN_NODE_INFO_SIZE};
    if (tn_graph_node(graph, number, &node) != TN_OK) {
        return;
    }
    const uint32_t kind = tn_graph_variable_kind(graph, number);
    if (node.op == NULL && kind != TN_VARIABLE_INPUT) {
        return; /* counted at the nodes that use it */
    }
    const uint64_t parameters = cli_parameter_count(graph, &node);
    cli_print("%-30s %-20s %12llu  ", node.name, node.op == NULL ? kind_text(kind) : node.op,
              (unsigned long long)parameters);
    for (uint32_t i = 0; i < node.visible_output_count; i++) {
        fputs(i > 0 ? ", " : "", cli_out);
        cli_print_type(cli_out, graph, (tn_value){number, i});
    }
    fputs("\n", cli_out);
}

static int print_table(const tn_graph *graph) {
    uint32_t count, output_count;
    const uint32_t *order = tn_graph_order(graph, &count);
    uint64_t total = 0;
    if (order == NULL) {
        return cli_fail();
    }
    cli_print("%-30s %-20s %12s  %s\n", "node", "operator", "parameters", "output");
    for (uint32_t i = 0; i < count; i++) {
        print_row(graph, order[i]);
        total += parameter_size(graph, order[i]); /* once, however many nodes share it */
    }
    (void)tn_graph_outputs(graph, &output_count);
    cli_print("outputs:");
    for (uint32_t i = 0; i < output_count; i++) {
        cli_print(" %s", tn_graph_output_name(graph, i));
    }
    cli_print("\nparameters: %llu\n", (unsigned long long)total);
    return CLI_OK;
}

/* Runs `dot -Tsvg -o FILE` with its input from `input`; 0 or the system's error number. */
static int run_dot(int input, const char *path, int *out_exit) {
    char *const words[] = {(char *)(uintptr_t) "dot", (char *)(uintptr_t) "-Tsvg",
                           (char *)(uintptr_t) "-o", (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0) {
        error = posix_spawnp(&child, "dot", &actions, NULL, words, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0 && waitpid(child, out_exit, 0) < 0) {
        error = errno;
    }
    return error;
}

static int draw(const tn_runtime *runtime, const tn_graph *graph, const char *path) {
    FILE *file = tmpfile();
    if (file == NULL) {
        return cli_fail_with("a temporary file cannot be made: %s", strerror(errno));
    }
    int result = cli_print_dot(runtime, file, graph), status = 1;
    if (result == CLI_OK && fseek(file, 0, SEEK_SET) != 0) {
        result = cli_fail_with("the drawing cannot be written");
    }
    if (result == CLI_OK) {
        const int error = run_dot(fileno(file), path, &status);
        if (error != 0) {
            result = cli_fail_with("--svg needs Graphviz's program `dot`: %s", strerror(error));
        } else if (status != 0) {
            result = cli_fail_with("%s could not be drawn", path);
        }
    }
    fclose(file);
    return result;
}

static int print_json(const tn_graph *graph) {
    char *text;
    if (tn_graph_to_json(graph, &text) != TN_OK) {
        return cli_fail();
    }
    fputs(text, cli_out);
    tn_text_free(text);
    return CLI_OK;
}

static int show(tn_runtime *runtime, tn_graph *graph, const cli_arguments *arguments) {
    const int result = infer_and_change(runtime, graph, arguments);
    if (result != CLI_OK) {
        return result;
    }
    if (cli_has(arguments, "--diff") && !cli_has(arguments, "--svg")) {
        return CLI_OK;
    }
    if (cli_has(arguments, "--svg")) {
        return draw(runtime, graph, cli_value(arguments, "--svg"));
    }
    if (cli_has(arguments, "--dot")) {
        return cli_print_dot(runtime, cli_out, graph);
    }
    return cli_has(arguments, "--json") ? print_json(graph) : print_table(graph);
}

static int run(const cli_arguments *arguments) {
    if (arguments->word_count != 1) {
        return cli_bad_usage("graph: expected one model; see `tenon graph --help`");
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    int result = CLI_FAILED;
    tn_graph *graph = cli_read_model(runtime, arguments, arguments->words[0]);
    if (graph != NULL) {
        result = show(runtime, graph, arguments);
    }
    tn_graph_destroy(graph);
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_graph = {
    "graph",
    "MODEL [--shape NAME=1,3,224,224…]",
    "Show a model's nodes with types and parameter counts, draw it, or try passes on it",
    "Examples:\n"
    "  tenon graph lenet-symbol.json --shape data=1,1,28,28\n"
    "  tenon graph lenet-symbol.json --shape data=1,1,28,28 --svg lenet.svg\n"
    "  tenon graph lenet-symbol.json --pass fold-batch-norm --pass remove-dead-nodes --diff\n"
    "  tenon graph lenet-symbol.json --partition 'oplist:ops=Convolution|Activation' --svg "
    "lenet.svg",
    options,
    sizeof options / sizeof options[0],
    run,
};
