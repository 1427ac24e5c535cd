/* Making tensors, counting them, and views that share memory. */
#include "tensor/tensor.h"

#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/runtime.h"
#include "plugin/strings.h"
#include "tensor/sparse.h"

tn_status tni_tensor_size(tn_dtype dtype, int32_t rank, const int64_t *extents,
                          uint64_t *out_size) {
    if (strcmp(tn_dtype_text(dtype), "unknown") == 0) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "dtype 0x%x is none that is known: expected one of the TN_F32, TN_I8, …",
                        (unsigned)dtype);
    }
    if (rank < 0 || rank > TN_MAX_RANK) {
        return tni_fail(TN_INVALID_ARGUMENT, "a tensor cannot have rank %d: expected 0 to %d",
                        (int)rank, TN_MAX_RANK);
    }
    if (rank > 0 && extents == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "a tensor of rank %d needs that many extents, but "
                        "none are given",
                        (int)rank);
    }
    /* Extents of 0 count as 1 here, so that no product of some of the extents overflows either. */
    uint64_t product = TN_DTYPE_SIZE(dtype);
    bool empty = false;
    for (int32_t axis = 0; axis < rank; axis++) {
        if (extents[axis] < 0) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "extent %d of the tensor is %lld: expected 0 or more", (int)axis,
                            (long long)extents[axis]);
        }
        empty = empty || extents[axis] == 0;
        const uint64_t extent = extents[axis] == 0 ? 1 : (uint64_t)extents[axis];
        if (!tni_multiply(product, extent, &product) || product > INT64_MAX) {
            char text[256];
            const tn_shape shape = tn_shape_of(rank, extents);
            return tni_fail(TN_INVALID_ARGUMENT,
                            "a tensor of shape %s and type %s is larger than any memory: expected "
                            "fewer than 2^63 bytes",
                            tn_shape_text(&shape, text, sizeof text), tn_dtype_text(dtype));
        }
    }
    *out_size = empty ? 0 : product;
    return TN_OK;
}

static tn_status require_runtime(const tn_runtime *runtime) {
    if (runtime == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the runtime is NULL: make one with "
                                             "tn_runtime_create");
    }
    return TN_OK;
}

/* The sizes have been checked. */
static tn_status make_tensor(tn_runtime *runtime, tni_storage *storage, uint64_t offset,
                             tn_dtype dtype, int32_t rank, const int64_t *extents,
                             tn_tensor **out_tensor) {
    tn_tensor *tensor = tni_allocate(1, sizeof *tensor + (size_t)rank * sizeof tensor->extents[0]);
    if (tensor == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    atomic_init(&tensor->references, 1);
    tensor->runtime = runtime;
    tni_storage_retain(storage);
    tensor->storage = storage;
    tensor->view = (tn_view){
        .data = storage->buffer,
        .device = storage->device_id,
        .rank = rank,
        .dtype = dtype,
        .shape = tensor->extents,
        .byte_offset = offset,
    };
    if (storage->host_addressable != 0 && storage->buffer != NULL) {
        /* Folded into the address, since readers of DLPack are known to forget byte_offset. */
        tensor->view.data = (char *)storage->buffer + offset;
        tensor->view.byte_offset = 0;
    }
    if (rank > 0) {
        memcpy(tensor->extents, extents, (size_t)rank * sizeof tensor->extents[0]);
    }
    *out_tensor = tensor;
    return TN_OK;
}

tn_status tni_tensor_over(tn_runtime *runtime, tni_storage *storage, uint64_t offset,
                          tn_dtype dtype, int32_t rank, const int64_t *extents,
                          tn_tensor **out_tensor) {
    uint64_t size;
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    if (offset > storage->size || size > storage->size - offset) {
        return tni_fail(TN_OUT_OF_RANGE,
                        "a tensor of %llu bytes at offset %llu does not fit into %llu bytes of "
                        "storage",
                        (unsigned long long)size, (unsigned long long)offset,
                        (unsigned long long)storage->size);
    }
    return make_tensor(runtime, storage, offset, dtype, rank, extents, out_tensor);
}

tn_status tni_tensor_of_sparse(tn_runtime *runtime, tni_sparse *sparse, tn_dtype dtype,
                               int32_t rank, const int64_t *extents, tn_tensor **out_tensor) {
    TNI_TRY(require_runtime(runtime));
    tni_storage *storage;
    TNI_TRY(tni_storage_create(0, &storage));
    const tn_status status = make_tensor(runtime, storage, 0, dtype, rank, extents, out_tensor);
    tni_storage_release(storage);
    TNI_TRY(status);
    (*out_tensor)->sparse = sparse;
    (*out_tensor)->view.data = sparse;
    return TN_OK;
}

tn_status tni_tensor_create_as(tn_runtime *runtime, const tn_tensor_type *type,
                               tn_tensor **out_tensor) {
    const tn_shape *shape = &type->shape;
    return tn_storage_is_sparse(type->storage)
               ? tn_tensor_create_sparse(runtime, type->storage, type->dtype, shape->rank,
                                         shape->extents, 0, out_tensor)
               : tn_tensor_create(runtime, type->dtype, shape->rank, shape->extents, out_tensor);
}

tn_tensor_type tni_tensor_type(const tn_tensor *tensor) {
    return (tn_tensor_type){tensor->view.dtype, tn_tensor_storage(tensor),
                            tni_tensor_shape(tensor)};
}

tn_status tn_tensor_create(tn_runtime *runtime, tn_dtype dtype, int32_t rank,
                           const int64_t *extents, tn_tensor **out_tensor) {
    uint64_t size;
    TNI_TRY(require_runtime(runtime));
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    tni_storage *storage;
    TNI_TRY(tni_storage_create(size, &storage));
    if (TN_DTYPE_IS_OPAQUE(dtype) && size > 0) {
        memset(storage->buffer, 0, size); /* pointers that are empty texts; no tensors */
    }
    const tn_status status = tni_tensor_over(runtime, storage, 0, dtype, rank, extents, out_tensor);
    tni_storage_release(storage);
    return status;
}

tn_status tn_string_intern(tn_runtime *runtime, const void *bytes, uint64_t size,
                           const char **out_string) {
    TNI_TRY(require_runtime(runtime));
    return tni_strings_intern(runtime->strings, bytes, size, out_string);
}

tn_status tn_tensor_wrap(tn_runtime *runtime, tn_dtype dtype, int32_t rank, const int64_t *extents,
                         void *data, void (*release)(void *context), void *context,
                         tn_tensor **out_tensor) {
    uint64_t size;
    TNI_TRY(require_runtime(runtime));
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    if (data == NULL && size > 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "the memory to wrap is NULL: expected %llu bytes",
                        (unsigned long long)size);
    }
    if ((uintptr_t)data % TN_DTYPE_SIZE(dtype) != 0) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "the memory to wrap begins at %p: %s elements need an address that is a "
                        "multiple of %zu; copy them into a tensor of tn_tensor_create",
                        data, tn_dtype_text(dtype), TN_DTYPE_SIZE(dtype));
    }
    tni_storage *storage;
    TNI_TRY(tni_storage_wrap(data, size, NULL, NULL, &storage));
    const tn_status status = tni_tensor_over(runtime, storage, 0, dtype, rank, extents, out_tensor);
    if (status == TN_OK) { /* only now: a failed call leaves the memory with the caller */
        storage->release = release;
        storage->context = context;
    }
    tni_storage_release(storage);
    return status;
}

void tn_tensor_retain(tn_tensor *tensor) {
    atomic_fetch_add_explicit(&tensor->references, 1, memory_order_relaxed);
}

void tn_tensor_release(tn_tensor *tensor) {
    if (tensor == NULL ||
        atomic_fetch_sub_explicit(&tensor->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    tni_storage_release(tensor->storage);
    tni_sparse_destroy(tensor->sparse);
    tni_free(tensor);
}

const tn_view *tn_tensor_view(const tn_tensor *tensor) {
    return &tensor->view;
}

void *tn_tensor_data(const tn_tensor *tensor) {
    return tensor->storage->host_addressable != 0 && tensor->sparse == NULL ? tensor->view.data
                                                                            : NULL;
}

uint64_t tn_tensor_byte_size(const tn_tensor *tensor) {
    return tensor->sparse == NULL ? tn_byte_size(&tensor->view) : 0;
}

uint64_t tni_tensor_offset(const tn_tensor *tensor) {
    if (tensor->storage->host_addressable == 0 || tensor->view.data == NULL) {
        return tensor->view.byte_offset;
    }
    return (uint64_t)((const char *)tensor->view.data - (const char *)tensor->storage->buffer);
}

tn_shape tni_tensor_shape(const tn_tensor *tensor) {
    return tn_shape_of(tensor->view.rank, tensor->view.shape);
}

/* Bytes of one row of the first axis. */
static uint64_t row_size(const tn_view *view) {
    return (uint64_t)tn_extent_product(view->shape, 1, view->rank) * TN_DTYPE_SIZE(view->dtype);
}

static tn_status require_rows(const tn_tensor *tensor, const char *what) {
    TNI_TRY(tni_require_dense(tensor, "viewed in parts"));
    if (tensor->view.rank == 0) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "a scalar has no rows to %s: expected a tensor of "
                        "rank 1 or more",
                        what);
    }
    return TN_OK;
}

tn_status tn_tensor_slice(tn_tensor *tensor, int64_t begin, int64_t end, tn_tensor **out_tensor) {
    TNI_TRY(require_rows(tensor, "slice"));
    const tn_view *view = &tensor->view;
    if (begin < 0 || end < begin || end > view->shape[0]) {
        return tni_fail(TN_OUT_OF_RANGE,
                        "rows %lld to %lld do not lie in a tensor of %lld rows: expected 0 <= "
                        "begin <= end <= %lld",
                        (long long)begin, (long long)end, (long long)view->shape[0],
                        (long long)view->shape[0]);
    }
    int64_t extents[TN_MAX_RANK];
    memcpy(extents, view->shape, (size_t)view->rank * sizeof extents[0]);
    extents[0] = end - begin;
    const uint64_t offset = tni_tensor_offset(tensor) + (uint64_t)begin * row_size(view);
    return tni_tensor_over(tensor->runtime, tensor->storage, offset, view->dtype, view->rank,
                           extents, out_tensor);
}

tn_status tn_tensor_at(tn_tensor *tensor, int64_t index, tn_tensor **out_tensor) {
    TNI_TRY(require_rows(tensor, "choose from"));
    const tn_view *view = &tensor->view;
    if (index < 0 || index >= view->shape[0]) {
        return tni_fail(TN_OUT_OF_RANGE, "row %lld does not lie in a tensor of %lld rows",
                        (long long)index, (long long)view->shape[0]);
    }
    const uint64_t offset = tni_tensor_offset(tensor) + (uint64_t)index * row_size(view);
    return tni_tensor_over(tensor->runtime, tensor->storage, offset, view->dtype, view->rank - 1,
                           view->shape + 1, out_tensor);
}

tn_status tn_tensor_reshape(tn_tensor *tensor, int32_t rank, const int64_t *request,
                            int32_t reverse, tn_tensor **out_tensor) {
    tn_shape shape;
    TNI_TRY(tni_require_dense(tensor, "viewed in another shape"));
    TNI_TRY(tni_reshape_resolve(&tensor->view, rank, request, reverse, &shape));
    return tni_tensor_over(tensor->runtime, tensor->storage, tni_tensor_offset(tensor),
                           tensor->view.dtype, shape.rank, shape.extents, out_tensor);
}
