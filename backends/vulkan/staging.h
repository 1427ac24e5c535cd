/*
 * Staging rings: mapped memory through which a stream's copies go, taken at the head and given
 * back at the tail as batches finish. Positions only grow; the place is the position modulo the
 * capacity.
 */
#ifndef TENON_BACKENDS_VULKAN_STAGING_H
#define TENON_BACKENDS_VULKAN_STAGING_H

#include "backend.h"

typedef struct vulkan_ring {
    vulkan_buffer *buffer; /* NULL until first used */
    uint64_t capacity;
    uint64_t head;
    atomic_ullong tail;
} vulkan_ring;

/* The most that one piece of a copy takes, so that pieces overlap. */
uint64_t vulkan_ring_piece(uint64_t size);

/* A piece of `size` bytes (at most vulkan_ring_piece), for TN_MEMORY_UPLOAD or _READBACK. The
 * current batch keeps it until it is done. May submit the current batch and wait. */
tn_status vulkan_ring_take(vulkan_stream *stream, uint32_t memory, uint64_t size,
                           vulkan_buffer **out_buffer, uint64_t *out_offset);

/* The tail moves to where a batch that is finished reached. */
struct vulkan_ring_mark;
void vulkan_ring_give(vulkan_ring *ring, const struct vulkan_ring_mark *mark);

void vulkan_ring_finish(vulkan_ring *ring);

#endif
