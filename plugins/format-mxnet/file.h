/* Files of the system: one read as a whole, one written as a whole or not at all. */
#ifndef FORMAT_MXNET_FILE_H
#define FORMAT_MXNET_FILE_H

#include <stdio.h>

#include <tenon/plugin.h>

struct mapped_file {
    const void *data;
    uint64_t size;
};

tn_status mapped_file_open(const tn_host *host, const char *path, struct mapped_file *out_file);
void mapped_file_close(struct mapped_file *file);

/* Writes beside `path`, and takes its name only when all is written. */
struct output_file {
    const tn_host *host;
    const char *path;
    char *partial_path;
    FILE *stream;
    tn_byte_sink sink; /* its context is this struct, which must stay where it is */
};

tn_status output_file_open(const tn_host *host, const char *path, struct output_file *out_file);
/* With `status` of the writing so far: keeps the file when it is TN_OK, else drops it. */
tn_status output_file_close(struct output_file *file, tn_status status);

#endif
