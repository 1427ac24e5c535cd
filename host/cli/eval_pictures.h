/* tenon eval with pictures in place of a data set: what a classifier takes each of them for. */
#ifndef TENON_CLI_EVAL_PICTURES_H
#define TENON_CLI_EVAL_PICTURES_H

#include "command.h"

/* All --picture of the command line, one after the other. */
int cli_eval_pictures(const cli_arguments *arguments);

#endif
