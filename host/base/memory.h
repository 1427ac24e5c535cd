/* Allocation: every size is checked for overflow first, every failure is a status with a text. */
#ifndef TENON_BASE_MEMORY_H
#define TENON_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <tenon/api.h>

/* Zeroed memory for `count` items; NULL with an error text on failure or overflow. Count or size 0
 * gives a pointer that may only be freed. */
void *tni_allocate(size_t count, size_t size);

/* Not zeroed, 64-byte aligned, for elements of tensors. */
void *tni_allocate_aligned(uint64_t size);

void tni_free(void *memory);

/* A copy of a text, NULL with an error text on failure. */
char *tni_copy_text(const char *text);

/* Makes room for at least `needed` items in the array *array of *capacity items. New items are
 * zero. */
tn_status tni_grow(void **array, uint32_t *capacity, uint32_t needed, size_t size);

/* False on overflow; *out is untouched then. */
bool tni_multiply(uint64_t a, uint64_t b, uint64_t *out);
bool tni_add(uint64_t a, uint64_t b, uint64_t *out);

/* Memory that is freed all at once: what belongs to one graph node or one plan. */
typedef struct tni_arena {
    struct tni_arena_block *blocks;
} tni_arena;

/* Zeroed, 16-byte aligned. NULL with an error text on failure. */
void *tni_arena_allocate(tni_arena *arena, size_t count, size_t size);
char *tni_arena_text(tni_arena *arena, const char *text);
void tni_arena_finish(tni_arena *arena);

#endif
