/*
 * The names of the dynamic symbols that a shared library defines, read from its file. Nothing of
 * the file is trusted, and nothing of it is run.
 */
#ifndef TENON_PLUGIN_ELF_SYMBOLS_H
#define TENON_PLUGIN_ELF_SYMBOLS_H

#include <tenon/api.h>

typedef struct tni_symbols {
    const char **names; /* in the order of strcmp */
    uint32_t count;
    char *texts; /* what the names point into */
} tni_symbols;

/* Reads the file by `descriptor`, whose identification has been looked at. CORRUPT for tables that
 * do not lie in the file. On success the symbols must be finished. */
tn_status tni_symbols_read(int descriptor, uint64_t file_size, tni_symbols *out_symbols);

/* Takes one of zeros, too. */
void tni_symbols_finish(tni_symbols *symbols);

#endif
