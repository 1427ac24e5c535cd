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
        fputs(i > 0 ? ", " : "", cli_out);
        cli_print_json_string(cli_out, names[i]);
    }
}

static void print_kernels(const tn_runtime *runtime, const char *name) {
    for (uint32_t i = 0; i < tn_op_kernel_count(runtime, name); i++) {
        const char *kernel_name;
        const tn_kernel *kernel;
        if (tn_op_kernel(runtime, name, i, &kernel_name, &kernel) != TN_OK) {
            continue;
        }
        cli_print("  %-28s for %s, priority %d, ", kernel_name, kernel->target,
                  (int)kernel->priority);
        for (uint32_t j = 0; j < kernel->dtype_count; j++) {
            cli_print("%s%s", j > 0 ? " " : "", tn_dtype_text(kernel->dtypes[j]));
        }
        cli_print("%s\n", kernel->dtypes == NULL ? "types by its own rules" : "");
    }
}

static void describe(const tn_runtime *runtime, const char *name, const tn_op *op,
                     const char *plugin) {
    cli_print("%s  (plugin %s)\n\n%s\n\nInputs:  ", name, plugin, or_empty(op->doc));
    print_names(cli_out, op->input_names, op->input_name_count, "");
    cli_print("%s\nOutputs: ", op->flags & TN_OP_VARIADIC ? " and any number more" : "");
    print_names(cli_out, op->output_names, op->output_name_count, "");
    cli_print("\nGradient: %s\n", op->gradient != NULL ? "yes" : "no");
    if (op->attribute_count > 0) {
        cli_print("\nAttributes:\n");
    }
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const tn_attribute *row = attribute(op, i);
        cli_print("  %-18s %-7s ", row->name, cli_attribute_type(row->type));
        cli_print(row->default_value == NULL ? "must be given" : "default %s", row->default_value);
        cli_print(row->choices != NULL ? ", one of %s" : "%s", or_empty(row->choices));
        cli_print(row->range != NULL ? ", in %s\n" : "\n", row->range);
        cli_print("    %s\n", or_empty(row->doc));
    }
    cli_print("\nKernels:\n");
    print_kernels(runtime, name);
}

static void print_attribute_json(const tn_attribute *row) {
    cli_print("{\"name\": ");
    cli_print_json_string(cli_out, row->name);
    cli_print(", \"type\": \"%s\", \"default\": ", cli_attribute_type(row->type));
    if (row->default_value == NULL) {
        cli_print("null");
    } else {
        cli_print_json_string(cli_out, row->default_value);
    }
    cli_print(", \"choices\": ");
    cli_print_json_string(cli_out, or_empty(row->choices));
    cli_print(", \"range\": ");
    cli_print_json_string(cli_out, or_empty(row->range));
    cli_print(", \"doc\": ");
    cli_print_json_string(cli_out, or_empty(row->doc));
    cli_print("}");
}

static void describe_json(const tn_runtime *runtime, const char *name, const tn_op *op,
                          const char *plugin) {
    cli_print("{\"name\": ");
    cli_print_json_string(cli_out, name);
    cli_print(", \"plugin\": ");
    cli_print_json_string(cli_out, plugin);
    cli_print(", \"doc\": ");
    cli_print_json_string(cli_out, or_empty(op->doc));
    cli_print(", \"inputs\": [");
    print_json_names(op->input_names, op->input_name_count);
    cli_print("], \"outputs\": [");
    print_json_names(op->output_names, op->output_name_count);
    cli_print("], \"gradient\": %s, \"attributes\": [", op->gradient != NULL ? "true" : "false");
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        fputs(i > 0 ? ", " : "", cli_out);
        print_attribute_json(attribute(op, i));
    }
    cli_print("], \"kernels\": %u}", tn_op_kernel_count(runtime, name));
}

/* '|' ends a table's cell. */
static void print_cell(const char *text) {
    for (; *text != '\0'; text++) {
        cli_print(*text == '|' ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
    }
}

static void describe_markdown(const char *name, const tn_op *op, const char *plugin) {
    cli_print("\n## %s\n\n%s\n\nInputs: ", name, or_empty(op->doc));
    print_names(cli_out, op->input_names, op->input_name_count, "`");
    cli_print("%s. Outputs: ", op->flags & TN_OP_VARIADIC ? " and any number more" : "");
    print_names(cli_out, op->output_names, op->output_name_count, "`");
    cli_print(". Plugin: `%s`.%s\n", plugin, op->gradient != NULL ? " Has a gradient." : "");
    if (op->attribute_count == 0) {
        return;
    }
    cli_print(
        "\n| attribute | type | default | values | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const tn_attribute *row = attribute(op, i);
        cli_print("| `%s` | %s | %s | ", row->name, cli_attribute_type(row->type),
                  row->default_value == NULL ? "required" : row->default_value);
        print_cell(or_empty(row->choices));
        print_cell(or_empty(row->range));
        cli_print(" | ");
        print_cell(or_empty(row->doc));
        cli_print(" |\n");
    }
}

static void list(const tn_runtime *runtime, const cli_arguments *arguments) {
    const uint32_t count = tn_op_count(runtime);
    const bool json = cli_has(arguments, "--json"), markdown = cli_has(arguments, "--markdown");
    fputs(json ? "[" : "", cli_out);
    if (markdown) {
        cli_print(
            "# Operators\n\nMade from the operators' own tables: `tenon ops --markdown`. There "
            "are %u, aliases counted.\n",
            count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *plugin;
        const char *name = tn_op_name(runtime, i);
        const tn_op *op = tn_op_find(runtime, name, &plugin);
        if (json) {
            fputs(i > 0 ? ",\n " : "", cli_out);
            describe_json(runtime, name, op, plugin);
        } else if (markdown) {
            describe_markdown(name, op, plugin);
        } else {
            const char *doc = or_empty(op->doc);
            const char *stop = strstr(doc, ". ");
            cli_print("%-28s %-12s %.*s\n", name, plugin,
                      (int)(stop != NULL ? stop - doc + 1 : (long)strlen(doc)), doc);
        }
    }
    fputs(json ? "]\n" : "", cli_out);
}

static int describe_one(const tn_runtime *runtime, const cli_arguments *arguments) {
    const char *plugin, *name = arguments->words[0];
    const tn_op *op = tn_op_find(runtime, name, &plugin);
    if (op == NULL) {
        return cli_fail_with("no plugin offers an operator %s; `tenon ops` lists them", name);
    }
    if (cli_has(arguments, "--json")) {
        describe_json(runtime, name, op, plugin);
        cli_print("\n");
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
