/* Memory that a library asks for while it computes. It is kept for the next run of the same node,
 * which then allocates nothing. */
#ifndef LOADER_MXNET_SCRATCH_H
#define LOADER_MXNET_SCRATCH_H

#include <tenon/plugin/host.h>

struct scratch_block {
    void *memory;
    size_t size;
};

struct scratch {
    const tn_host *host;
    struct scratch_block *blocks; /* in the order in which they are asked for */
    uint32_t count, capacity;
    uint32_t taken;
};

/* 64-byte aligned, or NULL. Nobody else has it until scratch_reuse. */
void *scratch_take(struct scratch *scratch, size_t size);
static inline void scratch_reuse(struct scratch *scratch) {
    scratch->taken = 0;
}
void scratch_finish(struct scratch *scratch);

#endif
