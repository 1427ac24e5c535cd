/* Tasks that are done when somebody says so. */
#include "schedule_fixture.h"

SCHEDULE_SUITE(schedule_async);

static void begin(void *context, tn_completion *completion) {
    step *self = context;
    self->completion = completion;
    atomic_fetch_add(&self->ran, 1);
    if (self->arrival != NULL) {
        gate_open(self->arrival);
    }
}

static tn_task describe_async(step *self, tn_resource **write) {
    tn_task task = describe(self, NULL, write);
    task.run = NULL;
    task.start = begin;
    return task;
}

static void *complete_elsewhere(void *context) {
    step *self = context;
    gate_pass(self->arrival);
    usleep(5000);
    cr_assert_eq(tn_task_complete(self->completion, self->status, "the line is dead"), TN_OK);
    return NULL;
}

Test(schedule_async, completed_by_another_thread) {
    tn_resource *resource = new_resource();
    gate arrived = GATE_CLOSED;
    step self = {.arrival = &arrived}, follows = {0};
    pthread_t thread;
    const tn_task task = describe_async(&self, &resource);
    push(&task);
    push_step(&follows, resource, NULL);
    gate_pass(&arrived);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, 1000000), TN_TIMEOUT);
    cr_assert_eq(self.released, 0);
    pthread_create(&thread, NULL, complete_elsewhere, &self);
    await(resource);
    cr_assert_eq(self.released, 1);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    cr_assert_eq(follows.ran, 1);
    pthread_join(thread, NULL);
    tn_resource_release(resource);
}

Test(schedule_async, a_failure_with_its_message) {
    tn_resource *resource = new_resource();
    gate arrived = GATE_CLOSED;
    step self = {.arrival = &arrived, .status = TN_UNAVAILABLE};
    pthread_t thread;
    const tn_task task = describe_async(&self, &resource);
    push(&task);
    pthread_create(&thread, NULL, complete_elsewhere, &self);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_UNAVAILABLE);
    cr_assert_str_eq(tn_error_message(), "task 'step': the line is dead");
    pthread_join(thread, NULL);
    tn_resource_release(resource);
}

static void complete_at_once(void *context, tn_completion *completion) {
    step *self = context;
    atomic_fetch_add(&self->ran, 1);
    cr_assert_eq(tn_task_complete(completion, self->status, NULL), TN_OK);
    cr_assert_eq(tn_task_complete(completion, TN_OK, NULL), TN_FAILED_PRECONDITION);
    ASSERT_MESSAGE("complete already");
}

Test(schedule_async, completed_before_it_returns_and_once_too_often) {
    tn_resource *resource = new_resource();
    step self = {.status = TN_BUSY};
    tn_task task = describe_async(&self, &resource);
    task.start = complete_at_once;
    push(&task);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_BUSY);
    ASSERT_MESSAGE("task 'step': the object is still in use");
    cr_assert_eq(tn_task_complete(NULL, TN_OK, NULL), TN_INVALID_ARGUMENT);
    await_all();
    tn_resource_release(resource);
}

Test(schedule_async, none_of_them_holds_a_worker) {
    enum { COUNT = 20 }; /* with two workers */
    step steps[COUNT] = {{0}};
    gate arrived[COUNT];
    for (int i = 0; i < COUNT; i++) {
        arrived[i] = (gate)GATE_CLOSED;
        steps[i].arrival = &arrived[i];
        const tn_task task = describe_async(&steps[i], NULL);
        push(&task);
    }
    for (int i = 0; i < COUNT; i++) {
        gate_pass(&arrived[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(tn_task_complete(steps[i].completion, TN_OK, NULL), TN_OK);
    }
    await_all();
}
