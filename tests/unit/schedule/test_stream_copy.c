/* Copies of tensors as tasks, on the device of the other device tests. */
#include "../device/fake_backend.h"
#include "schedule/schedule.h"

/* The streams of tasks are kept for a while. */
static void tear_down(void) {
    tni_schedule_drop_idle(runtime);
    fake_tear_down();
}

TestSuite(schedule_copy, .init = fake_set_up, .fini = tear_down, .timeout = 60);

typedef struct copy {
    const tn_tensor *source;
    tn_tensor *target;
    tn_device *device;
} copy;

static tn_status queue_copy(void *context, tn_stream *stream) {
    const copy *self = context;
    cr_assert_eq(tn_stream_device(stream), self->device);
    return tn_stream_copy(stream, self->source, self->target);
}

static tn_tensor *on_host(int32_t begin) {
    const int64_t extents[] = {3};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, extents, &tensor), TN_OK);
    for (int32_t i = 0; i < 3; i++) {
        ((int32_t *)tn_tensor_data(tensor))[i] = begin + i;
    }
    return tensor;
}

static tn_tensor *on_device(tn_device *device) {
    const int64_t extents[] = {3};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_on(device, TN_I32, 1, extents, &tensor), TN_OK);
    return tensor;
}

static tn_status push_copy(tn_device *device, copy *self) {
    tn_resource *read, *write;
    cr_assert_eq(tn_tensor_resource((tn_tensor *)(uintptr_t)self->source, &read), TN_OK);
    cr_assert_eq(tn_tensor_resource(self->target, &write), TN_OK);
    self->device = device;
    const tn_task task = {
        .struct_size = TN_TASK_SIZE,
        .name = "copy",
        .flags = TN_TASK_COPY,
        .reads = &read,
        .read_count = 1,
        .writes = &write,
        .write_count = 1,
        .device = device,
        .queue = queue_copy,
        .context = self,
    };
    cr_assert_eq(tn_task_push(runtime, &task), TN_OK, "%s", tn_error_message());
    const tn_status status = tn_resource_wait(write, TN_ACCESS_READ, TN_WAIT_FOREVER);
    tn_resource_release(read);
    tn_resource_release(write);
    return status;
}

Test(schedule_copy, there_across_and_back) {
    tn_device *device = open_device("fake");
    tn_tensor *source = on_host(5), *target = on_host(0);
    tn_tensor *first = on_device(device), *second = on_device(device);
    cr_assert_eq(push_copy(device, &(copy){source, first, NULL}), TN_OK);
    cr_assert_eq(push_copy(device, &(copy){first, second, NULL}), TN_OK);
    cr_assert_eq(push_copy(device, &(copy){second, target, NULL}), TN_OK);
    for (int32_t i = 0; i < 3; i++) {
        cr_assert_eq(((int32_t *)tn_tensor_data(target))[i], 5 + i);
    }
    tn_tensor_release(source);
    tn_tensor_release(target);
    tn_tensor_release(first);
    tn_tensor_release(second);
    tn_device_close(device);
}

Test(schedule_copy, what_does_not_fit_is_refused) {
    tn_device *device = open_device("fake:0"), *other = open_device("fake:1");
    const int64_t extents[] = {4};
    tn_tensor *here = on_device(device), *there = on_device(other), *host = on_host(0), *longer;
    tn_tensor *second = on_host(0);
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, extents, &longer), TN_OK);
    cr_assert_eq(push_copy(device, &(copy){here, there, NULL}), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("task 'copy': copy on fake:0: a tensor lies on another device");
    cr_assert_eq(push_copy(device, &(copy){longer, here, NULL}), TN_INVALID_ARGUMENT);
    cr_assert_eq(push_copy(device, &(copy){host, second, NULL}), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("neither tensor lies on the device");
    cr_assert_eq(push_copy(device, &(copy){here, here, NULL}), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("share memory");
    fake.fail_copy = TN_UNSUPPORTED;
    cr_assert_eq(push_copy(device, &(copy){host, here, NULL}), TN_UNSUPPORTED);
    ASSERT_MESSAGE("device fake:0: copy");
    fake.fail_copy = TN_OK;
    fake.fail_wait = TN_DEVICE_LOST;
    cr_assert_eq(push_copy(device, &(copy){host, here, NULL}), TN_DEVICE_LOST);
    fake.fail_wait = TN_OK;
    tn_tensor_release(here);
    tn_tensor_release(there);
    tn_tensor_release(host);
    tn_tensor_release(longer);
    tn_tensor_release(second);
    tn_device_close(device);
    tn_device_close(other);
}
