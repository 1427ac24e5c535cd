/* Files of the system: one read as a whole, one written as a whole or not at all. */
#ifndef FORMAT_MXNET_FILE_H
#define FORMAT_MXNET_FILE_H

#include <stdio.h>

#include <tenon/plugin.h>

/* `path` must live until the source is closed. */
tn_status source_open(const tn_host *host, const char *path, tn_source *out_source);
void source_close(const tn_host *host, tn_source *source);

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
