/* Device work that is submitted, and the thread of each lane that waits for it. */
#include "base/error.h"
#include "schedule/task.h"

void tni_lane_end_task(tni_task *task) {
    tni_task_release_context(task);
    task->state = TNI_STATE_DONE;
    if (task->ungranted == 0) {
        tni_task_end(task);
    } /* else with the grant of its last use */
}

/* [locked, and again at return] Ends tasks that share a ticket. The text of a failure is this
 * thread's. */
static void end_tasks(tni_lane *lane, tni_task *tasks, tn_status status) {
    for (tni_task *task = tasks; status != TN_OK && task != NULL; task = task->next) {
        tni_task_fail(task, tni_task_error_make(lane->scheduler, task, status, NULL));
    }
    for (tni_task *task = tasks, *next; task != NULL; task = next) {
        next = task->next;
        tni_lane_end_task(task);
    }
}

/* [locked] Starts the lane's second thread, once. Without it the first one has to wait. */
static bool start_watch(tni_lane *lane) {
    if (!lane->has_watch) {
        lane->has_watch =
            tni_thread_start(&lane->watch, tni_lane_watch, lane, "tenon-watch") == TN_OK;
    }
    return lane->has_watch;
}

/* [locked] The tasks have a ticket: others may follow on the device. */
static void fly(tni_task *tasks, uint64_t ticket) {
    for (tni_task *task = tasks; task != NULL; task = task->next) {
        task->ticket = ticket;
        task->state = TNI_STATE_SUBMITTED;
    }
    for (tni_task *task = tasks; task != NULL; task = task->next) {
        tni_task_open_followers(task);
    }
}

static tn_status wait_for(const tn_device *device, const tn_stream *stream, uint64_t ticket) {
    tni_error_clear();
    return tni_in(tni_plugin_status(device->backend->wait(stream->stream, ticket, UINT64_MAX)),
                  "device %s", device->name);
}

void tni_lane_submit(tni_lane *lane) {
    tni_scheduler *scheduler = lane->scheduler;
    tni_task *tasks = lane->unsubmitted, **last = lane->unsubmitted_last;
    lane->unsubmitted = NULL;
    lane->unsubmitted_last = &lane->unsubmitted;
    lane->unsubmitted_count = 0;
    const tn_device *device = lane->device;
    const tn_stream *stream = lane->stream;
    uint64_t ticket = 0;
    tni_unlock(scheduler);
    tni_error_clear();
    tn_status status = tni_in(tni_plugin_status(device->backend->submit(stream->stream, &ticket)),
                              "device %s", device->name);
    tni_lock(scheduler);
    if (status == TN_OK && (device->flags & TN_DEVICE_SYNCHRONOUS) == 0 && start_watch(lane)) {
        fly(tasks, ticket);
        *lane->in_flight_last = tasks;
        lane->in_flight_last = last;
        pthread_cond_signal(&lane->flight);
        return;
    }
    if (status == TN_OK) {
        fly(tasks, ticket);
        tni_unlock(scheduler);
        status = wait_for(device, stream, ticket);
        tni_lock(scheduler);
    }
    end_tasks(lane, tasks, status);
}

/* [locked] Takes what is complete with `ticket` out of the flight. */
static tni_task *land(tni_lane *lane, uint64_t ticket) {
    tni_task *tasks = lane->in_flight, **place = &lane->in_flight;
    while (*place != NULL && (*place)->ticket <= ticket) {
        place = &(*place)->next;
    }
    tni_task *rest = *place;
    *place = NULL;
    lane->in_flight = rest;
    if (rest == NULL) {
        lane->in_flight_last = &lane->in_flight;
    }
    return tasks;
}

void *tni_lane_watch(void *context) {
    tni_lane *lane = context;
    tni_scheduler *scheduler = lane->scheduler;
    tni_current_work.scheduler = scheduler;
    tni_current_work.is_lane = true;
    tni_lock(scheduler);
    while (!scheduler->is_over) {
        if (lane->in_flight == NULL) {
            (void)tni_sleep(scheduler, &lane->flight, NULL);
            continue;
        }
        const uint64_t ticket = lane->in_flight->ticket;
        const tn_device *device = lane->device;
        const tn_stream *stream = lane->stream;
        tni_unlock(scheduler);
        const tn_status status = wait_for(device, stream, ticket);
        tni_lock(scheduler);
        end_tasks(lane, land(lane, ticket), status);
    }
    tni_unlock(scheduler);
    return NULL;
}
