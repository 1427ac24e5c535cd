/* Tensors in a device's memory. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "plugin/runtime.h"
#include "tensor/sparse.h"
#include "tensor/tensor.h"

enum { HOST_ALIGNMENT = 64 };

/* Gives the buffer of a storage back to its device. */
static void release_buffer(void *context) {
    tni_storage *storage = context;
    if (atomic_load(&storage->is_queued) != 0) {
        tni_device_discard(storage->device, storage->buffer);
    } else {
        tni_device_free(storage->device, storage->buffer, storage->size);
    }
    tni_device_release(storage->device);
}

static void release_pinned(void *context) {
    tni_pinned *pinned = context;
    tni_device_discard(pinned->device, pinned->buffer);
    tni_device_release(pinned->device);
    tni_free(pinned);
}

static tn_status allocate_pinned(tn_device *device, uint64_t size, void **out_buffer,
                                 void **out_address) {
    const uint64_t least = size > 0 ? size : 1;
    tni_error_clear();
    TNI_TRY(tni_plugin_status(device->backend->allocate(device->device, least, HOST_ALIGNMENT,
                                                        TN_MEMORY_READBACK, out_buffer)));
    const tn_status status =
        tni_plugin_status(device->backend->map(device->device, *out_buffer, out_address));
    if (status != TN_OK) {
        tni_device_discard(device, *out_buffer);
    }
    return status;
}

static tn_status create_pinned_storage(tn_device *device, uint64_t size,
                                       tni_storage **out_storage) {
    tni_pinned *pinned = tni_allocate(1, sizeof *pinned);
    if (pinned == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    void *address;
    pinned->device = device;
    tn_status status = tni_in(allocate_pinned(device, size, &pinned->buffer, &address),
                              "device %s: pinned memory", device->name);
    if (status != TN_OK) {
        tni_free(pinned);
        return status;
    }
    tni_device_retain(device);
    status = tni_storage_wrap(address, size, release_pinned, pinned, out_storage);
    if (status != TN_OK) {
        release_pinned(pinned);
        return status;
    }
    (*out_storage)->is_pinned = 1;
    return TN_OK;
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

static tn_status create_over(tn_device *device,
                             tn_status (*create)(tn_device *device, uint64_t size,
                                                 tni_storage **out_storage),
                             tn_dtype dtype, int32_t rank, const int64_t *extents,
                             tn_tensor **out_tensor) {
    if (device == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the device is NULL: open one with tn_device_open");
    }
    uint64_t size;
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    tni_storage *storage;
    TNI_TRY(create(device, size, &storage));
    const tn_status status =
        tni_tensor_over(device->runtime, storage, 0, dtype, rank, extents, out_tensor);
    tni_storage_release(storage);
    return status;
}

tn_status tn_tensor_create_on(tn_device *device, tn_dtype dtype, int32_t rank,
                              const int64_t *extents, tn_tensor **out_tensor) {
    return create_over(device, create_storage, dtype, rank, extents, out_tensor);
}

tn_status tn_tensor_create_pinned(tn_device *device, tn_dtype dtype, int32_t rank,
                                  const int64_t *extents, tn_tensor **out_tensor) {
    return create_over(device, create_pinned_storage, dtype, rank, extents, out_tensor);
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
    TNI_TRY(tni_require_dense(tensor, "brought to a device"));
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
