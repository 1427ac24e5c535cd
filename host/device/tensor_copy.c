/* Copies of elements between host and devices, each done when it returns. */
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "plugin/runtime.h"
#include "tensor/sparse.h"
#include "tensor/tensor.h"

/* Two devices that do not reach each other's memory exchange through the host, in pieces of at most
 * this many bytes. */
enum { STAGE_SIZE = 16 << 20 };

/* A run of bytes: at an address, or in a buffer of a device. */
typedef struct place {
    tn_device *device; /* NULL: `address` is what counts */
    void *buffer;
    uint64_t offset;
    char *address;
    tn_device *pinned; /* host memory that this device knows as `buffer`, too */
} place;

static place place_of(const tn_tensor *tensor) {
    if (tensor->storage->host_addressable != 0) {
        const tni_pinned *pinned = tni_storage_pinned(tensor->storage);
        return (place){
            .address = tn_tensor_data(tensor),
            .pinned = pinned != NULL ? pinned->device : NULL,
            .buffer = pinned != NULL ? pinned->buffer : NULL,
            .offset = tni_tensor_offset(tensor),
        };
    }
    return (place){
        .device = tensor->storage->device,
        .buffer = tensor->storage->buffer,
        .offset = tni_tensor_offset(tensor),
    };
}

static place further(place at, uint64_t bytes) {
    at.offset += bytes;
    at.address = at.address != NULL ? at.address + bytes : NULL;
    return at;
}

/* Pinned memory seen from its device. */
static place seen_from(place at, tn_device *device) {
    if (at.device == NULL && at.pinned == device) {
        at.device = device;
    }
    return at;
}

/* Queues one copy with a device in it; both sides are the same device, or one is the host. */
static tn_status queue(tn_stream *stream, place source, place target, uint64_t size) {
    const tn_device_backend *backend = stream->device->backend;
    if (source.device == NULL) {
        return backend->copy_from_host(stream->stream, target.buffer, target.offset, source.address,
                                       size);
    }
    if (target.device == NULL) {
        return backend->copy_to_host(stream->stream, target.address, source.buffer, source.offset,
                                     size);
    }
    return backend->copy(stream->stream, target.buffer, target.offset, source.buffer, source.offset,
                         size);
}

static tn_status copy_on(tn_device *device, place source, place target, uint64_t size) {
    tn_stream *stream;
    TNI_TRY(tni_stream_acquire(device, &stream));
    tni_error_clear();
    tn_status status = tni_plugin_status(queue(stream, source, target, size));
    status = status == TN_OK ? tni_stream_finish(stream)
                             : tni_in(status, "device %s: copy", device->name);
    tni_stream_release(stream);
    return status;
}

static tn_status copy_staged(place source, place target, uint64_t size) {
    const uint64_t most = size < STAGE_SIZE ? size : STAGE_SIZE;
    char *stage = tni_allocate_aligned(most);
    if (stage == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const place middle = {.address = stage};
    tn_status status = TN_OK;
    for (uint64_t done = 0; done < size && status == TN_OK; done += most) {
        const uint64_t piece = size - done < most ? size - done : most;
        status = copy_on(source.device, further(source, done), middle, piece);
        if (status == TN_OK) {
            status = copy_on(target.device, middle, further(target, done), piece);
        }
    }
    tni_free(stage);
    return status;
}

/* Views of one tensor may share bytes; device copies must not. */
static bool overlap(place source, place target, uint64_t size) {
    return source.buffer == target.buffer && source.offset < target.offset + size &&
           target.offset < source.offset + size;
}

/* A host buffer for the whole of an overlapping copy: in pieces, the first would be written over
 * what the next has to read. */
static tn_status copy_overlapping(place source, place target, uint64_t size) {
    char *stage = tni_allocate_aligned(size);
    if (stage == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const place middle = {.address = stage};
    tn_status status = copy_on(source.device, source, middle, size);
    if (status == TN_OK) {
        status = copy_on(target.device, middle, target, size);
    }
    tni_free(stage);
    return status;
}

static tn_status copy_bytes(place source, place target, uint64_t size) {
    if (size == 0) {
        return TN_OK;
    }
    if (source.device == NULL && target.device == NULL) {
        memmove(target.address, source.address, size);
        return TN_OK;
    }
    if (source.device == NULL || target.device == NULL) {
        tn_device *device = source.device != NULL ? source.device : target.device;
        return copy_on(device, seen_from(source, device), seen_from(target, device), size);
    }
    if (source.device != target.device) {
        return copy_staged(source, target, size);
    }
    if (!overlap(source, target, size)) {
        return copy_on(source.device, source, target, size);
    }
    return source.offset == target.offset ? TN_OK : copy_overlapping(source, target, size);
}

static tn_status copy_sparse(const tn_tensor *source, tn_tensor *target) {
    const tn_shape left = tni_tensor_shape(source), right = tni_tensor_shape(target);
    bool same = tn_tensor_storage(source) == tn_tensor_storage(target) &&
                source->view.dtype == target->view.dtype && left.rank == right.rank;
    for (int32_t axis = 0; same && axis < left.rank; axis++) {
        same = left.extents[axis] == right.extents[axis];
    }
    if (!same) {
        char have[256], want[256];
        return tni_fail(
            TN_INVALID_ARGUMENT,
            "copy of %s %s %s to %s %s %s: expected one storage, dtype and shape; the "
            "operator cast_storage makes another storage",
            tn_storage_name(tn_tensor_storage(source)), tn_dtype_text(source->view.dtype),
            tn_shape_text(&left, have, sizeof have), tn_storage_name(tn_tensor_storage(target)),
            tn_dtype_text(target->view.dtype), tn_shape_text(&right, want, sizeof want));
    }
    return tni_sparse_copy(source->sparse, target->sparse);
}

tn_status tn_tensor_copy(const tn_tensor *source, tn_tensor *target) {
    if (source->sparse != NULL || target->sparse != NULL) {
        return copy_sparse(source, target);
    }
    const tn_view *from = &source->view;
    const tn_view *to = &target->view;
    if (from->dtype != to->dtype || tn_element_count(from) != tn_element_count(to)) {
        char have[256], want[256];
        const tn_shape left = tni_tensor_shape(source);
        const tn_shape right = tni_tensor_shape(target);
        return tni_fail(TN_INVALID_ARGUMENT,
                        "copy of %s %s to %s %s: expected one dtype and one number of elements",
                        tn_dtype_text(from->dtype), tn_shape_text(&left, have, sizeof have),
                        tn_dtype_text(to->dtype), tn_shape_text(&right, want, sizeof want));
    }
    return copy_bytes(place_of(source), place_of(target), tn_tensor_byte_size(source));
}

static tn_status check_size(const tn_tensor *tensor, const void *memory, uint64_t size) {
    const uint64_t expected = tn_tensor_byte_size(tensor);
    if (size != expected || (memory == NULL && size > 0)) {
        return tni_fail(TN_INVALID_ARGUMENT, "host memory %p of %llu bytes: expected %llu bytes",
                        memory, (unsigned long long)size, (unsigned long long)expected);
    }
    return TN_OK;
}

tn_status tn_tensor_read(const tn_tensor *tensor, void *target, uint64_t size) {
    TNI_TRY(tni_require_dense(tensor, "read as one run of elements"));
    TNI_TRY(tni_in(check_size(tensor, target, size), "read of a tensor"));
    return copy_bytes(place_of(tensor), (place){.address = target}, size);
}

tn_status tn_tensor_write(tn_tensor *tensor, const void *source, uint64_t size) {
    TNI_TRY(tni_require_dense(tensor, "written as one run of elements"));
    TNI_TRY(tni_in(check_size(tensor, source, size), "write of a tensor"));
    /* Only read from: the struct serves both directions. */
    return copy_bytes((place){.address = (char *)(uintptr_t)source}, place_of(tensor), size);
}
