/* Sparse tensors as users and plugins see them. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/registry.h"
#include "tensor/sparse.h"

tn_status tni_require_dense(const tn_tensor *tensor, const char *what) {
    if (tensor->sparse == NULL) {
        return TN_OK;
    }
    return tni_fail(TN_UNSUPPORTED,
                    "a %s tensor cannot be %s: make it dense first with the operator cast_storage",
                    tn_storage_name(tensor->sparse->parts.storage), what);
}

static tn_status require_sparse(const tn_tensor *tensor) {
    if (tensor->sparse == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "the tensor is dense: expected a row_sparse or a csr tensor");
    }
    return TN_OK;
}

tn_status tn_tensor_create_sparse(tn_runtime *runtime, uint32_t storage, tn_dtype dtype,
                                  int32_t rank, const int64_t *extents, int64_t stored_count,
                                  tn_tensor **out_tensor) {
    tni_sparse *sparse;
    TNI_TRY(tni_sparse_create(storage, dtype, rank, extents, &sparse));
    tn_status status = tni_sparse_resize(sparse, stored_count);
    if (status == TN_OK) {
        status = tni_tensor_of_sparse(runtime, sparse, dtype, rank, extents, out_tensor);
    }
    if (status != TN_OK) {
        tni_sparse_destroy(sparse);
    }
    return status;
}

uint32_t tn_tensor_storage(const tn_tensor *tensor) {
    return tensor->sparse == NULL ? TN_STORAGE_DENSE : tensor->sparse->parts.storage;
}

const tn_sparse *tn_tensor_sparse(const tn_tensor *tensor) {
    return tensor->sparse == NULL ? NULL : &tensor->sparse->parts;
}

tn_status tn_tensor_resize_sparse(tn_tensor *tensor, int64_t stored_count) {
    TNI_TRY(require_sparse(tensor));
    return tni_sparse_resize(tensor->sparse, stored_count);
}

tn_status tn_tensor_check_sparse(const tn_tensor *tensor) {
    return tensor->sparse == NULL ? TN_OK : tni_sparse_check(tensor->sparse);
}

tn_status tn_tensor_sparse_part(tn_tensor *tensor, uint32_t part, tn_tensor **out_tensor) {
    TNI_TRY(require_sparse(tensor));
    const tni_sparse *sparse = tensor->sparse;
    int64_t extents[TN_MAX_RANK];
    extents[0] = part == TN_SPARSE_ROW_STARTS ? sparse->row_count + 1 : sparse->parts.stored_count;
    const bool is_values = part == TN_SPARSE_VALUES;
    if (is_values) {
        memcpy(extents + 1, sparse->entry, (size_t)sparse->rank * sizeof extents[0]);
    }
    tni_storage *const storages[] = {sparse->values, sparse->indices, sparse->row_starts};
    if (part >= sizeof storages / sizeof storages[0] || storages[part] == NULL) {
        return tni_fail(TN_NOT_FOUND, "a %s tensor has no part number %u",
                        tn_storage_name(sparse->parts.storage), (unsigned)part);
    }
    return tni_tensor_over(tensor->runtime, storages[part], 0, is_values ? sparse->dtype : TN_I64,
                           is_values ? 1 + sparse->rank : 1, extents, out_tensor);
}

/* The service. */

static tn_status service_create(const tn_host *host, uint32_t storage, tn_dtype dtype, int32_t rank,
                                const int64_t *extents, int64_t stored_count,
                                tn_tensor **out_tensor) {
    return tn_tensor_create_sparse(tni_plugin_of(host)->runtime, storage, dtype, rank, extents,
                                   stored_count, out_tensor);
}

static uint32_t service_storage(const tn_host *host, const tn_tensor *tensor) {
    (void)host;
    return tn_tensor_storage(tensor);
}

static tn_status service_allocate(const tn_host *host, const tn_view *output,
                                  int64_t stored_count) {
    (void)host;
    return tni_sparse_resize(tni_sparse_of(output), stored_count);
}

static tn_status service_check(const tn_host *host, const tn_view *view) {
    (void)host;
    return tni_sparse_check(tni_sparse_of(view));
}

const tn_sparse_service tni_sparse_service = {
    .struct_size = TN_STRUCT_END(tn_sparse_service, check),
    .create = service_create,
    .storage = service_storage,
    .allocate = service_allocate,
    .check = service_check,
};
