/*
 * A candidate's file: opened once, so that what is examined is one and the same file, and known by
 * device and inode, whatever names lead to it.
 */
#ifndef TENON_PLUGIN_PLUGIN_FILE_H
#define TENON_PLUGIN_PLUGIN_FILE_H

#include <sys/stat.h>

#include <tenon/plugins.h>

#include "plugin/contract_check.h"

typedef struct tni_plugin_file {
    char *real_path; /* absolute, without symbolic links */
    int descriptor;
    struct stat status;
} tni_plugin_file;

#define TNI_PLUGIN_FILE_NONE ((tni_plugin_file){.descriptor = -1})

/* Opens the build for this processor where there is one (cpu_variant.h).
 * NOT_FOUND or IO when it cannot be opened, CORRUPT when it is no regular file. On success it must
 * be closed. */
tn_status tni_plugin_file_open(const char *path, tni_plugin_file *out_file);
/* This very file, for one that was chosen already. */
tn_status tni_plugin_file_open_exactly(const char *path, tni_plugin_file *out_file);

/* Reads no more of the file than its headers and notes. */
tn_status tni_plugin_file_identity(const tni_plugin_file *file, tn_identity *out_identity);

/* Takes TNI_PLUGIN_FILE_NONE, too. */
void tni_plugin_file_close(tni_plugin_file *file);

#endif
