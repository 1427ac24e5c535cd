/* tenon ops: lists the operators, or describes one (for people, as JSON, or as Markdown). */
#include <string.h>

#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON"},
    {"--markdown", NULL, "print the reference of all operators as Markdown"},
};

const char *cli_attribute_type(uint32_t type) {
    switch (type) {
    case TN_ATTRIBUTE_BOOL: return "bool";
    case TN_ATTRIBUTE_INT: return "int";
    case TN_ATTRIBUTE_FLOAT: return "float";
    case TN_ATTRIBUTE_STRING: return "text";
    case TN_ATTRIBUTE_ENUM: return "choice";
    case TN_ATTRIBUTE_DTYPE: return "dtype";
    case TN_ATTRIBUTE_INTS: return "ints";
    case TN_ATTRIBUTE_FLOATS: return "floats";
    case TN_ATTRIBUTE_REST: return "any others";
    default: return "?";
    }
}

static const tn_attribute *attribute(const tn_op *op, uint32_t index) {
    return (const tn_attribute *)(const void *)((const char *)op->attributes +
                                                (size_t)index * op->attribute_stride);
}

static const char *or_empty(const char *text) {
    return text == NULL ? "" : text;
}

static void print_names(FILE *file, const char *const *names, uint32_t count, const char *quote) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s%s%s%s", i > 0 ? ", " : "", quote, names[i], quote);
    }
}

static void print_json_names(const char *const *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        cli_print_json_string(stdout, names[i]);
    }
}

static void print_kernels(const tn_runtime *runtime, const char *name) {
    for (uint32_t i = 0; i < tn_op_kernel_count(runtime, name); i++) {
        const char *kernel_name;
        const tn_kernel *kernel;
        if (tn_op_kernel(runtime, name, i, &kernel_name, &kernel) != TN_OK) {
            continue;
        }
        printf("  %-28s for %s, priority %d, ", kernel_name, kernel->target, (int)kernel->priority);
        for (uint32_t j = 0; j < kernel->dtype_count; j++) {
            printf("%s%s", j > 0 ? " " : "", tn_dtype_text(kernel->dtypes[j]));
        }
        printf("%s\n", kernel->dtypes == NULL ? "types by its own rules" : "");
    }
}

static void describe(const tn_runtime *runtime, const char *name, const tn_op *op,
                     const char *plugin) {
    printf("%s  (plugin %s)\n\n%s\n\nInputs:  ", name, plugin, or_empty(op->doc));
    print_names(stdout, op->input_names, op->input_name_count, "");
    printf("%s\nOutputs: ", op->flags & TN_OP_VARIADIC ? " and any number more" : "");
    print_names(stdout, op->output_names, op->output_name_count, "");
    printf("\nGradient: %s\n", op->gradient != NULL ? "yes" : "no");
    if (op->attribute_count > 0) {
        printf("\nAttributes:\n");
    }
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const tn_attribute *row = attribute(op, i);
        printf("  %-18s %-7s ", row->name, cli_attribute_type(row->type));
        printf(row->default_value == NULL ? "must be given" : "default %s", row->default_value);
        printf(row->choices != NULL ? ", one of %s" : "%s", or_empty(row->choices));
        printf(row->range != NULL ? ", in %s\n" : "\n", row->range);
        printf("    %s\n", or_empty(row->doc));
    }
    printf("\nKernels:\n");
    print_kernels(runtime, name);
}

static void print_attribute_json(const tn_attribute *row) {
    printf("{\"name\": ");
    cli_print_json_string(stdout, row->name);
    printf(", \"type\": \"%s\", \"default\": ", cli_attribute_type(row->type));
    if (row->default_value == NULL) {
        printf("null");
    } else {
        cli_print_json_string(stdout, row->default_value);
    }
    printf(", \"choices\": ");
    cli_print_json_string(stdout, or_empty(row->choices));
    printf(", \"range\": ");
    cli_print_json_string(stdout, or_empty(row->range));
    printf(", \"doc\": ");
    cli_print_json_string(stdout, or_empty(row->doc));
    printf("}");
}

static void describe_json(const tn_runtime *runtime, const char *name, const tn_op *op,
                          const char *plugin) {
    printf("{\"name\": ");
    cli_print_json_string(stdout, name);
    printf(", \"plugin\": ");
    cli_print_json_string(stdout, plugin);
    printf(", \"doc\": ");
    cli_print_json_string(stdout, or_empty(op->doc));
    printf(", \"inputs\": [");
    print_json_names(op->input_names, op->input_name_count);
    printf("], \"outputs\": [");
    print_json_names(op->output_names, op->output_name_count);
    printf("], \"gradient\": %s, \"attributes\": [", op->gradient != NULL ? "true" : "false");
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_attribute_json(attribute(op, i));
    }
    printf("], \"kernels\": %u}", tn_op_kernel_count(runtime, name));
}

/* '|' ends a table's cell. */
static void print_cell(const char *text) {
    for (; *text != '\0'; text++) {
        printf(*text == '|' ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
    }
}

static void describe_markdown(const char *name, const tn_op *op, const char *plugin) {
    printf("\n## %s\n\n%s\n\nInputs: ", name, or_empty(op->doc));
    print_names(stdout, op->input_names, op->input_name_count, "`");
    printf("%s. Outputs: ", op->flags & TN_OP_VARIADIC ? " and any number more" : "");
    print_names(stdout, op->output_names, op->output_name_count, "`");
    printf(". Plugin: `%s`.%s\n", plugin, op->gradient != NULL ? " Has a gradient." : "");
    if (op->attribute_count == 0) {
        return;
    }
    printf(
        "\n| attribute | type | default | values | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const tn_attribute *row = attribute(op, i);
        printf("| `%s` | %s | %s | ", row->name, cli_attribute_type(row->type),
               row->default_value == NULL ? "required" : row->default_value);
        print_cell(or_empty(row->choices));
        print_cell(or_empty(row->range));
        printf(" | ");
        print_cell(or_empty(row->doc));
        printf(" |\n");
    }
}

static void list(const tn_runtime *runtime, const cli_arguments *arguments) {
    const uint32_t count = tn_op_count(runtime);
    const bool json = cli_has(arguments, "--json"), markdown = cli_has(arguments, "--markdown");
    fputs(json ? "[" : "", stdout);
    if (markdown) {
        printf("# Operators\n\nMade from the operators' own tables: `tenon ops --markdown`. There "
               "are %u, aliases counted.\n",
               count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *plugin;
        const char *name = tn_op_name(runtime, i);
        const tn_op *op = tn_op_find(runtime, name, &plugin);
        if (json) {
            fputs(i > 0 ? ",\n " : "", stdout);
            describe_json(runtime, name, op, plugin);
        } else if (markdown) {
            describe_markdown(name, op, plugin);
        } else {
            const char *doc = or_empty(op->doc);
            const char *stop = strstr(doc, ". ");
            printf("%-28s %-12s %.*s\n", name, plugin,
                   (int)(stop != NULL ? stop - doc + 1 : (long)strlen(doc)), doc);
        }
    }
    fputs(json ? "]\n" : "", stdout);
}

static int describe_one(const tn_runtime *runtime, const cli_arguments *arguments) {
    const char *plugin, *name = arguments->words[0];
    const tn_op *op = tn_op_find(runtime, name, &plugin);
    if (op == NULL) {
        return cli_fail_with("no plugin offers an operator %s; `tenon ops` lists them", name);
    }
    if (cli_has(arguments, "--json")) {
        describe_json(runtime, name, op, plugin);
        printf("\n");
    } else if (cli_has(arguments, "--markdown")) {
        describe_markdown(name, op, plugin);
    } else {
        describe(runtime, name, op, plugin);
    }
    return CLI_OK;
}

static int run(const cli_arguments *arguments) {
    if (arguments->word_count > 1) {
        return cli_bad_usage("ops: expected at most one operator; see `tenon ops --help`");
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    int result = CLI_OK;
    if (arguments->word_count == 1) {
        result = describe_one(runtime, arguments);
    } else {
        list(runtime, arguments);
    }
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_ops = {
    "ops",
    "[NAME]",
    "List the operators, or describe one",
    "Examples:\n"
    "  tenon ops | grep -i pool\n"
    "  tenon ops Convolution\n"
    "  tenon ops --json",
    options,
    sizeof options / sizeof options[0],
    run,
};
