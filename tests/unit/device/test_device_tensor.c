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
