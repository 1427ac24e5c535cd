/*
 * A sub-allocator over the numbers 0 to size: two-level segregated fit. It touches no memory of
 * what it manages; its nodes are its own. Not thread-safe.
 */
#ifndef TENON_BACKENDS_VULKAN_TLSF_H
#define TENON_BACKENDS_VULKAN_TLSF_H

#include <stdint.h>

/* Every range begins at a multiple of this and ends at one. */
enum { TLSF_GRANULE = 256 };

typedef struct tlsf tlsf;

typedef struct tlsf_node {
    uint64_t offset;
    uint64_t size;
    struct tlsf_node *before, *after;          /* neighbours by offset */
    struct tlsf_node *free_before, *free_next; /* in the list of its class, when free */
    uint32_t is_free;
} tlsf_node;

/* `size` is rounded down to granules. NULL when there is no memory for the tables. */
tlsf *tlsf_create(uint64_t size);
void tlsf_destroy(tlsf *allocator);

/* A range of at least `size` bytes whose offset is a multiple of `alignment` (a power of two), or
 * NULL. */
tlsf_node *tlsf_allocate(tlsf *allocator, uint64_t size, uint64_t alignment);
void tlsf_free(tlsf *allocator, tlsf_node *node);

uint64_t tlsf_free_bytes(const tlsf *allocator);
uint64_t tlsf_largest_free(const tlsf *allocator);
int tlsf_is_empty(const tlsf *allocator);

/* 0 unless neighbours, lists and sums agree; for tests. */
int tlsf_is_sound(const tlsf *allocator);

#endif
