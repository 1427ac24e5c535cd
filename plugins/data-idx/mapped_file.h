/* A file of the system, mapped to be read as a whole. */
#ifndef DATA_IDX_MAPPED_FILE_H
#define DATA_IDX_MAPPED_FILE_H

#include <tenon/plugin.h>

struct mapped_file {
    const void *data;
    uint64_t size;
};

tn_status mapped_file_open(const tn_host *host, const char *path, struct mapped_file *out_file);
void mapped_file_close(struct mapped_file *file);

#endif
