/* Tensors on the command line: from files, to files, printed. */
#ifndef TENON_CLI_TENSORS_H
#define TENON_CLI_TENSORS_H

#include "command.h"

/* Reads "FILE" (its only tensor) or "FILE#NAME"; a file that has the whole text as its name comes
 * first. NULL after a complaint. */
tn_tensor *cli_read_tensor(tn_runtime *runtime, const char *text);

/* Writes one tensor; the format follows from the name. */
int cli_write_tensor(tn_runtime *runtime, const char *path, const char *name, tn_tensor *tensor);

/* The tensor itself with one more count when it has the dtype already, else a converted copy, made
 * by the operator Cast. NULL after a complaint. */
tn_tensor *cli_cast(tn_runtime *runtime, tn_tensor *tensor, tn_dtype dtype);

/* The tensor itself with one more count when it is in host memory, else a copy that is. NULL after
 * a complaint. */
tn_tensor *cli_fetch(tn_runtime *runtime, tn_tensor *tensor);

/* A copy of that storage, made by the operator cast_storage. NULL after a complaint. */
tn_tensor *cli_cast_storage(tn_runtime *runtime, tn_tensor *tensor, uint32_t storage);

/* Element `index` of a host tensor, as a number. */
double cli_element(const tn_view *view, int64_t index);

/* "float32 (1,10) [0.1, 0.9, …]" */
void cli_print_tensor(FILE *file, const char *name, const tn_tensor *tensor);

/* {"name": …, "dtype": …, "shape": […], "data": […]} */
void cli_print_tensor_json(FILE *file, const char *name, const tn_tensor *tensor);

#endif
