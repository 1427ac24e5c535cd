/* Loops over a pool of threads. */
#include "cpu.h"

#include <pthreadpool.h>

/* Thread sanitizer does not see how the pool, which is not built with it, hands work over. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TELL_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(TELL_SANITIZER)
#include <sanitizer/tsan_interface.h>
#define HAND_OVER(address) __tsan_release(address)
#define TAKE_OVER(address) __tsan_acquire(address)
#else
#define HAND_OVER(address) ((void)0)
#define TAKE_OVER(address) ((void)0)
#endif

/* Ranges for each thread: enough that a thread which comes late leaves its share to the others,
 * few enough that the handing out costs nothing. */
enum { RANGES_PER_THREAD = 4 };

typedef struct loop {
    void (*body)(void *context, int64_t begin, int64_t end);
    void *context;
    pthread_t caller;
    cpu_loop_times times;
    _Atomic int64_t other_ranges;
} loop;

static void run_range(void *context, size_t begin, size_t size) {
    loop *work = context;
    TAKE_OVER(context);
    work->body(work->context, (int64_t)begin, (int64_t)(begin + size));
    if (pthread_equal(work->caller, pthread_self())) {
        work->times.own_ranges++;
        work->times.own_end = cpu_now();
    } else {
        atomic_fetch_add_explicit(&work->other_ranges, 1, memory_order_relaxed);
    }
    HAND_OVER(context);
}

/* The pool itself is made by the first loop that is worth it: starting threads takes longer than a
 * small graph. Its threads would by default look for work for some milliseconds before they sleep.
 * On cores that other programs want, that time is taken from the very threads that have the work.
 */
void cpu_parallel_init(cpu_device *device, uint32_t thread_count, int spin, int pins) {
    device->thread_count = thread_count;
    device->pins = pins;
    device->pool_flags = spin ? 0 : PTHREADPOOL_FLAG_YIELD_WORKERS;
    pthread_mutex_init(&device->pool_lock, NULL);
}

void cpu_parallel_finish(cpu_device *device) {
    if (device->pool != NULL) {
        pthreadpool_destroy(device->pool);
    }
    pthread_mutex_destroy(&device->pool_lock);
}

static void run_on_pool(cpu_device *cpu, int64_t count, int64_t size, loop *work) {
    work->times.begin = work->times.own_end = cpu_now();
    HAND_OVER(work);
    pthreadpool_parallelize_1d_tile_1d(cpu->pool, run_range, work, (size_t)count, (size_t)size,
                                       cpu->pool_flags);
    TAKE_OVER(work);
    work->times.end = cpu_now();
    work->times.other_ranges = work->other_ranges;
    cpu_gain_note(&cpu->gain, &work->times);
}

/* Makes the pool if there is none yet. Without memory for threads this one can do it, too. */
static int has_pool(cpu_device *cpu) {
    if (cpu->pool == NULL) {
        cpu->pool = pthreadpool_create(cpu->thread_count);
        if (cpu->pool != NULL && cpu->pins) {
            cpu_pin_threads(cpu->pool, cpu->thread_count);
        }
    }
    return cpu->pool != NULL;
}

/* The pool runs one loop at a time, and a loop within a loop would wait for itself. Whoever finds
 * the pool taken, from inside a body or beside it, runs its loop where it is: all threads have
 * work then anyway. */
void cpu_parallel_for(void *device, int64_t count, int64_t grain,
                      void (*body)(void *context, int64_t begin, int64_t end), void *context) {
    cpu_device *cpu = device;
    if (count <= 0) {
        return;
    }
    if (count <= grain || cpu->thread_count < 2 || pthread_mutex_trylock(&cpu->pool_lock) != 0) {
        body(context, 0, count);
        return;
    }
    if (!cpu_gain_expected(&cpu->gain, cpu_now()) || !has_pool(cpu)) {
        pthread_mutex_unlock(&cpu->pool_lock);
        body(context, 0, count);
        return;
    }
    const int64_t ranges = (int64_t)cpu->thread_count * RANGES_PER_THREAD;
    const int64_t even = count / ranges + (count % ranges != 0);
    loop work = {.body = body, .context = context, .caller = pthread_self()};
    run_on_pool(cpu, count, even > grain ? even : grain, &work);
    pthread_mutex_unlock(&cpu->pool_lock);
}

uint32_t cpu_thread_count(void *device) {
    return ((const cpu_device *)device)->thread_count;
}
