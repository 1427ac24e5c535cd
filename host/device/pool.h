/*
 * A pool of buffers that nobody uses, kept for the next one who asks for about as much. It knows
 * buffers only as handles: whoever owns it allocates and frees.
 */
#ifndef TENON_DEVICE_POOL_H
#define TENON_DEVICE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include <tenon/api.h>

/* Sizes up to 256 bytes are one class; above, each power of two is divided into eight. */
enum { TNI_POOL_CLASSES = 1 + 54 * 8 };

typedef struct tni_pool {
    pthread_mutex_t lock;
    struct tni_pool_block *free[TNI_POOL_CLASSES]; /* stacks of buffers */
    struct tni_pool_block *unused;                 /* records without a buffer */
    uint64_t held;                                 /* bytes in the stacks */
    uint64_t limit;                                /* the most that `held` may become */
} tni_pool;

void tni_pool_init(tni_pool *pool, uint64_t limit);
/* The pool is empty already: trim it first. */
void tni_pool_finish(tni_pool *pool);

/* The size that a request of `size` bytes must be allocated with to go into the pool later; at most
 * an eighth more than `size` above 256. */
uint64_t tni_pool_round(uint64_t size);

/* A buffer of tni_pool_round(size) bytes that was given before, or NULL. */
void *tni_pool_take(tni_pool *pool, uint64_t size);

/* Gives a buffer of tni_pool_round(size) bytes to the pool. False: the pool is full, and the buffer
 * is still the caller's. */
bool tni_pool_give(tni_pool *pool, uint64_t size, void *buffer);

/* Takes every buffer out and calls `release` for each, without the lock. */
void tni_pool_trim(tni_pool *pool, void (*release)(void *context, void *buffer), void *context);

#endif
