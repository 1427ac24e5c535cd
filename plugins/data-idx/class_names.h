/* The names of the classes, a line each. */
#ifndef DATA_IDX_CLASS_NAMES_H
#define DATA_IDX_CLASS_NAMES_H

#include <tenon/plugin.h>

struct class_names {
    const char **names; /* also owns the texts; NULL: there are none */
    uint32_t count;
};

tn_status class_names_read(const tn_host *host, const void *data, uint64_t size,
                           struct class_names *out_names);
void class_names_finish(const tn_host *host, struct class_names *names);

#endif
