/* Work that is queued on device streams. */
#include "schedule_fixture.h"

SCHEDULE_SUITE(schedule_device);

static tn_device *open_timeline(uint32_t backend, uint32_t index) {
    tn_device *device = timeline_open(runtime, backend, index);
    cr_assert_not_null(device, "%s", tn_error_message());
    return device;
}

Test(schedule_device, a_chain_is_queued_before_its_first_link_is_done) {
    enum { COUNT = 40 };
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED;
    step steps[COUNT] = {{.gate = &hold}};
    for (int i = 0; i < COUNT; i++) {
        steps[i].number = i;
        push_on(device, 0, &steps[i], resource, resource);
    }
    const tni_scheduler *scheduler = runtime->scheduler;
    for (int i = 0; i < 2000 && atomic_load(&scheduler->lanes[0]->ready.count) > 0; i++) {
        usleep(1000);
    }
    cr_assert_eq(atomic_load(&scheduler->lanes[0]->ready.count), 0, "all went to the device");
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, 1000000), TN_TIMEOUT);
    gate_open(&hold);
    await(resource);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(step_log.steps[i], i);
        cr_assert_eq(steps[i].released, 1);
    }
    cr_assert_lt(atomic_load(&timeline.submits), COUNT, "submitted in batches");
    tn_resource_release(resource);
    tn_device_close(device);
}

Test(schedule_device, streams_of_one_backend_are_ordered_on_the_device) {
    tn_device *device = open_timeline(0, 0), *other = open_timeline(0, 1);
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED;
    step first = {.number = 1, .gate = &hold}, second = {.number = 2}, third = {.number = 3};
    push_on(device, 0, &first, NULL, resource);
    push_on(device, TN_TASK_COPY, &second, NULL, resource);
    push_on(other, 0, &third, resource, NULL);
    for (int i = 0; i < 2000 && atomic_load(&timeline.stream_waits) < 2; i++) {
        usleep(1000);
    }
    cr_assert_eq(atomic_load(&timeline.stream_waits), 2, "while the first is still running");
    cr_assert_eq(second.ran + third.ran, 0);
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(step_log.steps[i], i + 1);
    }
    tn_resource_release(resource);
    tn_device_close(device);
    tn_device_close(other);
}

Test(schedule_device, another_backend_and_the_host_wait_for_the_end) {
    tn_device *device = open_timeline(0, 0), *foreign = open_timeline(1, 0);
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED;
    step first = {.number = 1, .gate = &hold}, second = {.number = 2}, third = {.number = 3};
    step unrelated[2] = {{.number = 4}, {.number = 5}};
    push_on(device, 0, &first, NULL, resource);
    push_on(foreign, 0, &second, resource, resource);
    push_step(&third, resource, resource);
    for (int i = 0; i < 2; i++) { /* no worker is held up */
        tn_resource *own = new_resource();
        push_step(&unrelated[i], NULL, own);
        await(own);
        tn_resource_release(own);
    }
    cr_assert_eq(second.ran + third.ran, 0);
    cr_assert_eq(atomic_load(&timeline.stream_waits), 0);
    gate_open(&hold);
    await(resource);
    cr_assert_eq(third.ran, 1);
    tn_resource_release(resource);
    tn_device_close(device);
    tn_device_close(foreign);
}

/* A reader on the host is not in the way of a reader on the device. */
Test(schedule_device, a_host_reader_between_two_device_tasks) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource(), *result = new_resource();
    gate hold = GATE_CLOSED;
    step writes = {.number = 1}, host = {.number = 2, .gate = &hold}, reads = {.number = 3};
    push_on(device, 0, &writes, NULL, resource);
    push_step(&host, resource, NULL);
    push_on(device, 0, &reads, resource, result);
    await(result);
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    tn_resource_release(resource);
    tn_resource_release(result);
    tn_device_close(device);
}

Test(schedule_device, an_error_of_the_device_reaches_what_was_queued_behind_it) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *first = new_resource(), *second = new_resource();
    gate hold = GATE_CLOSED;
    step fails = {.number = 1, .gate = &hold, .status = TN_DEVICE_LOST};
    step behind = {.number = 2}, host = {.number = 3};
    push_on(device, 0, &fails, NULL, first);
    push_on(device, TN_TASK_COPY, &behind, first, second);
    push_step(&host, second, NULL);
    for (int i = 0; i < 2000 && atomic_load(&timeline.stream_waits) < 1; i++) {
        usleep(1000);
    }
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(second, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_DEVICE_LOST);
    ASSERT_MESSAGE("task 'step': device timeline:0");
    cr_assert_eq(tn_resource_wait(first, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_DEVICE_LOST);
    cr_assert_eq(host.ran, 0);
    cr_assert_eq(fails.released + behind.released + host.released, 3);
    tn_resource_release(first);
    tn_resource_release(second);
    tn_device_close(device);
}

static tn_status refuse_to_queue(void *context, tn_stream *stream) {
    const step *self = context;
    (void)stream;
    return tni_fail(TN_UNSUPPORTED, "step %d cannot be queued", self->number);
}

Test(schedule_device, failures_to_queue_submit_wait_and_make_a_stream) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    step steps[4] = {{.number = 1}, {.number = 2}, {.number = 3}, {.number = 4}};
    atomic_store(&timeline.fail_stream, TN_OUT_OF_MEMORY);
    push_on(device, 0, &steps[0], NULL, resource);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_OUT_OF_MEMORY);
    ASSERT_MESSAGE("device timeline:0: stream");
    atomic_store(&timeline.fail_stream, TN_OK);
    tn_task task = describe(&steps[1], NULL, &resource);
    task.run = NULL;
    task.queue = refuse_to_queue;
    task.device = device;
    push(&task);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_UNSUPPORTED);
    ASSERT_MESSAGE("task 'step': step 2 cannot be queued");
    atomic_store(&timeline.fail_submit, TN_DEVICE_LOST);
    push_on(device, 0, &steps[2], NULL, resource);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_DEVICE_LOST);
    atomic_store(&timeline.fail_submit, TN_OK);
    push_on(device, 0, &steps[3], NULL, resource);
    await(resource);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(steps[i].released, 1);
    }
    tn_resource_release(resource);
    tn_device_close(device);
}

Test(schedule_device, a_wait_on_the_device_that_fails) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED;
    step first = {.gate = &hold}, second = {0};
    atomic_store(&timeline.fail_wait_stream, TN_UNAVAILABLE);
    push_on(device, 0, &first, NULL, resource);
    push_on(device, TN_TASK_COPY, &second, NULL, resource);
    for (int i = 0; i < 2000 && atomic_load(&timeline.stream_waits) < 1; i++) {
        usleep(1000);
    }
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_UNAVAILABLE);
    cr_assert_eq(second.ran, 0);
    tn_resource_release(resource);
    tn_device_close(device);
}

Test(schedule_device, a_synchronous_device_needs_no_second_thread) {
    timeline.flags = TN_DEVICE_SYNCHRONOUS;
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    step steps[2] = {{0}};
    push_on(device, 0, &steps[0], NULL, resource);
    push_step(&steps[1], resource, resource);
    await(resource);
    cr_assert_eq(steps[1].ran, 1);
    cr_assert_not(runtime->scheduler->lanes[0]->has_watch);
    tn_resource_release(resource);
    tn_device_close(device);
}

Test(schedule_device, host_work_on_the_device_thread) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    step queued = {.number = 1}, runs = {.number = 2};
    push_on(device, 0, &queued, NULL, resource);
    tn_task task = describe(&runs, &resource, NULL);
    task.device = device;
    push(&task);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    cr_assert_eq(step_log.steps[1], 2);
    cr_assert_eq(runtime->scheduler->worker_count, 0);
    tn_resource_release(resource);
    tn_device_close(device);
}

Test(schedule_device, an_idle_lane_gives_its_device_back) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource();
    step steps[2] = {{0}};
    push_on(device, 0, &steps[0], NULL, resource);
    await(resource);
    tn_device_close(device);
    cr_assert_eq(atomic_load(&timeline.opened), 1, "kept for the next task");
    tni_schedule_drop_idle(runtime);
    cr_assert_eq(atomic_load(&timeline.opened), 0);
    device = open_timeline(0, 2); /* the lane serves another device now */
    push_on(device, 0, &steps[1], NULL, resource);
    await(resource);
    cr_assert_eq(runtime->scheduler->lane_count, 1);
    tn_device_close(device);
    for (int i = 0; i < 3000 && atomic_load(&timeline.opened) > 0; i++) {
        usleep(1000);
    }
    cr_assert_eq(atomic_load(&timeline.opened), 0, "by itself, after a while");
    tn_resource_release(resource);
}

TestSuite(schedule_device_end, .init = set_up, .timeout = 60);

Test(schedule_device_end, what_the_device_has_is_waited_for_and_the_rest_cancelled) {
    tn_device *device = open_timeline(0, 0);
    tn_resource *resource = new_resource(), *other = new_resource();
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED, host_hold = GATE_CLOSED;
    step running = {.gate = &hold, .arrival = &arrived}, host = {.gate = &host_hold}, never = {0};
    push_on(device, 0, &running, NULL, resource);
    push_step(&host, NULL, other);
    push_on(device, 0, &never, other, resource);
    gate_pass(&arrived);
    tn_device_close(device);
    gate_open(&host_hold);
    gate_open(&hold);
    tear_down();
    cr_assert_eq(running.released + host.released + never.released, 3);
    cr_assert_eq(running.ran, 1);
    tn_resource_release(resource);
    tn_resource_release(other);
}
