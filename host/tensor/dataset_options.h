/* "KIND:option=value,option=value", as users describe a data set. */
#ifndef TENON_TENSOR_DATASET_OPTIONS_H
#define TENON_TENSOR_DATASET_OPTIONS_H

#include <tenon/plugin/types.h>

#include "base/memory.h"

typedef struct tni_description {
    const char *kind;
    const tn_option *options;
    uint32_t option_count;
} tni_description;

/* Everything in `out` comes from `arena`. In a value "\," stands for a comma and "\\" for a
 * backslash; '=' needs no such care. */
tn_status tni_description_parse(const char *text, tni_arena *arena, tni_description *out);

#endif
