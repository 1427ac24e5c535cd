/* What the tests of the scheduler share: a runtime, a log of what ran, gates that hold tasks. */
#ifndef TENON_TESTS_SCHEDULE_FIXTURE_H
#define TENON_TESTS_SCHEDULE_FIXTURE_H

#include <unistd.h>

#include "../../thread/timeline_backend.h"
#include "../tensor/fake_plugin.h"
#include "schedule/task.h"

enum { LOG_SIZE = 4096 };

static tn_runtime *runtime;

/* Which steps ran, in order. */
static struct step_log {
    pthread_mutex_t lock;
    int count;
    int steps[LOG_SIZE];
} step_log = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A task's context. */
typedef struct step {
    int number;
    tn_status status; /* what it returns */
    struct gate *gate;
    struct gate *arrival;
    atomic_int ran, released;
    tn_completion *completion;
} step;

/* Closed until somebody opens it. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open;
} gate;

#define GATE_CLOSED                                                                                \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false }

__attribute__((unused)) static void gate_open(gate *self) {
    pthread_mutex_lock(&self->lock);
    self->is_open = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

__attribute__((unused)) static void gate_pass(gate *self) {
    pthread_mutex_lock(&self->lock);
    while (!self->is_open) {
        pthread_cond_wait(&self->changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

/* Notes the step, says that it has arrived, waits at its gate. */
__attribute__((unused)) static tn_status take_step(void *context) {
    step *self = context;
    pthread_mutex_lock(&step_log.lock);
    step_log.steps[step_log.count++] = self->number;
    pthread_mutex_unlock(&step_log.lock);
    atomic_fetch_add(&self->ran, 1);
    if (self->arrival != NULL) {
        gate_open(self->arrival);
    }
    if (self->gate != NULL) {
        gate_pass(self->gate);
    }
    return self->status == TN_OK ? TN_OK : tni_fail(self->status, "step %d fails", self->number);
}

__attribute__((unused)) static tn_status queue_step(void *context, tn_stream *stream) {
    timeline_queue(stream, take_step, context);
    return TN_OK;
}

__attribute__((unused)) static void release_step(void *context) {
    atomic_fetch_add(&((step *)context)->released, 1);
}

__attribute__((unused)) static tn_resource *new_resource(void) {
    tn_resource *resource;
    cr_assert_eq(tn_resource_create(runtime, &resource), TN_OK, "%s", tn_error_message());
    return resource;
}

/* A task with at most one read and one write. */
__attribute__((unused)) static tn_task describe(step *self, tn_resource **read,
                                                tn_resource **write) {
    return (tn_task){
        .struct_size = TN_TASK_SIZE,
        .name = "step",
        .read_count = read != NULL,
        .reads = read,
        .write_count = write != NULL,
        .writes = write,
        .run = take_step,
        .release = release_step,
        .context = self,
    };
}

__attribute__((unused)) static void push(const tn_task *task) {
    cr_assert_eq(tn_task_push(runtime, task), TN_OK, "%s", tn_error_message());
}

__attribute__((unused)) static void push_step(step *self, tn_resource *read, tn_resource *write) {
    const tn_task task = describe(self, read != NULL ? &read : NULL, write != NULL ? &write : NULL);
    push(&task);
}

__attribute__((unused)) static void push_on(tn_device *device, uint32_t flags, step *self,
                                            tn_resource *read, tn_resource *write) {
    tn_task task = describe(self, read != NULL ? &read : NULL, write != NULL ? &write : NULL);
    task.run = NULL;
    task.queue = queue_step;
    task.device = device;
    task.flags = flags;
    push(&task);
}

__attribute__((unused)) static void await(tn_resource *resource) {
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_OK, "%s",
                 tn_error_message());
}

__attribute__((unused)) static void await_all(void) {
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_OK, "%s", tn_error_message());
}

static void set_up_threads(uint32_t threads) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE,
                                        .thread_count = threads};
    cr_assert_eq(tn_runtime_create(&options, &runtime), TN_OK);
}

__attribute__((unused)) static void set_up(void) {
    set_up_threads(2);
}

__attribute__((unused)) static void tear_down(void) {
    tn_runtime_destroy(runtime);
    cr_assert_eq(atomic_load(&timeline.streams), 0);
    cr_assert_eq(atomic_load(&timeline.opened), 0);
}

#define SCHEDULE_SUITE(name) TestSuite(name, .init = set_up, .fini = tear_down, .timeout = 60)

#endif
