/*
 * The scheduler, for the floors above: the same tasks and resources as in tenon/scheduler.h, and
 * groups, which let a caller wait for just the tasks it has pushed.
 *
 * Everything here is [any] unless it says otherwise, and fails in a forked child as the public
 * calls do.
 */
#ifndef TENON_SCHEDULE_SCHEDULE_H
#define TENON_SCHEDULE_SCHEDULE_H

#include <tenon/scheduler.h>

#include "plugin/runtime.h"
#include "tensor/tensor.h"

typedef struct tni_scheduler tni_scheduler;

/* Counts tasks that are not done. Starts as zeros, lies wherever its owner likes, and may be used
 * again after a wait; it must not move or go while tasks are pending. */
typedef struct tni_task_group {
    uint64_t pending;
    struct tni_task_error *error; /* of the first task that failed or took over an error */
    struct tni_waiter *waiter;
} tni_task_group;

/* The runtime's scheduler, made when it is first asked for. NULL with an error text without memory.
 */
tni_scheduler *tni_scheduler_of(tn_runtime *runtime);

/* Pushes tasks, all or none, and counts them in `group` when it is not NULL. Allocates only when
 * more tasks are pending than ever before. `release` is called also on failure. */
tn_status tni_task_push(tni_scheduler *scheduler, const tn_task *const *tasks, uint32_t count,
                        tni_task_group *group);

/* Waits until the group has no task left. One thread waits for a group at a time. Returns the
 * group's error and empties it; what the tasks wrote stays poisoned, and is the caller's to clear.
 */
tn_status tni_task_group_wait(tni_scheduler *scheduler, tni_task_group *group, uint64_t timeout_ns);

/* Borrowed: lives as long as the storage. NULL with an error text without memory. */
tn_resource *tni_storage_resource(tni_scheduler *scheduler, tni_storage *storage);

/* Threads that work when there is enough to do. */
uint32_t tni_scheduler_worker_count(const tni_scheduler *scheduler);

/* Gives back the streams and devices of lanes that have nothing to do. */
void tni_schedule_drop_idle(tn_runtime *runtime);

/* Cancels what has not started, waits for what runs, ends the threads. The first thing to be called
 * when a runtime ends: tasks may use everything else. */
void tni_schedule_floor_finish(tn_runtime *runtime);

#endif
