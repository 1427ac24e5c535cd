/*
 * The parts that every subcommand shares: declared options, parsed arguments, a runtime with the
 * plugins loaded, and failing in words.
 */
#ifndef TENON_CLI_COMMAND_H
#define TENON_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include <tenon/tenon.h>

/* What the process returns. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the task failed: the message says why */
    CLI_USAGE = 2   /* the command line is not valid */
};

typedef struct cli_option {
    const char *name;  /* "--input" */
    const char *value; /* what follows it, for the help; NULL: nothing follows */
    const char *help;
} cli_option;

/* One option as given, in the order of the command line. */
typedef struct cli_given {
    const char *name;
    const char *value; /* NULL for an option without one */
} cli_given;

typedef struct cli_arguments {
    const char **words; /* what is not an option */
    int word_count;
    cli_given *options;
    int option_count;
} cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *usage;   /* "MODEL --input NAME=FILE…" */
    const char *summary; /* one line */
    const char *details; /* paragraphs and examples, printed by --help */
    const cli_option *options;
    int option_count;
    int (*run)(const cli_arguments *arguments);
} cli_command;

extern const cli_command cli_run, cli_eval, cli_graph, cli_ops, cli_pass, cli_partitioner,
    cli_devices, cli_plugin, cli_call, cli_convert;

/* Rows for a command that can change its model before it uses it. */
#define CLI_PASS_OPTIONS                                                                           \
    {"--pass", "NAME:KEY=VALUE,…",                                                                 \
     "change the model by this pass first (`tenon pass list`); repeatable"},                       \
        {"--partition", "NAME:KEY=VALUE,…",                                                        \
         "give subgraphs to this partitioner (`tenon partitioner list`), in its turn among the "   \
         "passes; repeatable"},                                                                    \
    {                                                                                              \
        "--optimize", "0|1|2|FILE.json",                                                           \
            "passes before those: 0 none, 1 keeps every bit, 2 rounds differently, or a file's; "  \
            "unless told, run and eval take 2, after those"                                        \
    }

/* Options of every command that loads plugins; part of each help page. */
extern const cli_option cli_common_options[];
extern const int cli_common_option_count;

enum { CLI_MAX_THREADS = 1024 };

/* The value of an option: the last one given, or NULL. */
const char *cli_value(const cli_arguments *arguments, const char *name);
bool cli_has(const cli_arguments *arguments, const char *name);
/* A number from 1 to `most`; `otherwise` when the option is not given. False after a complaint. */
bool cli_count(const cli_arguments *arguments, const char *name, uint64_t most, uint64_t otherwise,
               uint64_t *out_count);

/* The number of --seed, 0 when it is not given. False after a complaint. */
bool cli_seed(const cli_arguments *arguments, uint64_t *out_seed);

/* Where a command's own output goes; see main.c. */
extern FILE *cli_out;
__attribute__((format(printf, 1, 2))) void cli_print(const char *format, ...);

/* Prints "tenon: …" on standard error and returns CLI_USAGE. */
__attribute__((format(printf, 1, 2))) int cli_bad_usage(const char *format, ...);
/* Prints "tenon: " and the library's error text; returns CLI_FAILED. */
int cli_fail(void);
/* Prints "tenon: …"; returns CLI_FAILED. */
__attribute__((format(printf, 1, 2))) int cli_fail_with(const char *format, ...);

/* A runtime with the usual plugins and those that --plugin names. NULL after a complaint. */
tn_runtime *cli_open_runtime(const cli_arguments *arguments);

/* The same, but a plugin that is refused is left to the ledger. */
tn_runtime *cli_open_runtime_tolerant(const cli_arguments *arguments);

/* Reads a model with --format and --format-option; NULL after a complaint. */
tn_graph *cli_read_model(tn_runtime *runtime, const cli_arguments *arguments, const char *path);

/* One entry of a plugin in a list: a pass, a partitioner. */
typedef struct cli_entry {
    const char *name, *plugin, *doc;
    const tn_attribute *options;
    uint32_t option_count, option_stride;
} cli_entry;

/* `tenon COMMAND list [--json]`: all entries in the order of their numbers, each with its plugin,
 * the first sentence of what it does, and its options below. */
int cli_list_entries(const cli_arguments *arguments, const char *command,
                     uint32_t (*count)(const tn_runtime *runtime),
                     tn_status (*get)(const tn_runtime *runtime, uint32_t index, cli_entry *out));

/* Runs the passes of --pass and the partitioners of --partition on the graph, in the order given,
 * after those of --optimize; where that is not given, before those of `set`. `types` are what is
 * known of its inputs. With `diff` not NULL writes there what each changed. */
int cli_change_graph(tn_runtime *runtime, const cli_arguments *arguments, const char *set,
                     tn_graph *graph, const tn_named_type *types, uint32_t type_count, FILE *diff);

/* What a table of attributes says of a row's type ("int", "choice", …). */
const char *cli_attribute_type(uint32_t type);

/* Opens the device of --device, or the CPU; NULL after a complaint. */
tn_device *cli_open_device(tn_runtime *runtime, const cli_arguments *arguments);

/* "NAME=FILE": splits at the first '='. False when there is none. `out_name` is allocated. */
bool cli_split(const char *text, char **out_name, const char **out_rest);

/* "NAME=1,3,8,8" of --shape, also "NAME=(1,3,8,8)" or "NAME=[1,3,8,8]"; "NAME=()" is a scalar.
 * `out_name` is allocated, except after a complaint. */
int cli_parse_named_shape(const char *text, char **out_name, tn_shape *out_shape);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* "(1,3,224,224)" into a buffer. */
const char *cli_shape_text(const tn_shape *shape, char *buffer, size_t size);
/* "csr ", "row_sparse "; nothing for a dense tensor. */
const char *cli_storage_text(uint32_t storage);

/* "12.3 KiB" */
const char *cli_size_text(uint64_t bytes, char *buffer, size_t size);

/* A JSON string with its quotes. */
void cli_print_json_string(FILE *file, const char *text);
/* device_json.c: one device with all that is known of it. Opens it for its limits. */
void cli_print_device_json(tn_runtime *runtime, const char *name, const tn_device_info *info);

#endif
