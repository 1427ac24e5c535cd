/* Copies of tensors as device work. */
#include "base/error.h"
#include "schedule/task.h"

tn_device *tn_stream_device(tn_stream *stream) {
    return stream->device;
}

static bool is_on(const tn_tensor *tensor, const tn_device *device) {
    return tensor->storage->device == device && tensor->storage->host_addressable == 0;
}

/* As the device's copies know it; NULL: as an address alone. */
static void *buffer_on(const tn_tensor *tensor, const tn_device *device) {
    const tni_pinned *pinned = tni_storage_pinned(tensor->storage);
    if (pinned != NULL && pinned->device == device) {
        return pinned->buffer;
    }
    return is_on(tensor, device) ? tensor->storage->buffer : NULL;
}

/* Freed before the work is done, the buffer is not for others yet. */
static void mark_queued(const tn_tensor *source, tn_tensor *target) {
    atomic_store(&source->storage->is_queued, 1);
    atomic_store(&target->storage->is_queued, 1);
}

static tn_status check_copy(const tn_device *device, const tn_tensor *source,
                            const tn_tensor *target) {
    const tn_view *from = &source->view, *to = &target->view;
    if (from->dtype != to->dtype || tn_tensor_byte_size(source) != tn_tensor_byte_size(target)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "copy on %s: expected one dtype and one number of elements", device->name);
    }
    if (source->storage == target->storage) {
        return tni_fail(TN_INVALID_ARGUMENT, "copy on %s: the two tensors share memory",
                        device->name);
    }
    const bool from_here = is_on(source, device), to_here = is_on(target, device);
    if ((!from_here && source->storage->host_addressable == 0) ||
        (!to_here && target->storage->host_addressable == 0)) {
        return tni_fail(TN_INVALID_ARGUMENT, "copy on %s: a tensor lies on another device",
                        device->name);
    }
    if (!from_here && !to_here && !tni_device_is_host_addressable(device)) {
        return tni_fail(TN_INVALID_ARGUMENT, "copy on %s: neither tensor lies on the device",
                        device->name);
    }
    return TN_OK;
}

tn_status tn_stream_copy(tn_stream *stream, const tn_tensor *source, tn_tensor *target) {
    if (stream == NULL || source == NULL || target == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "copy: expected a stream and two tensors");
    }
    const tn_device *device = stream->device;
    TNI_TRY(check_copy(device, source, target));
    const uint64_t size = tn_tensor_byte_size(source);
    if (size == 0) {
        return TN_OK;
    }
    void *from = buffer_on(source, device), *to = buffer_on(target, device);
    mark_queued(source, target);
    tni_error_clear();
    tn_status status;
    if (from != NULL && to != NULL) {
        status = device->backend->copy(stream->stream, to, tni_tensor_offset(target), from,
                                       tni_tensor_offset(source), size);
    } else if (to != NULL) {
        status = device->backend->copy_from_host(stream->stream, to, tni_tensor_offset(target),
                                                 tn_tensor_data(source), size);
    } else if (from != NULL) {
        status = device->backend->copy_to_host(stream->stream, tn_tensor_data(target), from,
                                               tni_tensor_offset(source), size);
    } else { /* on a device whose buffers are addresses, as those of the host are */
        status = device->backend->copy(stream->stream, target->storage->buffer,
                                       tni_tensor_offset(target), source->storage->buffer,
                                       tni_tensor_offset(source), size);
    }
    return tni_in(tni_plugin_status(status), "device %s: copy", device->name);
}
