/* From descriptions to tasks. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "schedule/task.h"

static const char *name_of(const tn_task *task) {
    return task->name != NULL ? task->name : "task";
}

static tn_status check_resources(const tni_scheduler *scheduler, const tn_task *task,
                                 tn_resource *const *resources, uint32_t count, const char *list) {
    if (count > 0 && resources == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "task '%s': %u %s are announced, but the list is NULL",
                        name_of(task), (unsigned)count, list);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (resources[i] == NULL || resources[i]->scheduler != scheduler) {
            return tni_fail(TN_INVALID_ARGUMENT, "task '%s': number %u of its %s %s", name_of(task),
                            (unsigned)i, list,
                            resources[i] == NULL ? "is NULL" : "belongs to another runtime");
        }
    }
    return TN_OK;
}

static tn_status check_body(const tni_scheduler *scheduler, const tn_task *task) {
    const int given = (task->run != NULL) + (task->start != NULL) + (task->queue != NULL);
    if (given != 1) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "task '%s': expected one of run, start and queue, not %d of them",
                        name_of(task), given);
    }
    if (task->queue != NULL && task->device == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "task '%s': queue needs a device", name_of(task));
    }
    if (task->device != NULL && task->device->runtime != scheduler->runtime) {
        return tni_fail(TN_INVALID_ARGUMENT, "task '%s': device %s belongs to another runtime",
                        name_of(task), task->device->name);
    }
    if ((task->flags & ~TN_TASK_COPY) != 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "task '%s': flags 0x%x: expected 0 or TN_TASK_COPY",
                        name_of(task), (unsigned)task->flags);
    }
    return TN_OK;
}

static bool is_readable(const tn_task *task) {
    return task != NULL && task->struct_size >= TN_TASK_SIZE;
}

static tn_status check_task(const tni_scheduler *scheduler, const tn_task *task) {
    if (!is_readable(task)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "push: expected a task whose struct_size is TN_TASK_SIZE");
    }
    TNI_TRY(check_body(scheduler, task));
    TNI_TRY(check_resources(scheduler, task, task->reads, task->read_count, "reads"));
    return check_resources(scheduler, task, task->writes, task->write_count, "writes");
}

/* A small number for this thread that its neighbours do not have. A task's own pushes count as
 * those of the thread that pushed it. */
static uint8_t pusher(void) {
    static _Thread_local uint32_t number;
    if (tni_current_work.task != NULL) {
        return tni_current_work.pusher;
    }
    if (number == 0) {
        number = (uint32_t)syscall(SYS_gettid);
    }
    return (uint8_t)(number % TNI_READY_ROWS);
}

static void fill_body(tni_task *task, const tn_task *from) {
    if (from->run != NULL) {
        task->kind = TNI_TASK_RUN;
        task->body.run = from->run;
    } else if (from->start != NULL) {
        task->kind = TNI_TASK_START;
        task->body.start = from->start;
    } else {
        task->kind = TNI_TASK_QUEUE;
        task->body.queue = from->queue;
    }
    task->release = from->release;
    task->context = from->context;
    const char *name = name_of(from);
    const size_t size = strnlen(name, TNI_TASK_NAME_SIZE - 1);
    memcpy(task->name, name, size);
    task->name[size] = '\0';
}

static void link_resources(tni_task *task, tn_resource *const *resources, uint32_t count,
                           bool is_write) {
    for (uint32_t i = 0; i < count; i++) {
        if (resources[i]->stamp != task->sequence) { /* else it is named twice */
            resources[i]->stamp = task->sequence;
            tni_use_link(tni_task_pool_take_use(task->scheduler), task, resources[i], is_write);
        }
    }
}

static bool needs_lane(const tn_task *task) {
    return task->device != NULL || (task->flags & TN_TASK_COPY) != 0;
}

/* [locked] Records are reserved, threads are there: nothing can fail. */
static void push_one(tni_scheduler *scheduler, const tn_task *from, tni_task_group *group) {
    tni_task *task = tni_task_pool_take(scheduler);
    fill_body(task, from);
    task->uses = NULL;
    task->lane = NULL;
    task->group = group;
    task->error = NULL;
    task->sequence = ++scheduler->sequence;
    task->ticket = 0;
    task->blocked = 1; /* until all uses are linked */
    task->ungranted = 0;
    task->priority = from->priority;
    task->state = TNI_STATE_PENDING;
    task->pusher = pusher();
    if (needs_lane(from)) {
        (void)tni_lane_find(scheduler, from->device, (from->flags & TN_TASK_COPY) != 0,
                            &task->lane);
        task->lane->users++;
    }
    scheduler->pending++;
    if (group != NULL) {
        group->pending++;
    }
    link_resources(task, from->writes, from->write_count, true);
    link_resources(task, from->reads, from->read_count, false);
    tni_task_linked(task);
}

/* [locked] The threads that the tasks need. Lanes are bound while they are counted as used. */
static tn_status prepare_threads(tni_scheduler *scheduler, const tn_task *const *tasks,
                                 uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (needs_lane(tasks[i])) {
            tni_lane *lane;
            TNI_TRY(tni_lane_find(scheduler, tasks[i]->device,
                                  (tasks[i]->flags & TN_TASK_COPY) != 0, &lane));
        } else {
            TNI_TRY(tni_workers_start(scheduler));
        }
    }
    return TN_OK;
}

/* [locked] */
static tn_status push_all(tni_scheduler *scheduler, const tn_task *const *tasks, uint32_t count,
                          uint64_t uses, tni_task_group *group) {
    TNI_TRY(tni_task_pool_reserve(scheduler, count, uses));
    if (scheduler->is_stopping) {
        return tni_fail(TN_FAILED_PRECONDITION, "the runtime is being destroyed");
    }
    TNI_TRY(prepare_threads(scheduler, tasks, count));
    for (uint32_t i = 0; i < count; i++) {
        push_one(scheduler, tasks[i], group);
    }
    return TN_OK;
}

static tn_status check_and_push(tni_scheduler *scheduler, const tn_task *const *tasks,
                                uint32_t count, tni_task_group *group) {
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "push"));
    uint64_t uses = 0;
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(check_task(scheduler, tasks[i]));
        uses += (uint64_t)tasks[i]->read_count + tasks[i]->write_count;
    }
    tni_lock(scheduler);
    const tn_status status = push_all(scheduler, tasks, count, uses, group);
    tni_unlock(scheduler);
    return tni_in(status, "push");
}

/* The promise of `release` holds for tasks that were not taken, too. */
static void release_all(const tn_task *const *tasks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (is_readable(tasks[i]) && tasks[i]->release != NULL) {
            tasks[i]->release(tasks[i]->context);
        }
    }
}

tn_status tni_task_push(tni_scheduler *scheduler, const tn_task *const *tasks, uint32_t count,
                        tni_task_group *group) {
    const tn_status status = check_and_push(scheduler, tasks, count, group);
    if (status != TN_OK) {
        /* A release may fail by itself and leave its own text. */
        char text[512];
        snprintf(text, sizeof text, "%s", tn_error_message());
        release_all(tasks, count);
        tni_error_set("%s", text);
    }
    return status;
}

tn_status tn_task_push_many(tn_runtime *runtime, const tn_task *const *tasks, uint32_t count) {
    if (count > 0 && tasks == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "push: %u tasks are announced, but the list is NULL",
                        (unsigned)count);
    }
    tni_scheduler *scheduler = runtime != NULL ? tni_scheduler_of(runtime) : NULL;
    if (scheduler == NULL) {
        release_all(tasks, count);
        return runtime != NULL ? tni_fail_memory(sizeof(void *))
                               : tni_fail(TN_INVALID_ARGUMENT, "push: the runtime is NULL");
    }
    return tni_task_push(scheduler, tasks, count, NULL);
}

tn_status tn_task_push(tn_runtime *runtime, const tn_task *task) {
    return tn_task_push_many(runtime, &task, 1);
}
