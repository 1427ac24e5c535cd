#include "failing_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out_memory, size_t alignment, size_t size);
void free(void *memory);

static _Thread_local long countdown = -1;
static _Thread_local long allocations;
static _Thread_local bool has_failed;
static atomic_long alive;

void failing_malloc_arm(long nth) {
    countdown = nth;
    has_failed = false;
}

bool failing_malloc_disarm(void) {
    countdown = -1;
    return has_failed;
}

long failing_malloc_alive(void) {
    return atomic_load(&alive);
}

static bool must_fail(void) {
    if (countdown < 0 || countdown-- > 0) {
        return false;
    }
    has_failed = true;
    errno = ENOMEM;
    return true;
}

long failing_malloc_count(void) {
    return allocations;
}

static void *counted(void *memory) {
    if (memory != NULL) {
        atomic_fetch_add(&alive, 1);
        allocations++;
    }
    return memory;
}

void *malloc(size_t size) {
    return must_fail() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return must_fail() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size) {
    if (must_fail()) {
        return NULL;
    }
    allocations += memory != NULL;
    return memory == NULL ? counted(__libc_malloc(size)) : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return must_fail() ? NULL : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **out_memory, size_t alignment, size_t size) {
    void *memory = aligned_alloc(alignment, size);
    if (memory == NULL) {
        return ENOMEM;
    }
    *out_memory = memory;
    return 0;
}

void free(void *memory) {
    if (memory != NULL) {
        atomic_fetch_sub(&alive, 1);
    }
    __libc_free(memory);
}
