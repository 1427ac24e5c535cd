/* Files: mapped for reading, replaced as a whole for writing. */
#ifndef TENON_BASE_FILE_H
#define TENON_BASE_FILE_H

#include <stdbool.h>

#include <tenon/api.h>

typedef struct tni_mapping {
    const void *data; /* not NULL, also for an empty file */
    uint64_t size;
    void *address; /* NULL: nothing is mapped */
} tni_mapping;

/* Maps a regular file. What is written there is private to the mapping and reaches no file. IO and
 * NOT_FOUND name the path and the system's reason. */
tn_status tni_map_file(const char *path, tni_mapping *out_mapping);
/* The two steps of it; the caller closes the descriptor, before or after the mapping ends. */
tn_status tni_open_file(const char *path, int *out_descriptor);
tn_status tni_map_descriptor(int descriptor, const char *path, tni_mapping *out_mapping);
void tni_unmap_file(tni_mapping *mapping);

/* A file being written under a temporary name beside its own. */
typedef struct tni_writer {
    char *path;
    char *temporary;
    int descriptor;
} tni_writer;

tn_status tni_writer_open(tni_writer *writer, const char *path);
tn_status tni_writer_write(tni_writer *writer, const void *data, uint64_t size);
/* Puts the file in place. */
tn_status tni_writer_commit(tni_writer *writer);
/* Ends the writer; what was not committed is removed. */
void tni_writer_finish(tni_writer *writer);

/* Whether `text` ends in one of the endings in "a,b,c". */
bool tni_ends_with_any(const char *text, const char *endings);

#endif
