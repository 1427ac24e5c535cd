#include <tenon/scheduler.h>
#include <tenon/tensor.h>

#include "fake_backend.h"
#include "tensor/tensor.h"

FAKE_SUITE(device_tensor);

static const int64_t extents[] = {2, 3};

Test(device_tensor, create_on_a_device) {
    tn_device *device = open_device("fake:1");
    tn_tensor *tensor, *row;
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 2, extents, &tensor), TN_OK);
    cr_assert_null(tn_tensor_data(tensor));
    const tn_view *view = tn_tensor_view(tensor);
    cr_assert_eq(view->device.type, TN_DEVICE_TYPE_VULKAN);
    cr_assert_eq(view->device.index, 1);
    cr_assert_eq(view->byte_offset, 0);
    cr_assert_eq(tn_tensor_slice(tensor, 1, 2, &row), TN_OK);
    cr_assert_eq(tn_tensor_view(row)->data, view->data);
    cr_assert_eq(tn_tensor_view(row)->byte_offset, 12);
    cr_assert_null(tn_tensor_data(row));
    tn_device_close(device);
    tn_tensor_release(tensor);
    cr_assert_eq(fake.opened, 1, "the view keeps the device open");
    tn_tensor_release(row);
    cr_assert_eq(fake.opened, 0);
}

Test(device_tensor, empty_tensors) {
    tn_device *device = open_device("fake");
    const int64_t none[] = {0};
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 1, none, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_byte_size(tensor), 0);
    tn_tensor_release(tensor);
    tn_device_close(device);
}

Test(device_tensor, failures) {
    tn_device *device = open_device("fake");
    tn_tensor *tensor = NULL;
    cr_assert_eq(tn_tensor_create_on(NULL, TN_F32, 2, extents, &tensor), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_create_on(device, 0, 2, extents, &tensor), TN_INVALID_ARGUMENT);
    fake.budget = 10;
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 2, extents, &tensor), TN_OUT_OF_MEMORY);
    cr_assert_null(tensor);
    tn_device_close(device);
}

Test(device_tensor, to_device_and_on_to_another) {
    tn_device *device = open_device("fake:0");
    tn_device *other = open_device("fake:1");
    tn_tensor *host, *there, *same, *further;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 2, extents, &host), TN_OK);
    int32_t *data = tn_tensor_data(host);
    for (int i = 0; i < 6; i++) {
        data[i] = i;
    }
    cr_assert_eq(tn_tensor_to_device(host, device, &there), TN_OK);
    cr_assert_neq(host, there);
    cr_assert_eq(tn_tensor_to_device(there, device, &same), TN_OK);
    cr_assert_eq(there, same);
    cr_assert_eq(tn_tensor_to_device(there, other, &further), TN_OK);
    int32_t back[6] = {0};
    cr_assert_eq(tn_tensor_read(further, back, sizeof back), TN_OK);
    cr_assert_eq(back[5], 5);
    cr_assert_eq(tn_tensor_to_device(host, NULL, &same), TN_INVALID_ARGUMENT);
    fake.fail_copy = TN_DEVICE_LOST;
    cr_assert_eq(tn_tensor_to_device(host, device, &same), TN_DEVICE_LOST);
    tn_tensor_release(host);
    tn_tensor_release(there);
    tn_tensor_release(there);
    tn_tensor_release(further);
    tn_device_close(device);
    tn_device_close(other);
}

/* A buffer that was freed while a copy into it is queued is not the next tensor's: the copy would
 * write over that. */
Test(device_tensor, memory_of_queued_work_is_not_handed_out) {
    tn_device *device = open_device("fake");
    tn_stream *stream;
    tn_tensor *source, *target, *next;
    cr_assert_eq(tni_stream_create(device, &stream), TN_OK);
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 2, extents, &source), TN_OK);
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 2, extents, &target), TN_OK);
    const float ones[] = {1, 1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2, 2};
    float got[6];
    cr_assert_eq(tn_tensor_write(source, ones, sizeof ones), TN_OK);
    cr_assert_eq(tn_stream_copy(stream, source, target), TN_OK);
    tn_tensor_release(target);
    tn_tensor_release(source);
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 2, extents, &next), TN_OK);
    cr_assert_eq(tn_tensor_write(next, twos, sizeof twos), TN_OK);
    cr_assert_eq(tni_stream_finish(stream), TN_OK);
    cr_assert_eq(tn_tensor_read(next, got, sizeof got), TN_OK);
    cr_assert_eq(got[0], 2);
    tni_stream_destroy(stream);
    tn_tensor_release(next);
    tn_device_close(device);
}

Test(device_tensor, pinned_memory_is_copied_directly) {
    tn_device *device = open_device("fake");
    tn_tensor *pinned, *row, *there, *back;
    const int64_t row_extents[] = {1, 3};
    cr_assert_eq(tn_tensor_create_pinned(device, TN_I32, 2, extents, &pinned), TN_OK);
    int32_t *data = tn_tensor_data(pinned);
    cr_assert_not_null(data);
    cr_assert_eq(tn_tensor_view(pinned)->device.type, TN_DEVICE_TYPE_CPU);
    for (int i = 0; i < 6; i++) {
        data[i] = i;
    }
    cr_assert_eq(tn_tensor_slice(pinned, 1, 2, &row), TN_OK);
    cr_assert_eq(tn_tensor_create_on(device, TN_I32, 2, row_extents, &there), TN_OK);
    cr_assert_eq(tn_tensor_create_pinned(device, TN_I32, 2, row_extents, &back), TN_OK);
    fake.host_copies = 0;
    cr_assert_eq(tn_tensor_copy(row, there), TN_OK);
    cr_assert_eq(tn_tensor_copy(there, back), TN_OK);
    cr_assert_eq(fake.host_copies, 0, "the bytes went through a copy of the host's");
    cr_assert_eq(((int32_t *)tn_tensor_data(back))[2], 5);
    tn_device *other = open_device("fake:1");
    tn_tensor *elsewhere;
    cr_assert_eq(tn_tensor_to_device(pinned, other, &elsewhere), TN_OK);
    cr_assert_eq(fake.host_copies, 1, "to another device it is memory like any other");
    tn_tensor_release(elsewhere);
    tn_device_close(other);
    tn_device_close(device);
    tn_tensor_release(back);
    tn_tensor_release(there);
    tn_tensor_release(pinned);
    cr_assert_eq(fake.opened, 1, "the slice keeps the device open");
    tn_tensor_release(row);
    cr_assert_eq(fake.opened, 0);
    cr_assert_eq(fake.buffers, 0);
}

Test(device_tensor, devices_without_pinned_memory) {
    tn_device *device = open_device("fake");
    tn_tensor *tensor = NULL;
    fake.fail_map = TN_UNSUPPORTED;
    cr_assert_eq(tn_tensor_create_pinned(device, TN_I32, 2, extents, &tensor), TN_UNSUPPORTED);
    fake.fail_map = TN_OK;
    fake.budget = 10;
    cr_assert_eq(tn_tensor_create_pinned(device, TN_I32, 2, extents, &tensor), TN_OUT_OF_MEMORY);
    cr_assert_eq(tn_tensor_create_pinned(NULL, TN_I32, 2, extents, &tensor), TN_INVALID_ARGUMENT);
    cr_assert_null(tensor);
    tn_device_close(device);
    cr_assert_eq(fake.buffers, 0);
}
