/* Tensors inside the host: counted storage, and views on it. */
#ifndef TENON_TENSOR_TENSOR_H
#define TENON_TENSOR_TENSOR_H

#include <stdatomic.h>

#include <tenon/plugin/host.h>
#include <tenon/tensor.h>

/* What a floor above has attached to a storage. */
typedef struct tni_storage_link {
    void (*end)(struct tni_storage_link *link); /* called when the storage goes */
} tni_storage_link;

/* Host memory that a device's copies reach directly: as that device knows it. */
typedef struct tni_pinned {
    tn_device *device;
    void *buffer;
} tni_pinned;

typedef struct tni_storage {
    atomic_uint references;
    uint8_t host_addressable; /* 1: `buffer` is an address that this process can read and write */
    uint8_t is_pinned;        /* 1: `context` is a tni_pinned */
    atomic_uchar is_queued;   /* 1: work that is queued, or was, uses the buffer */
    tn_device *device;        /* NULL: host memory without a device */
    tn_device_id device_id;
    void *buffer;  /* address, or the backend's handle */
    uint64_t size; /* bytes */
    /* Called once when the last count is gone. NULL: nothing to call, the bytes lie behind this
     * struct in one piece or belong to somebody who outlives it. Floors above set it for memory
     * that this one does not know how to free. */
    void (*release)(void *context);
    void *context;
    _Atomic(tni_storage_link *) link; /* the scheduler's resource for it, or NULL */
} tni_storage;

struct tn_tensor {
    atomic_uint references;
    tn_runtime *runtime;
    tni_storage *storage;      /* of a sparse tensor an empty one, that the scheduler knows it by */
    struct tni_sparse *sparse; /* NULL: dense. Otherwise view.data points there. */
    tn_view view;              /* always compact; in host memory byte_offset is 0 */
    int64_t extents[];         /* view.shape points here */
};

/* Host memory of the library's own, 64-byte aligned and not initialised. */
tn_status tni_storage_create(uint64_t size, tni_storage **out_storage);

/* Host memory of somebody else. A floor above that wraps device memory sets `device`, `device_id`
 * and `host_addressable` before it shares the storage. */
tn_status tni_storage_wrap(void *buffer, uint64_t size, void (*release)(void *context),
                           void *context, tni_storage **out_storage);

/* NULL: the memory is not pinned. */
static inline const tni_pinned *tni_storage_pinned(const tni_storage *storage) {
    return storage->is_pinned != 0 ? storage->context : NULL;
}

void tni_storage_retain(tni_storage *storage);
/* NULL is allowed. */
void tni_storage_release(tni_storage *storage);

/* The checked byte size of a dense tensor; fails on a bad rank, extent, dtype or overflow. */
tn_status tni_tensor_size(tn_dtype dtype, int32_t rank, const int64_t *extents, uint64_t *out_size);

/* A tensor over `storage` from byte `offset` on; takes a count of its own on the storage. Fails
 * when the storage is too small. */
tn_status tni_tensor_over(tn_runtime *runtime, tni_storage *storage, uint64_t offset,
                          tn_dtype dtype, int32_t rank, const int64_t *extents,
                          tn_tensor **out_tensor);

/* A tensor that takes over `sparse`, which has this type. */
tn_status tni_tensor_of_sparse(tn_runtime *runtime, struct tni_sparse *sparse, tn_dtype dtype,
                               int32_t rank, const int64_t *extents, tn_tensor **out_tensor);

/* A new tensor in host memory with room for the elements of this type, or with none stored. */
tn_status tni_tensor_create_as(tn_runtime *runtime, const tn_tensor_type *type,
                               tn_tensor **out_tensor);

/* The complete type of a tensor. */
tn_tensor_type tni_tensor_type(const tn_tensor *tensor);

/* Where the tensor's first element lies in its storage. */
uint64_t tni_tensor_offset(const tn_tensor *tensor);

/* The shape of a tensor as inference knows shapes. */
tn_shape tni_tensor_shape(const tn_tensor *tensor);

/* The shape that MXNet's codes make of `source`; fails when they do not fit. */
tn_status tni_reshape_resolve(const tn_view *source, int32_t rank, const int64_t *request,
                              int32_t reverse, tn_shape *out_shape);

/* The service tables for plugins. */
extern const tn_tensor_service tni_tensor_service;

#endif
