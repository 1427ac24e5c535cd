/* Waits inside tasks, groups, the runtime's end, and forks. */
#include "schedule_fixture.h"

#include <sys/wait.h>

SCHEDULE_SUITE(schedule_end);

static tn_resource *shared;
static tn_status inner_status;
static uint32_t inner_access;

static tn_status wait_inside(void *context) {
    take_step(context);
    inner_status = tn_resource_wait(shared, inner_access, TN_WAIT_FOREVER);
    return inner_status;
}

Test(schedule_end, a_task_must_not_wait_for_itself) {
    static const struct {
        bool writes;
        uint32_t access;
        tn_status expected;
    } cases[] = {
        {true, TN_ACCESS_READ, TN_FAILED_PRECONDITION},
        {true, TN_ACCESS_WRITE, TN_FAILED_PRECONDITION},
        {false, TN_ACCESS_WRITE, TN_FAILED_PRECONDITION},
        {false, TN_ACCESS_READ, TN_OK},
    };
    shared = new_resource();
    for (int i = 0; i < 4; i++) {
        step self = {0};
        tn_task task =
            describe(&self, cases[i].writes ? NULL : &shared, cases[i].writes ? &shared : NULL);
        task.run = wait_inside;
        inner_access = cases[i].access;
        push(&task);
        tn_task_wait_all(runtime, TN_WAIT_FOREVER);
        cr_assert_eq(inner_status, cases[i].expected, "%d", i);
        tn_resource_clear(shared);
    }
    tn_resource_release(shared);
}

static tn_status wait_all_inside(void *context) {
    (void)context;
    return tn_task_wait_all(runtime, TN_WAIT_FOREVER);
}

Test(schedule_end, a_task_must_not_wait_for_all) {
    step self = {0};
    tn_task task = describe(&self, NULL, NULL);
    task.run = wait_all_inside;
    push(&task);
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_FAILED_PRECONDITION);
    ASSERT_MESSAGE("would wait for its own end");
}

Test(schedule_end, copies_must_not_wait_at_all) {
    step self = {0};
    shared = new_resource();
    tn_task task = describe(&self, NULL, NULL);
    task.run = wait_inside;
    task.flags = TN_TASK_COPY;
    inner_access = TN_ACCESS_READ;
    push(&task);
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_FAILED_PRECONDITION);
    ASSERT_MESSAGE("must not wait");
    tn_resource_release(shared);
}

/* As many waiting tasks as there are workers, and more; what they wait for still runs. */
Test(schedule_end, tasks_that_wait_do_not_use_the_workers_up) {
    enum { COUNT = 8 };
    step waiting[COUNT] = {{0}}, last = {0};
    gate hold = GATE_CLOSED, arrived[COUNT];
    step first = {.gate = &hold};
    shared = new_resource();
    inner_access = TN_ACCESS_READ;
    push_step(&first, NULL, shared);
    for (int i = 0; i < COUNT; i++) {
        arrived[i] = (gate)GATE_CLOSED;
        waiting[i].arrival = &arrived[i];
        tn_task task = describe(&waiting[i], NULL, NULL);
        task.run = wait_inside;
        push(&task);
    }
    push_step(&last, NULL, shared);
    for (int i = 0; i < COUNT; i++) {
        gate_pass(&arrived[i]);
    }
    gate_open(&hold);
    await_all();
    cr_assert_eq(last.ran, 1);
    const tni_scheduler *scheduler = runtime->scheduler;
    cr_assert_eq(scheduler->blocked, 0);
    for (int i = 0; i < 100 && scheduler->worker_count - scheduler->surplus_count > 2; i++) {
        step more = {0}; /* the additional threads park after their next task at the latest */
        push_step(&more, NULL, NULL);
        await_all();
        usleep(1000);
    }
    tn_resource_release(shared);
}

Test(schedule_end, a_group_counts_its_own_tasks) {
    tni_scheduler *scheduler = tni_scheduler_of(runtime);
    tni_task_group group = {0};
    gate hold = GATE_CLOSED;
    step other = {.gate = &hold}, steps[3] = {{.number = 1}, {.status = TN_IO, .number = 2}, {0}};
    tn_task tasks[3];
    const tn_task *pointers[3];
    push_step(&other, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        tasks[i] = describe(&steps[i], NULL, NULL);
        pointers[i] = &tasks[i];
    }
    cr_assert_eq(tni_task_push(scheduler, pointers, 3, &group), TN_OK);
    cr_assert_eq(tni_task_group_wait(scheduler, &group, TN_WAIT_FOREVER), TN_IO);
    ASSERT_MESSAGE("step 2 fails");
    cr_assert_eq(group.pending, 0);
    cr_assert_eq(tni_task_group_wait(scheduler, &group, TN_WAIT_FOREVER), TN_OK);
    tasks[0].run = NULL;
    cr_assert_eq(tni_task_push(scheduler, pointers, 1, &group), TN_INVALID_ARGUMENT);
    cr_assert_eq(group.pending, 0);
    gate_open(&hold);
    await_all();
}

Test(schedule_end, a_group_wait_with_a_time_out) {
    tni_scheduler *scheduler = tni_scheduler_of(runtime);
    tni_task_group group = {0};
    gate hold = GATE_CLOSED;
    step self = {.gate = &hold};
    const tn_task task = describe(&self, NULL, NULL);
    const tn_task *pointer = &task;
    cr_assert_eq(tni_task_push(scheduler, &pointer, 1, &group), TN_OK);
    cr_assert_eq(tni_task_group_wait(scheduler, &group, 1000000), TN_TIMEOUT);
    cr_assert_eq(tn_task_wait_all(runtime, 1000000), TN_TIMEOUT);
    gate_open(&hold);
    cr_assert_eq(tni_task_group_wait(scheduler, &group, TN_WAIT_FOREVER), TN_OK);
}

static void *open_later(void *context) {
    usleep(20000);
    gate_open(context);
    return NULL;
}

static tn_status late_status;

static tn_status push_late(void *context) {
    step *self = context;
    take_step(self);
    static step late;
    const tn_task task = describe(&late, NULL, NULL);
    late_status = tn_task_push(runtime, &task);
    cr_assert_eq(late.released, 1);
    return TN_OK;
}

static void set_up_one(void) {
    set_up_threads(1);
}

TestSuite(schedule_the_end, .init = set_up_one, .timeout = 60);

/* What runs is waited for, what has not begun is cancelled, everything is released. */
Test(schedule_the_end, of_a_runtime_with_tasks) {
    enum { COUNT = 50 };
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED;
    step running = {.gate = &hold, .arrival = &arrived}, steps[COUNT] = {{0}}, copy = {0};
    pthread_t opener;
    tn_resource *resource = new_resource();
    tn_task task = describe(&running, NULL, &resource);
    task.run = push_late;
    push(&task);
    for (int i = 0; i < COUNT; i++) {
        push_step(&steps[i], i % 2 == 0 ? resource : NULL, i % 3 == 0 ? resource : NULL);
    }
    task = describe(&copy, &resource, NULL);
    task.flags = TN_TASK_COPY;
    push(&task);
    gate_pass(&arrived);
    pthread_create(&opener, NULL, open_later, &hold);
    tn_runtime_destroy(runtime);
    pthread_join(opener, NULL);
    cr_assert_eq(running.ran, 1);
    cr_assert_eq(running.released, 1);
    cr_assert_eq(late_status, TN_FAILED_PRECONDITION);
    cr_assert_eq(copy.ran, 0);
    cr_assert_eq(copy.released, 1);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(steps[i].ran, 0);
        cr_assert_eq(steps[i].released, 1);
    }
    cr_assert_eq(resource->error->status, TN_CANCELLED);
    cr_assert_not_null(strstr(resource->error->text, "task 'step': cancelled"));
    tn_resource_release(resource); /* may outlive the runtime */
}

static void *wait_outside(void *context) {
    step *self = context;
    tn_resource *resource = shared;
    gate_open(self->arrival);
    self->status = tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER);
    return NULL;
}

Test(schedule_the_end, while_a_thread_waits) {
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED, waits = GATE_CLOSED;
    step running = {.gate = &hold, .arrival = &arrived}, never = {0};
    step outside = {.arrival = &waits};
    pthread_t opener, waiter;
    shared = new_resource();
    push_step(&running, NULL, shared);
    push_step(&never, NULL, shared);
    gate_pass(&arrived);
    pthread_create(&waiter, NULL, wait_outside, &outside);
    gate_pass(&waits);
    usleep(10000);
    pthread_create(&opener, NULL, open_later, &hold);
    tn_runtime_destroy(runtime);
    pthread_join(waiter, NULL);
    pthread_join(opener, NULL);
    cr_assert_eq(outside.status, TN_CANCELLED);
    tn_resource_release(shared);
}

/* In the child: 0 when all is as it should be. */
static int check_child(tn_resource *resource) {
    step self = {0};
    tn_task task = describe(&self, NULL, &resource);
    if (tn_task_push(runtime, &task) != TN_FAILED_PRECONDITION || self.released != 1 ||
        strstr(tn_error_message(), "forked") == NULL) {
        return 1;
    }
    if (tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER) != TN_FAILED_PRECONDITION ||
        tn_task_wait_all(runtime, TN_WAIT_FOREVER) != TN_FAILED_PRECONDITION ||
        tn_resource_clear(resource) != TN_FAILED_PRECONDITION) {
        return 2;
    }
    tni_schedule_drop_idle(runtime);
    tn_resource_release(resource);
    tn_runtime_destroy(runtime);
    set_up_threads(2); /* a runtime of its own works */
    resource = new_resource();
    push_step(&self, NULL, resource);
    if (tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER) != TN_OK || self.ran != 1) {
        return 3;
    }
    tn_resource_release(resource);
    tn_runtime_destroy(runtime);
    return 0;
}

Test(schedule_end, a_forked_child_is_told_and_does_not_hang) {
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED;
    step self = {.gate = &hold};
    push_step(&self, NULL, resource); /* the parent is in the middle of something */
    const pid_t child = fork();
    if (child == 0) {
        _exit(check_child(resource));
    }
    int status = -1;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), 0, "%d", WEXITSTATUS(status));
    gate_open(&hold);
    await(resource);
    tn_resource_release(resource);
}

Test(schedule_end, a_runtime_without_tasks_has_no_threads) {
    tn_resource *resource = new_resource();
    await(resource);
    await_all();
    cr_assert_eq(runtime->scheduler->worker_count, 0);
    tn_resource_release(resource);
}
