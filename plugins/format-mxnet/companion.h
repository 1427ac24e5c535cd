/* Names of the files that belong together: PREFIX-symbol.json and PREFIX-0012.params. */
#ifndef FORMAT_MXNET_COMPANION_H
#define FORMAT_MXNET_COMPANION_H

#include <tenon/plugin.h>

/* Which parameters are meant. */
struct companion_choice {
    const char *path; /* NULL: those beside the symbol */
    int64_t epoch;    /* TN_NONE: the highest when reading, 0 when writing */
};

enum { COMPANION_PATH_SIZE = 4096 };

/* The parameters to read; an empty path when there are none and none were asked for.
 * `symbol_path` is NULL when the symbol came from memory. */
tn_status companion_find(const tn_host *host, const char *symbol_path,
                         const struct companion_choice *choice, char *out_path);

/* The parameters to write beside `symbol_path`, which must end in ".json". */
tn_status companion_name(const tn_host *host, const char *symbol_path,
                         const struct companion_choice *choice, char *out_path);

#endif
