/*
 * Places buffers with known lifetimes in one arena. Pure arithmetic: no memory is touched here.
 */
#ifndef TENON_RUN_MEMORY_PLAN_H
#define TENON_RUN_MEMORY_PLAN_H

#include <tenon/api.h>

enum { TNI_ARENA_ALIGNMENT = 64 };

typedef struct tni_buffer_plan {
    uint64_t size;   /* bytes; 0 takes no room */
    uint32_t first;  /* the step that first writes it */
    uint32_t last;   /* the last step that uses it, at least `first` */
    uint64_t offset; /* out */
} tni_buffer_plan;

/* Writes an offset for each buffer such that buffers alive at one step never overlap, and the size
 * of the arena. Largest first, each at the lowest place that is free for its lifetime. */
tn_status tni_memory_plan(tni_buffer_plan *buffers, uint32_t count, uint64_t *out_size);

/* The largest sum of sizes that are alive at one step: no plan can do with less. */
tn_status tni_memory_lower_bound(const tni_buffer_plan *buffers, uint32_t count,
                                 uint32_t step_count, uint64_t *out_size);

#endif
