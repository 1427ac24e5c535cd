#include "cpu.h"

#include <pthreadpool.h>
#include <sched.h>
#include <time.h>

enum { PATIENCE_NS = 1000000000 };

typedef struct pinning {
    atomic_uint arrived, placed;
    uint32_t thread_count;
    pthread_t caller;
    cpu_set_t allowed; /* processors that the process may use */
} pinning;

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The processor number `index` of the set, counted around. */
static size_t processor_at(const cpu_set_t *set, uint32_t index) {
    index %= (uint32_t)CPU_COUNT(set);
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, set) && index-- == 0) {
            return processor;
        }
    }
    return 0;
}

/* An item waits for the others, so that each thread has one. A thread that the system did not give
 * never comes: it is waited for no longer than a second. */
static void pin_one(void *context, size_t item) {
    pinning *work = context;
    const uint64_t begin = now_ns();
    (void)item;
    atomic_fetch_add(&work->arrived, 1);
    while (atomic_load(&work->arrived) < work->thread_count && now_ns() - begin < PATIENCE_NS) {
        sched_yield();
    }
    if (!pthread_equal(pthread_self(), work->caller)) {
        cpu_set_t one;
        CPU_ZERO(&one);
        /* The first is left to the caller, whose place is its own affair. */
        CPU_SET(processor_at(&work->allowed, 1 + atomic_fetch_add(&work->placed, 1)), &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
}

void cpu_pin_threads(struct pthreadpool *pool, uint32_t thread_count) {
    pinning work = {.thread_count = thread_count, .caller = pthread_self()};
    if (sched_getaffinity(0, sizeof work.allowed, &work.allowed) == 0) {
        pthreadpool_parallelize_1d(pool, pin_one, &work, thread_count, 0);
    }
}
