/*
 * The CPU as a device: memory is the process's own, work on a stream is done when the call that
 * queued it returns, and loops run on a pool of threads.
 */
#ifndef TENON_BACKENDS_CPU_CPU_H
#define TENON_BACKENDS_CPU_CPU_H

#include <pthread.h>
#include <stdatomic.h>

#include <tenon/plugin.h>

#include "gain.h"

enum { CPU_TIME_SLOTS = 4096 };

typedef struct cpu_device {
    const tn_host *host;

    /* Accounting of allocate and free. */
    atomic_ullong allocated;
    atomic_ullong peak;
    atomic_ullong count;

    /* Loops. `pool` is NULL when one thread is all there is. */
    struct pthreadpool *pool;
    pthread_mutex_t pool_lock; /* only ever tried, never waited for */
    uint32_t thread_count;
    uint32_t pool_flags; /* PTHREADPOOL_FLAG_… */
    int pins;            /* the pool's threads stay on processors of their own */
    cpu_gain gain;       /* whoever holds the lock keeps it */
} cpu_device;

typedef struct cpu_stream {
    cpu_device *device;
    atomic_ullong last_ticket;
    uint64_t times[CPU_TIME_SLOTS]; /* nanoseconds; 0: not written */
} cpu_stream;

/* machine.c: what the system says of itself. A number that cannot be found out is 0. */
const char *cpu_machine_name(void);
uint32_t cpu_core_count(void);
void cpu_machine_memory(uint64_t *out_total, uint64_t *out_available);
void cpu_machine_uuid(uint8_t out_uuid[16]);
/* Texts are never NULL. */
const char *cpu_machine_vendor(void);
const char *cpu_machine_features(void); /* "avx2,avx512f,…" */
uint32_t cpu_machine_max_clock(void);   /* MHz */

/* memory.c */
tn_status cpu_allocate(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                       void **out_buffer);
void cpu_free(void *device, void *buffer);
tn_status cpu_map(void *device, void *buffer, void **out_address);
tn_status cpu_memory_usage(void *device, tn_memory_usage *out_usage);

/* stream.c */
tn_status cpu_create_stream(void *device, void **out_stream);
void cpu_destroy_stream(void *device, void *stream);
tn_status cpu_copy_from_host(void *stream, void *buffer, uint64_t offset, const void *source,
                             uint64_t size);
tn_status cpu_copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                           uint64_t size);
tn_status cpu_copy(void *stream, void *target, uint64_t target_offset, const void *source,
                   uint64_t source_offset, uint64_t size);
tn_status cpu_fill(void *stream, void *buffer, uint64_t offset, uint64_t size, uint32_t pattern);
tn_status cpu_submit(void *stream, uint64_t *out_ticket);
tn_status cpu_wait_stream(void *stream, void *other, uint64_t ticket);
tn_status cpu_wait(void *stream, uint64_t ticket, uint64_t timeout_ns);
tn_status cpu_write_time(void *stream, uint32_t slot);
tn_status cpu_read_time(void *stream, uint32_t slot, uint64_t *out_ns);

/* pin.c: keeps each thread of the pool but the caller's on a processor of its own, as far as the
 * process may use that many. */
void cpu_pin_threads(struct pthreadpool *pool, uint32_t thread_count);

/* parallel.c */
void cpu_parallel_init(cpu_device *device, uint32_t thread_count, int spin, int pins);
void cpu_parallel_finish(cpu_device *device);
void cpu_parallel_for(void *device, int64_t count, int64_t grain,
                      void (*body)(void *context, int64_t begin, int64_t end), void *context);
uint32_t cpu_thread_count(void *device);

#endif
