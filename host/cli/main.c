/* tenon: finds the subcommand, parses its options, runs it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/plugin/identity.h>

#include "command.h"

static const cli_command *const commands[] = {
    &cli_run,         &cli_eval,    &cli_graph,  &cli_ops,  &cli_pass,
    &cli_partitioner, &cli_devices, &cli_plugin, &cli_call, &cli_convert};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_overview(FILE *file) {
    fprintf(file, "Usage: tenon COMMAND [ARGUMENT…]\n\n"
                  "Runs tensor graphs out of plugins: operators, kernels, devices, formats.\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(file, "\n`tenon COMMAND --help` explains a command, with examples. `tenon --version` "
                  "prints the version.\nExit codes: 0 success, 1 the task failed, 2 the command "
                  "line is not valid.\n");
}

static void print_options(const cli_option *options, int count) {
    for (int i = 0; i < count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", options[i].name, options[i].value != NULL ? " " : "",
                 options[i].value != NULL ? options[i].value : "");
        cli_print("  %-26s %s\n", left, options[i].help);
    }
}

static void print_help(const cli_command *command) {
    cli_print("Usage: tenon %s %s\n\n%s.\n\n%s\n", command->name, command->usage, command->summary,
              command->details);
    cli_print("\nOptions:\n");
    print_options(command->options, command->option_count);
    print_options(cli_common_options, cli_common_option_count);
}

static const cli_option *find_option(const cli_command *command, const char *name, size_t size) {
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (strlen(option->name) == size && strncmp(option->name, name, size) == 0) {
            return option;
        }
    }
    for (int i = 0; i < cli_common_option_count; i++) {
        const cli_option *option = &cli_common_options[i];
        if (strlen(option->name) == size && strncmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

/* Takes the option at arguments[*index], and its value from behind '=' or the next word. */
static int take_option(const cli_command *command, char **words, int count, int *index,
                       cli_arguments *arguments) {
    const char *word = words[*index];
    const char *equals = strchr(word, '=');
    const size_t size = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const cli_option *option = find_option(command, word, size);
    if (option == NULL) {
        return cli_bad_usage("%s: option %.*s is not known; see `tenon %s --help`", command->name,
                             (int)size, word, command->name);
    }
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (option->value == NULL && value != NULL) {
        return cli_bad_usage("%s: option %s takes no value", command->name, option->name);
    }
    if (option->value != NULL && value == NULL) {
        if (*index + 1 == count) {
            return cli_bad_usage("%s: option %s must be followed by %s", command->name,
                                 option->name, option->value);
        }
        value = words[++*index];
    }
    arguments->options[arguments->option_count++] = (cli_given){option->name, value};
    return CLI_OK;
}

static int parse(const cli_command *command, char **words, int count, cli_arguments *arguments) {
    bool only_words = false;
    for (int i = 0; i < count; i++) {
        if (!only_words && strcmp(words[i], "--") == 0) {
            only_words = true;
        } else if (!only_words && strcmp(words[i], "-h") == 0) {
            arguments->options[arguments->option_count++] = (cli_given){"--help", NULL};
        } else if (!only_words && strncmp(words[i], "--", 2) == 0) {
            const int result = take_option(command, words, count, &i, arguments);
            if (result != CLI_OK) {
                return result;
            }
        } else {
            arguments->words[arguments->word_count++] = words[i];
        }
    }
    return CLI_OK;
}

/* What several commands ask of their values, checked before any of them opens something. */
static int check(const cli_command *command, const cli_arguments *arguments) {
    uint64_t threads, seed;
    for (int i = 0; i < arguments->option_count; i++) {
        const cli_given *given = &arguments->options[i];
        const cli_option *option = find_option(command, given->name, strlen(given->name));
        const bool is_pair = option->value != NULL && strncmp(option->value, "NAME=", 5) == 0;
        if (is_pair && (strchr(given->value, '=') == NULL || given->value[0] == '=')) {
            return cli_bad_usage("%s %s: expected %s", given->name, given->value, option->value);
        }
    }
    const bool fits = cli_count(arguments, "--threads", CLI_MAX_THREADS, 0, &threads) &&
                      cli_seed(arguments, &seed);
    return fits ? CLI_OK : CLI_USAGE;
}

static int run(const cli_command *command, char **words, int count) {
    cli_arguments arguments = {calloc((size_t)count + 1, sizeof(char *)), 0,
                               calloc((size_t)count + 1, sizeof(cli_given)), 0};
    int result = CLI_FAILED;
    if (arguments.words == NULL || arguments.options == NULL) {
        cli_fail_with("out of memory");
    } else {
        result = parse(command, words, count, &arguments);
    }
    if (result == CLI_OK && cli_has(&arguments, "--help")) {
        print_help(command);
    } else if (result == CLI_OK) {
        result = check(command, &arguments);
        result = result == CLI_OK ? command->run(&arguments) : result;
    }
    free(arguments.words);
    free(arguments.options);
    return result;
}

/* Standard output is the command's alone: a program may read it. What plugins print there, as
 * libraries do that tell of their work, goes to standard error. */
static void keep_output(void) {
    const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file != NULL && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        cli_out = file;
    }
}

static int dispatch(int count, char **words) {
    if (count < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 ||
        strcmp(words[1], "help") == 0) {
        print_overview(cli_out);
        return CLI_OK;
    }
    if (strcmp(words[1], "--version") == 0) {
        cli_print("tenon %s, contract %d.%d\n", tn_version(), TN_CONTRACT_MAJOR, TN_CONTRACT_MINOR);
        return CLI_OK;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(words[1], commands[i]->name) == 0) {
            if (commands[i] != &cli_call) { /* a function may be called for what it prints */
                keep_output();
            }
            return run(commands[i], words + 2, count - 2);
        }
    }
    return cli_bad_usage("there is no command %s; `tenon --help` lists them", words[1]);
}

int main(int count, char **words) {
    cli_out = stdout;
    const int result = dispatch(count, words);
    const bool is_written = fflush(cli_out) == 0 && !ferror(cli_out);
    return result != CLI_OK || is_written ? result
                                          : cli_fail_with("standard output cannot be written");
}
