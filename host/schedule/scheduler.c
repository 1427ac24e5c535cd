/* The scheduler's beginning and end, its lock, and what a fork leaves of it. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/task.h"

_Thread_local tni_current tni_current_work;

void tni_lock(tni_scheduler *scheduler) {
    pthread_mutex_lock(&scheduler->lock);
}

/* Whether there is work for a worker that sleeps; it counts as woken then. */
static bool should_wake(tni_scheduler *scheduler) {
    const uint32_t ready = atomic_load_explicit(&scheduler->ready.count, memory_order_relaxed);
    const bool should =
        ready > scheduler->spinning + scheduler->waking && scheduler->idle > scheduler->waking;
    scheduler->waking += should ? 1 : 0;
    return should;
}

/* The signal is given after the lock is free: the worker it wakes would only run into it. */
void tni_unlock(tni_scheduler *scheduler) {
    const bool wakes = should_wake(scheduler);
    pthread_mutex_unlock(&scheduler->lock);
    if (wakes) {
        pthread_cond_signal(&scheduler->work);
    }
}

void tni_leave(tni_scheduler *scheduler) {
    if (should_wake(scheduler)) {
        pthread_cond_signal(&scheduler->work);
    }
    pthread_mutex_unlock(&scheduler->lock);
}

bool tni_sleep(tni_scheduler *scheduler, pthread_cond_t *condition,
               const struct timespec *deadline) {
    if (should_wake(scheduler)) {
        pthread_cond_signal(&scheduler->work);
    }
    return (deadline != NULL ? pthread_cond_timedwait(condition, &scheduler->lock, deadline)
                             : pthread_cond_wait(condition, &scheduler->lock)) == 0;
}

/* One byte on a page that the kernel empties in a child: to ask costs a load, not a system call. */
static char *make_mark(size_t *out_size) {
    *out_size = (size_t)sysconf(_SC_PAGESIZE);
    char *mark = mmap(NULL, *out_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mark == MAP_FAILED) {
        return NULL;
    }
    if (madvise(mark, *out_size, MADV_WIPEONFORK) != 0) {
        munmap(mark, *out_size);
        return NULL;
    }
    *mark = 1;
    return mark;
}

tn_status tni_scheduler_mark(tni_scheduler *scheduler) {
    size_t size;
    char *mark = make_mark(&size);
    if (mark == NULL) {
        return tni_fail(TN_UNAVAILABLE, "scheduler: the system cannot mark a page for a fork");
    }
    atomic_store_explicit(&scheduler->mark, mark, memory_order_release);
    return TN_OK;
}

static bool is_forked(const tni_scheduler *scheduler) {
    const char *mark = atomic_load_explicit(&scheduler->mark, memory_order_acquire);
    return mark != NULL && *mark == 0;
}

tn_status tni_scheduler_check(const tni_scheduler *scheduler) {
    if (is_forked(scheduler)) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "the process was forked and the scheduler's threads stayed with its "
                        "parent: make a runtime of its own in the child");
    }
    return TN_OK;
}

static void init(tni_scheduler *scheduler, tn_runtime *runtime) {
    scheduler->runtime = runtime;
    scheduler->ending_last = &scheduler->ending;
    pthread_mutex_init(&scheduler->lock, NULL);
    pthread_cond_init(&scheduler->work, NULL);
    pthread_cond_init(&scheduler->surplus, NULL);
    pthread_cond_init(&scheduler->unbound, NULL);
    pthread_cond_init(&scheduler->left, NULL);
}

/* Ends a scheduler without threads. */
static void destroy(tni_scheduler *scheduler) {
    char *mark = atomic_load(&scheduler->mark);
    if (mark != NULL) {
        munmap(mark, (size_t)sysconf(_SC_PAGESIZE));
    }
    tni_task_error_release(scheduler->error);
    tni_task_error_release(scheduler->no_memory);
    tni_task_pool_finish(scheduler);
    pthread_cond_destroy(&scheduler->work);
    pthread_cond_destroy(&scheduler->surplus);
    pthread_cond_destroy(&scheduler->unbound);
    pthread_cond_destroy(&scheduler->left);
    pthread_mutex_destroy(&scheduler->lock);
    tni_free(scheduler->workers);
    tni_free(scheduler);
}

static tni_scheduler *create(tn_runtime *runtime) {
    tni_scheduler *scheduler = tni_allocate(1, sizeof *scheduler);
    if (scheduler == NULL) {
        return NULL;
    }
    init(scheduler, runtime);
    static const char text[] = "a task failed, and there was no memory for the reason";
    tni_task_error *error = tni_allocate(1, sizeof *error + sizeof text);
    if (error == NULL) {
        destroy(scheduler);
        return NULL;
    }
    atomic_init(&error->references, 1);
    error->status = TN_OUT_OF_MEMORY;
    memcpy(error->text, text, sizeof text);
    scheduler->no_memory = error;
    return scheduler;
}

tni_scheduler *tni_scheduler_of(tn_runtime *runtime) {
    tni_scheduler *scheduler = __atomic_load_n(&runtime->scheduler, __ATOMIC_ACQUIRE);
    if (scheduler != NULL) {
        return scheduler;
    }
    tni_scheduler *made = create(runtime);
    if (made != NULL && !__atomic_compare_exchange_n(&runtime->scheduler, &scheduler, made, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        destroy(made); /* another thread was faster */
        return scheduler;
    }
    return made;
}

/* A failure that nobody waited for should not go unseen. */
static void log_unseen(const tni_scheduler *scheduler) {
    const tni_task_error *error = scheduler->error;
    if (error != NULL && !error->is_told && error->status != TN_CANCELLED) {
        tni_log(scheduler->runtime, TN_LOG_WARNING, "tenon", "%s (%s; nobody waited for it)",
                error->text, tn_status_name(error->status));
    }
}

void tni_schedule_floor_finish(tn_runtime *runtime) {
    tni_scheduler *scheduler = runtime->scheduler;
    if (scheduler == NULL) {
        return;
    }
    if (is_forked(scheduler)) {
        runtime->scheduler = NULL;
        return; /* its lock may be held by a thread that is not here; its memory is left alone */
    }
    tni_lock(scheduler);
    scheduler->is_stopping = true;
    tni_scheduler_drain(scheduler);
    while (scheduler->visitors > 0) { /* threads that waited for what was cancelled */
        (void)tni_sleep(scheduler, &scheduler->left, NULL);
    }
    scheduler->is_over = true;
    tni_unlock(scheduler);
    tni_workers_finish(scheduler);
    tni_lanes_finish(scheduler);
    log_unseen(scheduler);
    runtime->scheduler = NULL;
    destroy(scheduler);
}
