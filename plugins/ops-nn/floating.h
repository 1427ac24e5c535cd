/* Which dtypes are floating, for kernels whose inputs are not all alike. */
#ifndef OPS_NN_FLOATING_H
#define OPS_NN_FLOATING_H

#include "element.h"

static inline int is_floating_dtype(tn_dtype dtype) {
    int found = 0;
    for (uint32_t i = 0; i < FLOATING_DTYPE_COUNT; i++) {
        found = found || dtype == floating_dtypes[i];
    }
    return found;
}

/* A kernel's `supports` for operators that compute with data alone: a label is not read. */
static inline int32_t supports_floating_data(const tn_kernel_query *query) {
    return is_floating_dtype(query->inputs[0].dtype);
}

#endif
