/* Threads that wait: for a resource, for a group, for everything. */
#include "base/error.h"
#include "schedule/task.h"

enum { NANOSECONDS = 1000000000 };

/* Longer than this is for ever; it keeps the seconds in range. */
static const uint64_t longest_wait = (uint64_t)100 * 365 * 24 * 3600 * NANOSECONDS;

bool tni_deadline(uint64_t nanoseconds, struct timespec *out_deadline) {
    if (nanoseconds > longest_wait) {
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, out_deadline);
    const uint64_t total = (uint64_t)out_deadline->tv_nsec + nanoseconds % NANOSECONDS;
    out_deadline->tv_sec += (time_t)(nanoseconds / NANOSECONDS + total / NANOSECONDS);
    out_deadline->tv_nsec = (long)(total % NANOSECONDS);
    return true;
}

void tni_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void tni_waiter_init(tni_waiter *waiter) {
    tni_condition_init(&waiter->condition);
    waiter->is_done = false;
}

void tni_waiter_wake(tni_waiter *waiter) {
    waiter->is_done = true;
    pthread_cond_signal(&waiter->condition);
}

/* [locked] True when it is done. */
static bool sleep_on(tni_scheduler *scheduler, tni_waiter *waiter, uint64_t timeout_ns) {
    if (waiter->is_done || timeout_ns == 0) {
        return waiter->is_done;
    }
    struct timespec deadline;
    const bool has_deadline = tni_deadline(timeout_ns, &deadline);
    bool is_time = true;
    scheduler->visitors++;
    tni_worker_block(scheduler);
    while (!waiter->is_done && is_time) {
        is_time = tni_sleep(scheduler, &waiter->condition, has_deadline ? &deadline : NULL);
    }
    tni_worker_unblock(scheduler);
    if (--scheduler->visitors == 0 && scheduler->is_stopping) {
        pthread_cond_signal(&scheduler->left);
    }
    return waiter->is_done;
}

/* Passes an error on to a thread that waited for it. [locked] */
static void tell(tni_task_error *error) {
    if (error != NULL) {
        error->is_told = true;
    }
}

static tn_status give(tni_task_error *error) {
    if (error == NULL) {
        return TN_OK;
    }
    const tn_status status = tni_fail(error->status, "%s", error->text);
    tni_task_error_release(error);
    return status;
}

static tn_status time_is_up(uint64_t timeout_ns) {
    return tni_fail(TN_TIMEOUT, "wait: not done after %llu ns", (unsigned long long)timeout_ns);
}

/* The task whose function this thread is in, or NULL. It may have been completed, and its record be
 * another's. */
static const tni_task *current_task(const tni_scheduler *scheduler) {
    const tni_current *current = &tni_current_work;
    const bool is_there = current->scheduler == scheduler && current->task != NULL &&
                          current->task->sequence == current->sequence;
    return is_there ? current->task : NULL;
}

/* A wait that cannot end, or that holds up a lane. [locked] */
static tn_status check_wait(const tni_scheduler *scheduler, const tn_resource *resource,
                            uint32_t access) {
    const tni_task *task = current_task(scheduler);
    if (task == NULL) {
        return TN_OK;
    }
    if (tni_current_work.is_lane) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "wait: task '%s' runs on the thread of a device or of copies, which must "
                        "not wait: let the task read what it needs",
                        task->name);
    }
    for (const tni_use *use = task->uses; use != NULL; use = use->next_of_task) {
        if (use->resource == resource && (use->is_write || access == TN_ACCESS_WRITE)) {
            return tni_fail(TN_FAILED_PRECONDITION,
                            "wait: task '%s' would wait for its own end: it %s the resource",
                            task->name, use->is_write ? "writes" : "reads");
        }
    }
    return TN_OK;
}

/* [locked] A use in the queue, as a task has, but on this stack. */
static tn_status wait_in_queue(tn_resource *resource, uint32_t access, uint64_t timeout_ns,
                               tni_task_error **out_error) {
    tni_scheduler *scheduler = resource->scheduler;
    tni_waiter waiter;
    tni_waiter_init(&waiter);
    tni_task task = {
        .scheduler = scheduler,
        .kind = TNI_TASK_WAITER,
        .state = TNI_STATE_PENDING,
        .blocked = 1,
        .body.waiter = &waiter,
    };
    tni_use use;
    tni_use_link(&use, &task, resource, access == TN_ACCESS_WRITE);
    tni_task_linked(&task);
    tn_status status = TN_OK;
    if (!sleep_on(scheduler, &waiter, timeout_ns)) {
        tni_use_withdraw(&use);
        status = TN_TIMEOUT;
    }
    tell(task.error);
    *out_error = task.error;
    pthread_cond_destroy(&waiter.condition);
    return status;
}

tn_status tn_resource_wait(tn_resource *resource, uint32_t access, uint64_t timeout_ns) {
    if (resource == NULL || (access != TN_ACCESS_READ && access != TN_ACCESS_WRITE)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "wait: expected a resource and TN_ACCESS_READ or TN_ACCESS_WRITE");
    }
    tni_scheduler *scheduler = resource->scheduler;
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "wait"));
    tni_task_error *error = NULL;
    tni_lock(scheduler);
    tn_status status = check_wait(scheduler, resource, access);
    const bool is_checked = status == TN_OK;
    if (is_checked) {
        status = wait_in_queue(resource, access, timeout_ns, &error);
    }
    tni_leave(scheduler);
    if (status == TN_OK) {
        return give(error);
    }
    return is_checked ? time_is_up(timeout_ns) : status;
}

/* [locked] */
static tni_drain **place_of(tni_scheduler *scheduler, const tni_drain *drain) {
    tni_drain **place = &scheduler->drains;
    while (*place != drain) {
        place = &(*place)->next;
    }
    return place;
}

/* [locked] True when all tasks pushed so far are done. */
static bool drain(tni_scheduler *scheduler, uint64_t timeout_ns) {
    tni_drain mine = {
        .next = scheduler->drains,
        .sequence = scheduler->sequence,
        .pending = scheduler->pending,
    };
    tni_waiter_init(&mine.waiter);
    mine.waiter.is_done = mine.pending == 0;
    scheduler->drains = &mine;
    const bool is_done = sleep_on(scheduler, &mine.waiter, timeout_ns);
    *place_of(scheduler, &mine) = mine.next;
    pthread_cond_destroy(&mine.waiter.condition);
    return is_done;
}

void tni_scheduler_drain(tni_scheduler *scheduler) {
    (void)drain(scheduler, UINT64_MAX);
}

tn_status tn_task_wait_all(tn_runtime *runtime, uint64_t timeout_ns) {
    tni_scheduler *scheduler = runtime != NULL ? tni_scheduler_of(runtime) : NULL;
    if (scheduler == NULL) {
        return runtime != NULL ? TN_OUT_OF_MEMORY
                               : tni_fail(TN_INVALID_ARGUMENT, "wait: the runtime is NULL");
    }
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "wait"));
    tni_lock(scheduler);
    const tni_task *task = current_task(scheduler);
    if (task != NULL) {
        const tn_status status =
            tni_fail(TN_FAILED_PRECONDITION,
                     "wait: task '%s' would wait for its own end: it waits for all", task->name);
        tni_leave(scheduler);
        return status;
    }
    const bool is_done = drain(scheduler, timeout_ns);
    tni_task_error *error = NULL;
    if (is_done) {
        error = scheduler->error;
        scheduler->error = NULL;
    }
    const bool is_news = error != NULL && !error->is_told;
    tell(error);
    tni_leave(scheduler);
    if (error != NULL && !is_news) {
        tni_task_error_release(error);
        error = NULL;
    }
    return is_done ? give(error) : time_is_up(timeout_ns);
}

tn_status tni_task_group_wait(tni_scheduler *scheduler, tni_task_group *group,
                              uint64_t timeout_ns) {
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "wait"));
    tni_lock(scheduler);
    const tn_status status = check_wait(scheduler, NULL, TN_ACCESS_READ);
    if (status != TN_OK) {
        tni_leave(scheduler);
        return status;
    }
    tni_waiter waiter;
    tni_waiter_init(&waiter);
    waiter.is_done = group->pending == 0;
    group->waiter = &waiter;
    const bool is_done = sleep_on(scheduler, &waiter, timeout_ns);
    group->waiter = NULL;
    tni_task_error *error = NULL;
    if (is_done) {
        error = group->error;
        group->error = NULL;
        tell(error);
    }
    tni_leave(scheduler);
    pthread_cond_destroy(&waiter.condition);
    return is_done ? give(error) : time_is_up(timeout_ns);
}
