/* Tensors in a device's memory. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "tensor/tensor.h"

/* Gives the buffer of a storage back to its device. */
static void release_buffer(void *context) {
    tni_storage *storage = context;
    tni_device_free(storage->device, storage->buffer, storage->size);
    tni_device_release(storage->device);
}

static tn_status create_storage(tn_device *device, uint64_t size, tni_storage **out_storage) {
    void *buffer;
    TNI_TRY(tni_device_allocate(device, size, &buffer));
    tni_storage *storage;
    const tn_status status = tni_storage_wrap(buffer, size, release_buffer, NULL, &storage);
    if (status != TN_OK) {
        tni_device_free(device, buffer, size);
        return status;
    }
    tni_device_retain(device);
    storage->context = storage;
    storage->device = device;
    storage->device_id = device->id;
    storage->host_addressable = tni_device_is_host_addressable(device) ? 1 : 0;
    *out_storage = storage;
    return TN_OK;
}

tn_status tn_tensor_create_on(tn_device *device, tn_dtype dtype, int32_t rank,
                              const int64_t *extents, tn_tensor **out_tensor) {
    if (device == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the device is NULL: open one with tn_device_open");
    }
    uint64_t size;
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    tni_storage *storage;
    TNI_TRY(create_storage(device, size, &storage));
    const tn_status status =
        tni_tensor_over(device->runtime, storage, 0, dtype, rank, extents, out_tensor);
    tni_storage_release(storage);
    return status;
}

/* A device whose memory is the process's own has every host tensor already. */
static bool is_on(const tn_tensor *tensor, const tn_device *device) {
    const tni_storage *storage = tensor->storage;
    return storage->device == device ||
           (storage->device == NULL && tni_device_is_host_addressable(device) &&
            device->id.type == TN_DEVICE_TYPE_CPU);
}

tn_status tn_tensor_to_device(tn_tensor *tensor, tn_device *device, tn_tensor **out_tensor) {
    if (device == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the device is NULL: open one with tn_device_open");
    }
    if (is_on(tensor, device)) {
        tn_tensor_retain(tensor);
        *out_tensor = tensor;
        return TN_OK;
    }
    const tn_view *view = &tensor->view;
    tn_tensor *copy;
    TNI_TRY(tn_tensor_create_on(device, view->dtype, view->rank, view->shape, &copy));
    const tn_status status = tn_tensor_copy(tensor, copy);
    if (status != TN_OK) {
        tn_tensor_release(copy);
        return status;
    }
    *out_tensor = copy;
    return TN_OK;
}
