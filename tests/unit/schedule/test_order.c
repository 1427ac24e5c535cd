#include "schedule_fixture.h"

#include "tensor/tensor.h"

SCHEDULE_SUITE(schedule_order);

Test(schedule_order, writers_run_in_push_order) {
    tn_resource *resource = new_resource();
    step steps[200] = {{0}};
    for (int i = 0; i < 200; i++) {
        steps[i].number = i;
        push_step(&steps[i], NULL, resource);
    }
    await(resource);
    cr_assert_eq(step_log.count, 200);
    for (int i = 0; i < 200; i++) {
        cr_assert_eq(step_log.steps[i], i);
        cr_assert_eq(steps[i].released, 1, "released before the wait is over");
    }
    tn_resource_release(resource);
}

Test(schedule_order, readers_run_at_the_same_time) {
    tn_resource *resource = new_resource();
    gate first_here = GATE_CLOSED, second_here = GATE_CLOSED;
    /* Each passes only when the other has arrived. */
    step first = {.arrival = &first_here, .gate = &second_here};
    step second = {.arrival = &second_here, .gate = &first_here};
    push_step(&first, resource, NULL);
    push_step(&second, resource, NULL);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    cr_assert_eq(first.ran + second.ran, 2);
    tn_resource_release(resource);
}

Test(schedule_order, a_writer_waits_for_readers_and_readers_for_it) {
    tn_resource *resource = new_resource();
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED;
    step reader = {.number = 1, .gate = &hold, .arrival = &arrived};
    step writer = {.number = 2};
    step late = {.number = 3};
    push_step(&reader, resource, NULL);
    push_step(&writer, NULL, resource);
    push_step(&late, resource, NULL);
    gate_pass(&arrived);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, 20000000), TN_TIMEOUT);
    ASSERT_MESSAGE("not done after 20000000 ns");
    cr_assert_eq(writer.ran + late.ran, 0);
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(step_log.steps[i], i + 1);
    }
    tn_resource_release(resource);
}

Test(schedule_order, tasks_that_share_nothing_pass_each_other) {
    tn_resource *one = new_resource(), *other = new_resource();
    gate hold = GATE_CLOSED;
    step slow = {.gate = &hold};
    step quick = {0};
    push_step(&slow, NULL, one);
    push_step(&quick, NULL, other);
    await(other);
    cr_assert_eq(tn_resource_wait(one, TN_ACCESS_READ, 0), TN_TIMEOUT);
    gate_open(&hold);
    await(one);
    tn_resource_release(one);
    tn_resource_release(other);
}

Test(schedule_order, named_twice_counts_once_and_read_and_written_is_written) {
    tn_resource *resource = new_resource();
    tn_resource *thrice[] = {resource, resource, resource};
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED;
    step writer = {.number = 1, .gate = &hold, .arrival = &arrived};
    step reader = {.number = 2};
    tn_task task = describe(&writer, NULL, NULL);
    task.reads = task.writes = thrice;
    task.read_count = 3;
    task.write_count = 2;
    push(&task);
    gate_pass(&arrived);
    push_step(&reader, resource, NULL);
    usleep(10000);
    cr_assert_eq(reader.ran, 0);
    gate_open(&hold);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_WRITE, TN_WAIT_FOREVER), TN_OK);
    cr_assert_eq(reader.ran, 1);
    cr_assert_null(resource->first);
    cr_assert_eq(resource->active, 0);
    tn_resource_release(resource);
}

Test(schedule_order, many_at_once) {
    tn_resource *resource = new_resource();
    step steps[300] = {{0}};
    tn_task tasks[300];
    const tn_task *pointers[300];
    for (int i = 0; i < 300; i++) {
        steps[i].number = i;
        tasks[i] = describe(&steps[i], NULL, &resource);
        pointers[i] = &tasks[i];
    }
    cr_assert_eq(tn_task_push_many(runtime, pointers, 300), TN_OK);
    cr_assert_eq(tn_task_push_many(runtime, NULL, 0), TN_OK);
    await_all();
    for (int i = 0; i < 300; i++) {
        cr_assert_eq(step_log.steps[i], i);
    }
    tn_resource_release(resource);
}

Test(schedule_order, a_tensor_and_its_slices_are_one_resource) {
    const int64_t extents[] = {4};
    tn_tensor *tensor, *slice, *other;
    tn_resource *of_tensor, *of_slice, *of_other;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, extents, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, extents, &other), TN_OK);
    cr_assert_eq(tn_tensor_slice(tensor, 1, 3, &slice), TN_OK);
    cr_assert_eq(tn_tensor_resource(tensor, &of_tensor), TN_OK);
    cr_assert_eq(tn_tensor_resource(slice, &of_slice), TN_OK);
    cr_assert_eq(tn_tensor_resource(other, &of_other), TN_OK);
    cr_assert_eq(of_tensor, of_slice);
    cr_assert_neq(of_tensor, of_other);
    tn_tensor_release(tensor);
    tn_tensor_release(slice);
    tn_tensor_release(other);
    step writer = {0}; /* the resource outlives the memory while somebody has it */
    push_step(&writer, NULL, of_tensor);
    await(of_slice);
    tn_resource_release(of_tensor);
    tn_resource_release(of_slice);
    tn_resource_release(of_other);
}

Test(schedule_order, a_failure_stays_with_the_tensor) {
    const int64_t extents[] = {4};
    tn_tensor *tensor;
    tn_resource *resource;
    step writer = {.number = 7, .status = TN_IO};
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, extents, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_resource(tensor, &resource), TN_OK);
    push_step(&writer, NULL, resource);
    tn_resource_release(resource);
    cr_assert_eq(tn_task_wait_all(runtime, TN_WAIT_FOREVER), TN_IO);
    cr_assert_eq(tn_tensor_resource(tensor, &resource), TN_OK);
    cr_assert_eq(tn_resource_wait(resource, TN_ACCESS_READ, TN_WAIT_FOREVER), TN_IO);
    tn_resource_release(resource);
    tn_tensor_release(tensor);
}
