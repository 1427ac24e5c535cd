#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { TENSOR_ALIGNMENT = 64, ARENA_BLOCK = 4096, FIRST_ARENA_BLOCK = 960 };

bool tni_multiply(uint64_t a, uint64_t b, uint64_t *out) {
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = product;
    return true;
}

bool tni_add(uint64_t a, uint64_t b, uint64_t *out) {
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *out = sum;
    return true;
}

void *tni_allocate(size_t count, size_t size) {
    uint64_t bytes;
    if (!tni_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        tni_fail_memory(UINT64_MAX);
        return NULL;
    }
    void *memory = calloc(1, bytes == 0 ? 1 : bytes);
    if (memory == NULL) {
        tni_fail_memory(bytes);
    }
    return memory;
}

void *tni_allocate_aligned(uint64_t size) {
    uint64_t rounded;
    if (!tni_add(size, TENSOR_ALIGNMENT - 1, &rounded) || rounded > PTRDIFF_MAX) {
        tni_fail_memory(size);
        return NULL;
    }
    rounded -= rounded % TENSOR_ALIGNMENT;
    void *memory = aligned_alloc(TENSOR_ALIGNMENT, rounded == 0 ? TENSOR_ALIGNMENT : rounded);
    if (memory == NULL) {
        tni_fail_memory(size);
    }
    return memory;
}

void tni_free(void *memory) {
    free(memory);
}

char *tni_copy_text(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = tni_allocate(size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

tn_status tni_grow(void **array, uint32_t *capacity, uint32_t needed, size_t size) {
    if (needed <= *capacity) {
        return TN_OK;
    }
    const uint32_t doubled = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    const uint32_t wanted = needed > doubled ? needed : doubled;
    const uint32_t rounded = wanted < 8 ? 8 : wanted;
    void *memory = tni_allocate(rounded, size);
    if (memory == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (*array != NULL) {
        memcpy(memory, *array, *capacity * size);
        tni_free(*array);
    }
    *array = memory;
    *capacity = rounded;
    return TN_OK;
}

struct tni_arena_block {
    struct tni_arena_block *next;
    size_t used;
    size_t size;
    alignas(16) unsigned char bytes[];
};

void *tni_arena_allocate(tni_arena *arena, size_t count, size_t size) {
    uint64_t bytes;
    if (!tni_multiply(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * ARENA_BLOCK) {
        tni_fail_memory(UINT64_MAX);
        return NULL;
    }
    bytes = (bytes + 15) & ~(uint64_t)15;
    struct tni_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < bytes) {
        /* Most arenas stay small; malloc is quickest with blocks of up to a KiB. */
        const size_t usual = arena->blocks == NULL ? FIRST_ARENA_BLOCK : ARENA_BLOCK;
        const size_t room = bytes > usual ? bytes : usual;
        block = tni_allocate(1, sizeof *block + room);
        if (block == NULL) {
            return NULL;
        }
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

char *tni_arena_text(tni_arena *arena, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = tni_arena_allocate(arena, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void tni_arena_finish(tni_arena *arena) {
    while (arena->blocks != NULL) {
        struct tni_arena_block *next = arena->blocks->next;
        tni_free(arena->blocks);
        arena->blocks = next;
    }
}
