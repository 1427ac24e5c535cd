/* Who may use a resource when. */
#include "base/memory.h"
#include "schedule/task.h"

static bool same_backend(const tni_task *left, const tni_task *right) {
    return left->lane->device->backend == right->lane->device->backend;
}

/* Whether `obstacle`, in the way of `task`, is device work behind which the device itself can put
 * the task's. A failed one is waited for: its followers are to have its error. */
static bool device_orders(const tni_task *obstacle, const tni_task *task) {
    if (obstacle->kind != TNI_TASK_QUEUE || obstacle->error != NULL) {
        return false;
    }
    if (obstacle->lane == task->lane) {
        return obstacle->state >= TNI_STATE_QUEUED;
    }
    return obstacle->state >= TNI_STATE_SUBMITTED && same_backend(obstacle, task);
}

/* A ready task goes to its lane; a thread that waited for its turn is done with it. */
static void ready(tni_task *task) {
    if (task->kind == TNI_TASK_WAITER) {
        tni_task_end(task);
    } else if (task->lane == NULL) {
        tni_ready_add(&task->scheduler->ready, task);
    } else {
        tni_ready_add(&task->lane->ready, task);
        pthread_cond_signal(&task->lane->work);
    }
}

static void unblock(tni_task *task) {
    if (--task->blocked == 0) {
        ready(task);
    }
}

static void take_error(tni_task *task, tn_resource *resource) {
    if (resource->error == NULL || task->error != NULL) {
        return;
    }
    task->error = tni_task_error_retain(resource->error);
    if (task->kind == TNI_TASK_WAITER) { /* told now: the resource is clean again */
        tni_task_error_release(resource->error);
        resource->error = NULL;
    }
}

static void grant(tni_use *use) {
    tni_task *task = use->task;
    use->is_granted = true;
    take_error(task, use->resource);
    task->ungranted--;
    if (!use->is_early) {
        unblock(task);
    } else if (task->ungranted == 0 && task->state == TNI_STATE_DONE) {
        tni_task_end(task);
    }
}

/* Grants from the front of the queue: one writer, or readers up to the next writer. */
static void advance(tn_resource *resource) {
    tni_use *use;
    while ((use = resource->waiting) != NULL &&
           (use->is_write ? resource->active == 0 : !resource->is_written)) {
        resource->waiting = use->next;
        resource->active++;
        resource->is_written = use->is_write;
        grant(use);
    }
}

void tni_use_link(tni_use *use, tni_task *task, tn_resource *resource, bool is_write) {
    *use = (tni_use){
        .task = task,
        .resource = resource,
        .previous = resource->last,
        .next_of_task = task->uses,
        .is_write = is_write,
    };
    tn_resource_retain(resource);
    task->uses = use;
    task->blocked++;
    task->ungranted++;
    *(resource->last != NULL ? &resource->last->next : &resource->first) = use;
    resource->last = use;
    if (resource->waiting == NULL) {
        resource->waiting = use;
        advance(resource);
    }
    if (is_write) {
        resource->last_writer = use;
    }
}

static void unlink_use(tni_use *use) {
    tn_resource *resource = use->resource;
    *(use->previous != NULL ? &use->previous->next : &resource->first) = use->next;
    *(use->next != NULL ? &use->next->previous : &resource->last) = use->previous;
    if (resource->waiting == use) {
        resource->waiting = use->next;
    }
}

/* For a use that never was granted; only a waiting thread's is withdrawn, and it cannot be in an
 * early task's way, since early tasks pass device work alone. */
void tni_use_withdraw(tni_use *use) {
    tn_resource *resource = use->resource;
    unlink_use(use);
    if (resource->last_writer == use) { /* the one before it, if there still is any */
        tni_use *writer = resource->last;
        while (writer != NULL && !writer->is_write) {
            writer = writer->previous;
        }
        resource->last_writer = writer;
    }
    advance(resource);
    tn_resource_release(resource);
}

static void end_use(tni_use *use, tni_task_error *error) {
    tn_resource *resource = use->resource;
    unlink_use(use);
    if (error != NULL && use->is_write && resource->error == NULL &&
        use->task->kind != TNI_TASK_WAITER) {
        resource->error = tni_task_error_retain(error);
    }
    if (resource->last_writer == use) {
        resource->last_writer = NULL; /* all before it have ended */
    }
    resource->active--;
    resource->is_written = false;
    advance(resource);
    tn_resource_release(resource);
}

/* The task has left the scheduler: those who count tasks hear of it. */
static void count_end(tni_task *task) {
    tni_scheduler *scheduler = task->scheduler;
    tni_task_group *group = task->group;
    if (group != NULL) {
        if (group->error == NULL) {
            group->error = tni_task_error_retain(task->error);
        }
        if (--group->pending == 0 && group->waiter != NULL) {
            tni_waiter_wake(group->waiter);
        }
    }
    for (tni_drain *drain = scheduler->drains; drain != NULL; drain = drain->next) {
        if (task->sequence <= drain->sequence && --drain->pending == 0) {
            tni_waiter_wake(&drain->waiter);
        }
    }
    if (task->lane != NULL && --task->lane->users == 0 && task->lane->drop) {
        pthread_cond_signal(&task->lane->work);
    }
    scheduler->pending--;
}

static void end(tni_task *task) {
    for (tni_use *use = task->uses, *next; use != NULL; use = next) {
        next = use->next_of_task;
        end_use(use, task->error);
        if (task->kind != TNI_TASK_WAITER) {
            tni_task_pool_give_use(task->scheduler, use);
        }
    }
    if (task->kind == TNI_TASK_WAITER) {
        tni_waiter_wake(task->body.waiter);
        return;
    }
    count_end(task);
    tni_task_error_release(task->error);
    tni_task_pool_give(task);
}

void tni_task_end(tni_task *task) {
    tni_scheduler *scheduler = task->scheduler;
    task->next = NULL;
    *scheduler->ending_last = task;
    scheduler->ending_last = &task->next;
    if (scheduler->is_ending) {
        return; /* somewhere below on this stack; it will be next */
    }
    scheduler->is_ending = true;
    while ((task = scheduler->ending) != NULL) {
        scheduler->ending = task->next;
        if (task->next == NULL) {
            scheduler->ending_last = &scheduler->ending;
        }
        end(task);
    }
    scheduler->is_ending = false;
}

/* Whether the device can keep everything that is in the way of a write in front of it. A writer
 * that the device orders has all before itself ordered already. */
static bool write_can_go_early(const tni_use *use) {
    for (const tni_use *at = use->previous; at != NULL; at = at->previous) {
        if (!device_orders(at->task, use->task)) {
            return false;
        }
        if (at->is_write) {
            break;
        }
    }
    return true;
}

/* `writer` is the last write before the use. In a reader's way there is nothing else. */
static void try_early(tni_use *use, const tni_use *writer) {
    if (use->task->kind != TNI_TASK_QUEUE || use->is_granted || use->is_early) {
        return;
    }
    if (use->is_write ? write_can_go_early(use) : device_orders(writer->task, use->task)) {
        use->is_early = true;
        unblock(use->task);
    }
}

void tni_task_linked(tni_task *task) {
    for (tni_use *use = task->uses; use != NULL; use = use->next_of_task) {
        try_early(use, use->resource->last_writer);
    }
    unblock(task); /* from the push itself */
}

void tni_task_open_followers(tni_task *task) {
    if (task->error != NULL) {
        return;
    }
    for (tni_use *use = task->uses; use != NULL; use = use->next_of_task) {
        if (use->resource->waiting == NULL) {
            continue;
        }
        tni_use *follower = use->next;
        for (; follower != NULL && !follower->is_write; follower = follower->next) {
            if (use->is_write) {
                try_early(follower, use);
            }
        }
        if (follower != NULL) {
            try_early(follower, NULL);
        }
    }
}

void tni_task_visit_obstacles(const tni_task *task,
                              void (*visit)(void *context, const tni_task *obstacle),
                              void *context) {
    for (const tni_use *use = task->uses; use != NULL; use = use->next_of_task) {
        if (use->is_granted) {
            continue;
        }
        for (const tni_use *at = use->previous; at != NULL; at = at->previous) {
            if (use->is_write || at->is_write) {
                visit(context, at->task);
            }
            if (at->is_write) {
                break;
            }
        }
    }
}
