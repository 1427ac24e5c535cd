/*
 * Lanes: a thread and a stream for each device, and for each device's copies; and a thread for
 * copies in host memory.
 *
 * The thread queues the work of tasks that are ready, submits it when there is no more to queue or
 * enough is, and leaves the waiting to another thread (lane_watch.c). What has to wait for work of
 * another lane of the same backend is told to the device.
 */
#include "base/error.h"
#include "base/memory.h"
#include "schedule/task.h"

enum { MOST_UNSUBMITTED = 16 };

/* How long a lane keeps the stream and the device without work. */
static const uint64_t linger_ns = 1000000000;

/* What a task's work has to wait for on the device. */
typedef struct obstacles {
    const tni_lane *lane;
    uint64_t mask;                   /* lanes, by number */
    uint64_t tickets[TNI_MAX_LANES]; /* the last of each */
    tni_task_error *error;           /* borrowed */
} obstacles;

static void add_obstacle(void *context, const tni_task *task) {
    obstacles *found = context;
    if (task->error != NULL && found->error == NULL) {
        found->error = task->error;
    }
    if (task->lane == found->lane || task->state != TNI_STATE_SUBMITTED) {
        return; /* in order anyway, or done */
    }
    const uint32_t number = task->lane->number;
    const uint64_t bit = (uint64_t)1 << number;
    if ((found->mask & bit) == 0) {
        found->mask |= bit;
        found->tickets[number] = task->ticket;
        task->lane->users++; /* its stream must not go while the device is told of it */
    } else if (found->tickets[number] < task->ticket) {
        found->tickets[number] = task->ticket;
    }
}

static void leave_obstacles(tni_scheduler *scheduler, const obstacles *found) {
    for (uint64_t mask = found->mask; mask != 0; mask &= mask - 1) {
        tni_lane *lane = scheduler->lanes[__builtin_ctzll(mask)];
        if (--lane->users == 0 && lane->drop) {
            pthread_cond_signal(&lane->work);
        }
    }
}

static tn_status wait_on_device(const tni_lane *lane, const obstacles *found) {
    const tn_device_backend *backend = lane->device->backend;
    for (uint64_t mask = found->mask; mask != 0; mask &= mask - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(mask);
        const tn_stream *other = lane->scheduler->lanes[number]->stream;
        TNI_TRY(tni_plugin_status(
            backend->wait_stream(lane->stream->stream, other->stream, found->tickets[number])));
    }
    return TN_OK;
}

/* Not locked. */
static tn_status queue_work(const tni_lane *lane, tni_task *task, const obstacles *found) {
    tni_error_clear();
    TNI_TRY(tni_in(wait_on_device(lane, found), "device %s", lane->device->name));
    tni_current_work.task = task;
    tni_current_work.sequence = task->sequence;
    tni_current_work.pusher = task->pusher;
    const tn_status status = tni_plugin_status(task->body.queue(task->context, lane->stream));
    tni_current_work.task = NULL;
    return status;
}

/* [locked, and again at return] */
static tn_status make_stream(tni_lane *lane) {
    if (lane->stream != NULL) {
        return TN_OK;
    }
    tni_unlock(lane->scheduler);
    tn_stream *stream = NULL;
    const tn_status status = tni_stream_create(lane->device, &stream);
    tni_lock(lane->scheduler);
    lane->stream = stream;
    return status;
}

/* [locked, and again at return] Also for a task that failed half-way: what it queued will run. */
static void queue(tni_lane *lane, tni_task *task) {
    tni_scheduler *scheduler = lane->scheduler;
    obstacles found;
    found.lane = lane;
    found.mask = 0;
    found.error = NULL;
    tni_task_visit_obstacles(task, add_obstacle, &found);
    if (found.error != NULL && task->error == NULL) {
        task->error = tni_task_error_retain(found.error);
    }
    if (tni_task_is_void(task)) {
        leave_obstacles(scheduler, &found);
        tni_lane_end_task(task);
        return;
    }
    task->state = TNI_STATE_BEGUN;
    tni_unlock(scheduler);
    const tn_status status = queue_work(lane, task, &found);
    tni_task_error *error =
        status != TN_OK ? tni_task_error_make(scheduler, task, status, NULL) : NULL;
    tni_lock(scheduler);
    leave_obstacles(scheduler, &found);
    tni_task_fail(task, error);
    task->state = TNI_STATE_QUEUED;
    task->next = NULL;
    *lane->unsubmitted_last = task;
    lane->unsubmitted_last = &task->next;
    lane->unsubmitted_count++;
    tni_task_open_followers(task);
}

/* [locked, and again at return] */
static void do_task(tni_lane *lane, tni_task *task) {
    if (task->kind != TNI_TASK_QUEUE) {
        if (lane->unsubmitted != NULL) { /* the device need not wait for the host's work */
            tni_lane_submit(lane);
        }
        tni_task_do(task);
        return;
    }
    const tn_status status = make_stream(lane);
    if (status != TN_OK) {
        tni_task_fail(task, tni_task_error_make(lane->scheduler, task, status, NULL));
    }
    queue(lane, task);
    if (lane->unsubmitted_count >= MOST_UNSUBMITTED) {
        tni_lane_submit(lane);
    }
}

/* [locked, and again at return] Gives stream and device back. Another device may be bound to the
 * lane before this thread is done with the old one. */
static void unbind(tni_lane *lane) {
    tni_scheduler *scheduler = lane->scheduler;
    tn_device *device = lane->device;
    tn_stream *stream = lane->stream;
    lane->device = NULL;
    lane->stream = NULL;
    lane->is_bound = false;
    tni_unlock(scheduler);
    tni_stream_destroy(stream);
    tni_device_release(device);
    tni_lock(scheduler);
    lane->drop = false;
    pthread_cond_broadcast(&scheduler->unbound);
}

/* [locked, and again at return] */
static void rest(tni_lane *lane) {
    tni_scheduler *scheduler = lane->scheduler;
    struct timespec deadline;
    if (lane->device == NULL) {
        lane->drop = false;
        (void)tni_sleep(scheduler, &lane->work, NULL);
    } else if (lane->drop && lane->users == 0) {
        unbind(lane);
    } else if (tni_deadline(linger_ns, &deadline) &&
               !tni_sleep(scheduler, &lane->work, &deadline) && lane->users == 0) {
        unbind(lane);
    }
}

static void *work(void *context) {
    tni_lane *lane = context;
    tni_scheduler *scheduler = lane->scheduler;
    tni_current_work.scheduler = scheduler;
    tni_current_work.is_lane = true;
    tni_lock(scheduler);
    while (!scheduler->is_over) {
        tni_task *task = tni_ready_take(&lane->ready);
        if (task != NULL) {
            do_task(lane, task);
        } else if (lane->unsubmitted != NULL) {
            tni_lane_submit(lane);
        } else {
            rest(lane);
        }
    }
    if (lane->device != NULL) {
        unbind(lane);
    }
    tni_unlock(scheduler);
    return NULL;
}

/* [locked] */
static tn_status add_lane(tni_scheduler *scheduler, tni_lane **out_lane) {
    if (scheduler->lane_count == TNI_MAX_LANES) {
        return tni_fail(TN_OUT_OF_RANGE, "more than %d devices are in use by tasks at once",
                        TNI_MAX_LANES / 2);
    }
    if (atomic_load_explicit(&scheduler->mark, memory_order_relaxed) == NULL) {
        TNI_TRY(tni_scheduler_mark(scheduler));
    }
    tni_lane *lane = tni_allocate(1, sizeof *lane);
    if (lane == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    lane->scheduler = scheduler;
    lane->number = scheduler->lane_count;
    lane->unsubmitted_last = &lane->unsubmitted;
    lane->in_flight_last = &lane->in_flight;
    tni_condition_init(&lane->work);
    tni_condition_init(&lane->flight);
    const tn_status status = tni_thread_start(&lane->thread, work, lane, "tenon-lane");
    if (status != TN_OK) {
        pthread_cond_destroy(&lane->work);
        pthread_cond_destroy(&lane->flight);
        tni_free(lane);
        return status;
    }
    scheduler->lanes[scheduler->lane_count++] = lane;
    *out_lane = lane;
    return TN_OK;
}

tn_status tni_lane_find(tni_scheduler *scheduler, tn_device *device, bool is_copy,
                        tni_lane **out_lane) {
    tni_lane *lane = NULL;
    for (uint32_t i = 0; i < scheduler->lane_count; i++) {
        tni_lane *other = scheduler->lanes[i];
        if (other->is_bound && other->device == device && other->is_copy == is_copy) {
            *out_lane = other;
            return TN_OK;
        }
        lane = other->is_bound ? lane : other;
    }
    if (lane == NULL) {
        TNI_TRY(add_lane(scheduler, &lane));
    }
    if (device != NULL) {
        tni_device_retain(device);
    }
    lane->device = device;
    lane->is_bound = true;
    lane->is_copy = is_copy;
    pthread_cond_signal(&lane->work); /* a lane that is bound lingers: it must not sleep for ever */
    *out_lane = lane;
    return TN_OK;
}

void tni_schedule_drop_idle(tn_runtime *runtime) {
    tni_scheduler *scheduler = __atomic_load_n(&runtime->scheduler, __ATOMIC_ACQUIRE);
    if (scheduler == NULL || tni_scheduler_check(scheduler) != TN_OK) {
        return;
    }
    tni_lock(scheduler);
    for (uint32_t i = 0; i < scheduler->lane_count; i++) {
        tni_lane *lane = scheduler->lanes[i];
        lane->drop = lane->device != NULL;
        pthread_cond_signal(&lane->work);
        while (lane->drop && lane->users == 0) {
            (void)tni_sleep(scheduler, &scheduler->unbound, NULL);
        }
    }
    tni_unlock(scheduler);
}

void tni_lanes_finish(tni_scheduler *scheduler) {
    tni_lock(scheduler);
    for (uint32_t i = 0; i < scheduler->lane_count; i++) {
        pthread_cond_signal(&scheduler->lanes[i]->work);
        pthread_cond_signal(&scheduler->lanes[i]->flight);
    }
    tni_unlock(scheduler);
    for (uint32_t i = 0; i < scheduler->lane_count; i++) {
        tni_lane *lane = scheduler->lanes[i];
        pthread_join(lane->thread, NULL);
        if (lane->has_watch) {
            pthread_join(lane->watch, NULL);
        }
        pthread_cond_destroy(&lane->work);
        pthread_cond_destroy(&lane->flight);
        tni_free(lane);
    }
}
