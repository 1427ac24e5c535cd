/*
 * The C library's allocator with a fault: the allocation that is chosen fails, once. The
 * definitions in the test program take the place of the C library's for everything in the process,
 * plugins and libraries included. Not for builds with a sanitizer, which have an allocator of their
 * own.
 */
#ifndef TENON_TESTS_FAILING_MALLOC_H
#define TENON_TESTS_FAILING_MALLOC_H

#include <stdbool.h>

/* From here on the allocation number `nth` (from 0) of this thread fails; -1: none. */
void failing_malloc_arm(long nth);

/* Whether it has failed, and back to an allocator without fault. */
bool failing_malloc_disarm(void);

/* Allocations that this thread has made. */
long failing_malloc_count(void);

/* Allocations of this process that have not been freed. */
long failing_malloc_alive(void);

#endif
