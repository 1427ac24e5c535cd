/* The workers: threads that run tasks of the host. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/task.h"

enum {
    MAX_WORKERS = 4096,
    SPINS = 200 /* looks for new work before a worker sleeps: some ten microseconds */
};

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

tn_status tni_thread_start(pthread_t *thread, void *(*main)(void *context), void *context,
                           const char *name) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread inherits it */
    const int failed = pthread_create(thread, NULL, main, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        return tni_fail(TN_UNAVAILABLE, "no thread could be had (error %d)", failed);
    }
    pthread_setname_np(*thread, name);
    return TN_OK;
}

void tni_task_release_context(tni_task *task) {
    if (task->release == NULL) {
        return;
    }
    tni_unlock(task->scheduler);
    task->release(task->context);
    tni_lock(task->scheduler);
}

/* Keeps the first failure for tn_task_wait_all. [locked] */
static void note_error(tni_scheduler *scheduler, tni_task_error *error) {
    if (scheduler->error == NULL || scheduler->error->is_told) {
        tni_task_error_release(scheduler->error);
        scheduler->error = tni_task_error_retain(error);
    }
}

void tni_task_fail(tni_task *task, tni_task_error *error) {
    if (error == NULL) {
        return;
    }
    note_error(task->scheduler, error);
    if (task->error == NULL) {
        task->error = error;
    } else {
        tni_task_error_release(error);
    }
}

bool tni_task_is_void(tni_task *task) {
    if (task->error == NULL && task->scheduler->is_stopping) {
        tni_task_fail(task, tni_task_error_make(task->scheduler, task, TN_CANCELLED,
                                                "cancelled: the runtime is being destroyed"));
    }
    return task->error != NULL;
}

static void run(tni_task *task) {
    tni_unlock(task->scheduler);
    tni_error_clear();
    const tn_status status = tni_plugin_status(task->body.run(task->context));
    tni_task_error *error =
        status != TN_OK ? tni_task_error_make(task->scheduler, task, status, NULL) : NULL;
    if (task->release != NULL) {
        task->release(task->context);
    }
    tni_lock(task->scheduler);
    tni_task_fail(task, error);
    tni_task_end(task);
}

/* The task may be over, and its record be another's, before the function returns. */
static void start(tni_task *task) {
    tni_scheduler *scheduler = task->scheduler;
    void (*const function)(void *, tn_completion *) = task->body.start;
    void *context = task->context;
    tni_unlock(scheduler);
    function(context, task);
    tni_lock(scheduler);
}

void tni_task_do(tni_task *task) {
    if (tni_task_is_void(task)) {
        task->state = TNI_STATE_DONE;
        tni_task_release_context(task);
        tni_task_end(task);
        return;
    }
    task->state = TNI_STATE_BEGUN;
    tni_current_work.task = task;
    tni_current_work.sequence = task->sequence;
    tni_current_work.pusher = task->pusher;
    if (task->kind == TNI_TASK_RUN) {
        run(task);
    } else {
        start(task);
    }
    tni_current_work.task = NULL;
}

tn_status tn_task_complete(tn_completion *completion, tn_status status, const char *message) {
    if (completion == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "complete: the completion is NULL");
    }
    tni_scheduler *scheduler = completion->scheduler;
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "complete"));
    tni_lock(scheduler);
    const bool is_open = completion->kind == TNI_TASK_START && completion->state == TNI_STATE_BEGUN;
    if (is_open) {
        completion->state = TNI_STATE_DONE;
    }
    tni_unlock(scheduler);
    if (!is_open) {
        return tni_fail(TN_FAILED_PRECONDITION, "complete: the task is complete already");
    }
    tni_task_error *error = NULL;
    if (status != TN_OK) {
        tni_error_clear();
        status = tni_plugin_status(status);
        error = tni_task_error_make(scheduler, completion, status,
                                    message != NULL ? message : tn_status_sentence(status));
    }
    tni_lock(scheduler);
    tni_task_fail(completion, error);
    tni_task_release_context(completion);
    tni_task_end(completion);
    tni_leave(scheduler);
    return TN_OK;
}

/* [locked, and again at return] Looks about for a moment, then sleeps. */
static void rest(tni_scheduler *scheduler) {
    if (scheduler->spinning == 0) {
        scheduler->spinning++;
        tni_unlock(scheduler);
        for (int i = 0; i < SPINS; i++) {
            if (atomic_load_explicit(&scheduler->ready.count, memory_order_relaxed) != 0) {
                break;
            }
            pause_briefly();
        }
        tni_lock(scheduler);
        scheduler->spinning--;
        if (atomic_load_explicit(&scheduler->ready.count, memory_order_relaxed) != 0 ||
            scheduler->is_over) {
            return;
        }
    }
    scheduler->idle++;
    (void)tni_sleep(scheduler, &scheduler->work, NULL);
    scheduler->idle--;
    scheduler->waking -= scheduler->waking > 0 ? 1 : 0;
}

/* Workers that may run now. */
static uint32_t running(const tni_scheduler *scheduler) {
    return scheduler->worker_count - scheduler->blocked - scheduler->surplus_count;
}

static void park(tni_scheduler *scheduler) {
    scheduler->surplus_count++;
    (void)tni_sleep(scheduler, &scheduler->surplus, NULL);
    scheduler->surplus_count--;
}

static void *work(void *context) {
    tni_scheduler *scheduler = context;
    tni_current_work.scheduler = scheduler;
    tni_lock(scheduler);
    while (!scheduler->is_over) {
        if (running(scheduler) > scheduler->wanted) {
            park(scheduler);
            continue;
        }
        tni_task *task = tni_ready_take(&scheduler->ready);
        if (task != NULL) {
            tni_task_do(task);
        } else {
            rest(scheduler);
        }
    }
    tni_unlock(scheduler);
    return NULL;
}

/* [locked] */
static tn_status add_worker(tni_scheduler *scheduler) {
    TNI_TRY(tni_grow((void **)&scheduler->workers, &scheduler->worker_capacity,
                     scheduler->worker_count + 1, sizeof *scheduler->workers));
    TNI_TRY(tni_thread_start(&scheduler->workers[scheduler->worker_count], work, scheduler,
                             "tenon-worker"));
    scheduler->worker_count++;
    return TN_OK;
}

static uint32_t processor_count(void) {
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t tni_scheduler_worker_count(const tni_scheduler *scheduler) {
    const uint32_t asked = scheduler->runtime->options.thread_count;
    const uint32_t count = asked != 0 ? asked : processor_count();
    return count < MAX_WORKERS ? count : MAX_WORKERS;
}

tn_status tni_workers_start(tni_scheduler *scheduler) {
    if (scheduler->worker_count > 0) {
        return TN_OK;
    }
    if (atomic_load_explicit(&scheduler->mark, memory_order_relaxed) == NULL) {
        TNI_TRY(tni_scheduler_mark(scheduler));
    }
    scheduler->wanted = tni_scheduler_worker_count(scheduler);
    while (scheduler->worker_count < scheduler->wanted) {
        const tn_status status = add_worker(scheduler);
        if (status != TN_OK) { /* fewer will do, none will not */
            scheduler->wanted = scheduler->worker_count;
            return scheduler->worker_count > 0 ? TN_OK : status;
        }
    }
    return TN_OK;
}

/* Only a worker's waiting makes room for another worker. */
static bool is_worker(const tni_scheduler *scheduler) {
    return tni_current_work.scheduler == scheduler && !tni_current_work.is_lane;
}

void tni_worker_block(tni_scheduler *scheduler) {
    if (!is_worker(scheduler)) {
        return;
    }
    scheduler->blocked++;
    if (running(scheduler) >= scheduler->wanted) {
        return;
    }
    if (scheduler->surplus_count > 0) {
        pthread_cond_signal(&scheduler->surplus);
    } else if (scheduler->worker_count < MAX_WORKERS) {
        (void)add_worker(scheduler); /* without one, fewer run until the wait is over */
    }
}

void tni_worker_unblock(tni_scheduler *scheduler) {
    if (is_worker(scheduler)) {
        scheduler->blocked--;
    }
}

void tni_workers_finish(tni_scheduler *scheduler) {
    tni_lock(scheduler);
    pthread_cond_broadcast(&scheduler->work);
    pthread_cond_broadcast(&scheduler->surplus);
    tni_unlock(scheduler);
    for (uint32_t i = 0; i < scheduler->worker_count; i++) {
        pthread_join(scheduler->workers[i], NULL);
    }
}
