/* The classes with the highest scores, by their names. */
#ifndef TENON_CLI_LABELS_H
#define TENON_CLI_LABELS_H

#include "command.h"

#define CLI_LABEL_OPTIONS                                                                          \
    {"--top", "COUNT", "print the classes with the highest scores of each row, 5 with --labels"},  \
    {                                                                                              \
        "--labels", "FILE", "the classes' names, one a line, from class 0 on"                      \
    }

/* Whether the command line asks for classes. */
bool cli_wants_classes(const cli_arguments *arguments);

/* Prints the highest scores of an output in host memory, whose last axis is the classes; with
 * --json as an object with the name and, for each row, a list of classes. */
int cli_print_classes(const cli_arguments *arguments, const char *name, const tn_tensor *scores);

#endif
