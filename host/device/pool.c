#include "device/pool.h"

#include "base/memory.h"

/* The smallest class holds up to 2^SMALL_BITS bytes. */
enum { SMALL_BITS = 8, STEPS = 8 };

typedef struct tni_pool_block {
    struct tni_pool_block *next;
    void *buffer;
} tni_pool_block;

/* Above the smallest class a size lies in (2^bits, 2^(bits + 1)], in one of STEPS steps. */
static uint32_t size_bits(uint64_t size) {
    return 63u - (uint32_t)__builtin_clzll(size - 1);
}

static uint64_t step_count(uint64_t size, uint32_t bits) {
    const uint64_t step = (1ull << bits) / STEPS;
    return (size - (1ull << bits) + step - 1) / step;
}

/* No memory is larger than this, and no request is rounded beyond it. */
static bool is_pooled(uint64_t size) {
    return size <= 1ull << 61;
}

uint64_t tni_pool_round(uint64_t size) {
    if (size <= 1u << SMALL_BITS) {
        return 1u << SMALL_BITS;
    }
    if (!is_pooled(size)) {
        return size;
    }
    const uint32_t bits = size_bits(size);
    return (1ull << bits) + step_count(size, bits) * ((1ull << bits) / STEPS);
}

static uint32_t class_of(uint64_t size) {
    if (size <= 1u << SMALL_BITS) {
        return 0;
    }
    const uint32_t bits = size_bits(size);
    return (bits - SMALL_BITS) * STEPS + (uint32_t)step_count(size, bits);
}

void tni_pool_init(tni_pool *pool, uint64_t limit) {
    *pool = (tni_pool){.limit = limit};
    pthread_mutex_init(&pool->lock, NULL);
}

void tni_pool_finish(tni_pool *pool) {
    while (pool->unused != NULL) {
        tni_pool_block *next = pool->unused->next;
        tni_free(pool->unused);
        pool->unused = next;
    }
    pthread_mutex_destroy(&pool->lock);
}

void *tni_pool_take(tni_pool *pool, uint64_t size) {
    if (!is_pooled(size)) {
        return NULL;
    }
    void *buffer = NULL;
    pthread_mutex_lock(&pool->lock);
    tni_pool_block **place = &pool->free[class_of(size)];
    tni_pool_block *block = *place;
    if (block != NULL) {
        *place = block->next;
        buffer = block->buffer;
        block->next = pool->unused;
        pool->unused = block;
        pool->held -= tni_pool_round(size);
    }
    pthread_mutex_unlock(&pool->lock);
    return buffer;
}

static tni_pool_block *take_record(tni_pool *pool) {
    tni_pool_block *block = pool->unused;
    if (block != NULL) {
        pool->unused = block->next;
        return block;
    }
    return tni_allocate(1, sizeof *block);
}

bool tni_pool_give(tni_pool *pool, uint64_t size, void *buffer) {
    if (!is_pooled(size)) {
        return false;
    }
    const uint64_t rounded = tni_pool_round(size);
    pthread_mutex_lock(&pool->lock);
    const bool fits = rounded <= pool->limit && pool->held <= pool->limit - rounded;
    tni_pool_block *block = fits ? take_record(pool) : NULL;
    if (block != NULL) {
        tni_pool_block **place = &pool->free[class_of(size)];
        *block = (tni_pool_block){*place, buffer};
        *place = block;
        pool->held += rounded;
    }
    pthread_mutex_unlock(&pool->lock);
    return block != NULL;
}

/* Moves all stacks into one list. */
static tni_pool_block *detach_all(tni_pool *pool) {
    tni_pool_block *all = NULL;
    for (uint32_t i = 0; i < TNI_POOL_CLASSES; i++) {
        while (pool->free[i] != NULL) {
            tni_pool_block *block = pool->free[i];
            pool->free[i] = block->next;
            block->next = all;
            all = block;
        }
    }
    pool->held = 0;
    return all;
}

void tni_pool_trim(tni_pool *pool, void (*release)(void *context, void *buffer), void *context) {
    pthread_mutex_lock(&pool->lock);
    tni_pool_block *all = detach_all(pool);
    pthread_mutex_unlock(&pool->lock);
    while (all != NULL) {
        tni_pool_block *next = all->next;
        release(context, all->buffer);
        tni_free(all);
        all = next;
    }
}
