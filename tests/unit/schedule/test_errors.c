#include "schedule_fixture.h"

SCHEDULE_SUITE(schedule_errors);

Test(schedule_errors, an_error_travels_to_whoever_waits) {
    tn_resource *first = new_resource(), *second = new_resource(), *third = new_resource();
    step fails = {.number = 1, .status = TN_CORRUPT};
    step reads = {.number = 2}, writes = {.number = 3}, after = {.number = 4};
    tn_task task = describe(&fails, NULL, &first);
    task.name = "decode";
    push(&task);
    push_step(&reads, first, second);
    push_step(&writes, second, third);
    cr_assert_eq(tn_resource_wait(third, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_CORRUPT);
    cr_assert_str_eq(tn_error_message(), "task 'decode': step 1 fails");
    cr_assert_eq(reads.ran + writes.ran, 0);
    cr_assert_eq(reads.released, 1);
    cr_assert_eq(writes.released, 1);
    await(third); /* told once */
    cr_assert_eq(tn_resource_wait(second, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_CORRUPT);
    push_step(&after, NULL, second);
    await(second);
    cr_assert_eq(after.ran, 1);
    cr_assert_eq(tn_resource_clear(first), TN_OK);
    await(first);
    await_all(); /* somebody was told already */
    tn_resource_release(first);
    tn_resource_release(second);
    tn_resource_release(third);
}

Test(schedule_errors, a_writer_of_something_poisoned_does_not_run) {
    tn_resource *resource = new_resource();
    step fails = {.number = 1, .status = TN_IO}, writes = {.number = 2};
    push_step(&fails, NULL, resource);
    push_step(&writes, NULL, resource);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_IO);
    cr_assert_eq(writes.ran, 0);
    tn_resource_release(resource);
}

Test(schedule_errors, the_wait_takes_its_turn_among_the_tasks) {
    tn_resource *resource = new_resource(), *result = new_resource();
    gate hold = GATE_CLOSED;
    step fails = {.number = 1, .status = TN_IO, .gate = &hold}, before = {0}, after = {0};
    push_step(&fails, NULL, resource);
    push_step(&before, resource, result);
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_IO);
    push_step(&after, resource, NULL);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    cr_assert_eq(before.ran, 0, "pushed before the error was cleared");
    cr_assert_eq(after.ran, 1);
    cr_assert_eq(tn_resource_wait(result, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_IO);
    tn_resource_release(resource);
    tn_resource_release(result);
}

Test(schedule_errors, a_failure_that_nobody_waits_for_is_given_to_wait_all) {
    step fails = {.number = 5, .status = TN_IO}, second = {.number = 6, .status = TN_BUSY};
    push_step(&fails, NULL, NULL);
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_IO);
    ASSERT_MESSAGE("task 'step': step 5 fails");
    await_all();
    push_step(&second, NULL, NULL);
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_BUSY);
}

static tn_status return_nonsense(void *context) {
    (void)context;
    return 4711;
}

static tn_status fail_silently(void *context) {
    (void)context;
    return TN_UNSUPPORTED;
}

Test(schedule_errors, a_status_that_is_none_and_a_failure_without_words) {
    tn_resource *resource = new_resource();
    step unused = {0};
    tn_task task = describe(&unused, NULL, &resource);
    task.name = NULL;
    task.run = return_nonsense;
    push(&task);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_INTERNAL);
    ASSERT_MESSAGE("task 'task': ");
    task.run = fail_silently;
    task.name = "a name that is far too long for the room that a task has for it, really";
    push(&task);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_UNSUPPORTED);
    ASSERT_MESSAGE("task 'a name that is far too long for the room that a': this is valid");
    cr_assert_eq(unused.released, 2);
    tn_resource_release(resource);
}

static void refuse(tn_task task, const char *why) {
    step *self = task.context;
    const int released = self->released;
    cr_assert_eq(tn_task_push(runtime, &task), TN_INVALID_ARGUMENT, "%s", why);
    ASSERT_MESSAGE(why);
    cr_assert_eq(self->released, released + 1, "released also when it is refused");
}

Test(schedule_errors, descriptions_that_make_no_sense) {
    tn_resource *none = NULL;
    step self = {0};
    const tn_task good = describe(&self, NULL, NULL);
    tn_task task = good;
    task.run = NULL;
    refuse(task, "task 'step': expected one of run, start and queue, not 0");
    task.run = take_step;
    task.queue = queue_step;
    refuse(task, "not 2 of them");
    task.run = NULL;
    refuse(task, "queue needs a device");
    task = good;
    task.flags = 6;
    refuse(task, "flags 0x6");
    task = good;
    task.reads = &none;
    task.read_count = 1;
    refuse(task, "number 0 of its reads is NULL");
    task.reads = NULL;
    refuse(task, "1 reads are announced, but the list is NULL");
    task = good;
    task.struct_size = 8;
    cr_assert_eq(tn_task_push(runtime, &task), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("TN_TASK_SIZE");
    cr_assert_eq(tn_task_push(runtime, NULL), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_task_push(NULL, &good), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_task_push_many(runtime, NULL, 3), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_resource_wait(NULL, TN_ACCESS_READ, 0), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_resource_clear(NULL), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_resource_create(NULL, &none), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_resource(NULL, &none), TN_INVALID_ARGUMENT);
    tn_resource_release(NULL);
    cr_assert_eq(self.ran, 0);
}

Test(schedule_errors, many_are_pushed_all_or_none) {
    step steps[3] = {{0}};
    tn_task tasks[3];
    const tn_task *pointers[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = describe(&steps[i], NULL, NULL);
        pointers[i] = &tasks[i];
    }
    tasks[2].run = NULL;
    cr_assert_eq(tn_task_push_many(runtime, pointers, 3), TN_INVALID_ARGUMENT);
    await_all();
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(steps[i].ran, 0);
        cr_assert_eq(steps[i].released, 1);
    }
}

Test(schedule_errors, resources_of_another_runtime) {
    tn_runtime *other = new_runtime();
    tn_resource *foreign;
    step self = {0};
    cr_assert_eq(tn_resource_create(other, &foreign), TN_OK);
    refuse(describe(&self, NULL, &foreign), "belongs to another runtime");
    tn_resource_release(foreign);
    tn_runtime_destroy(other);
}
