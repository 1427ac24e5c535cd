#include "sparse.h"

#include "tensor.h"

enum { MOST_RATIO = 4096, FREE_BYTES = 1 << 20 };

/* The stored elements and where they go: numbers of elements, or a coordinate for each axis. */
struct stored {
    const tn_view *values, *indices;
    int32_t rank;
    int64_t extents[TN_MAX_RANK];
    int64_t count; /* of elements in all */
};

/* A file of a few bytes must not take all memory: how much is taken for the zeros is bounded. */
static tn_status find_extents(const tn_host *host, const Onnx__SparseTensorProto *proto,
                              const char *path, struct stored *stored) {
    const uint64_t most = MOST_RATIO * tn_byte_size(stored->values) + FREE_BYTES;
    uint64_t size = TN_DTYPE_SIZE(stored->values->dtype);
    if (proto->n_dims > TN_MAX_RANK) {
        return tn_fail(host, TN_UNSUPPORTED, "%s.dims: rank %zu, expected at most %d", path,
                       proto->n_dims, TN_MAX_RANK);
    }
    stored->rank = (int32_t)proto->n_dims;
    for (size_t i = 0; i < proto->n_dims; i++) {
        stored->extents[i] = proto->dims[i];
        if (proto->dims[i] < 0 || __builtin_mul_overflow(size, (uint64_t)proto->dims[i], &size) ||
            size > most) {
            return tn_fail(host, proto->dims[i] < 0 ? TN_CORRUPT : TN_UNSUPPORTED,
                           "%s.dims: the whole tensor has a negative extent, or takes more than %d "
                           "times the elements that are stored",
                           path, MOST_RATIO);
        }
    }
    stored->count = tn_extent_product(stored->extents, 0, stored->rank);
    return TN_OK;
}

static tn_status check_indices(const tn_host *host, const char *path, const struct stored *stored) {
    const tn_view *values = stored->values, *indices = stored->indices;
    const int fits =
        values->rank == 1 && indices->dtype == TN_I64 &&
        (indices->rank == 1 || (indices->rank == 2 && indices->shape[1] == stored->rank)) &&
        indices->shape[0] == values->shape[0];
    if (!fits) {
        return tn_fail(host, TN_CORRUPT,
                       "%s.indices: expected int64, for each of the values a number or %d "
                       "coordinates",
                       path, (int)stored->rank);
    }
    return values->dtype != TN_STRING
               ? TN_OK
               : tn_fail(host, TN_UNSUPPORTED, "%s.values: sparse strings", path);
}

/* The number of the element that stored element `i` is; -1: beyond the tensor. */
static int64_t place_of(const struct stored *stored, int64_t i) {
    const int64_t *indices = tn_data(stored->indices);
    if (stored->indices->rank == 1) {
        return indices[i] >= 0 && indices[i] < stored->count ? indices[i] : -1;
    }
    int64_t place = 0;
    for (int32_t axis = 0; axis < stored->rank; axis++) {
        const int64_t index = indices[i * stored->rank + axis];
        if (index < 0 || index >= stored->extents[axis]) {
            return -1;
        }
        place = place * stored->extents[axis] + index;
    }
    return place;
}

static tn_status spread(const tn_host *host, const char *path, const struct stored *stored,
                        tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    const size_t size = TN_DTYPE_SIZE(stored->values->dtype);
    TN_TRY(tensors->create(host, stored->values->dtype, stored->rank, stored->extents, out_tensor));
    const tn_view *view = tensors->view(host, *out_tensor);
    char *target = tn_data(view);
    const char *source = tn_data(stored->values);
    if (tn_byte_size(view) > 0) {
        memset(target, 0, tn_byte_size(view));
    }
    for (int64_t i = 0; i < stored->values->shape[0]; i++) {
        const int64_t place = place_of(stored, i);
        if (place < 0) {
            tensors->release(host, *out_tensor);
            return tn_fail(host, TN_CORRUPT, "%s.indices: number %lld is beyond the tensor", path,
                           (long long)i);
        }
        memcpy(target + (size_t)place * size, source + (size_t)i * size, size);
    }
    return TN_OK;
}

tn_status onnx_read_sparse_tensor(const tn_host *host, const Onnx__SparseTensorProto *proto,
                                  const char *path, const char *model_path,
                                  tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    tn_tensor *values = NULL, *indices = NULL;
    struct stored stored = {0};
    char part[400];
    if (proto == NULL) {
        return tn_fail(host, TN_CORRUPT, "%s: there is no tensor", path);
    }
    snprintf(part, sizeof part, "%s.values", path);
    tn_status status = onnx_read_tensor(host, proto->values, part, model_path, &values);
    if (status == TN_OK) {
        snprintf(part, sizeof part, "%s.indices", path);
        status = onnx_read_tensor(host, proto->indices, part, model_path, &indices);
    }
    if (status == TN_OK) {
        stored.values = tensors->view(host, values);
        stored.indices = tensors->view(host, indices);
        status = find_extents(host, proto, path, &stored);
    }
    if (status == TN_OK) {
        status = check_indices(host, path, &stored);
    }
    if (status == TN_OK) {
        status = spread(host, path, &stored, out_tensor);
    }
    tensors->release(host, values);
    tensors->release(host, indices);
    return status;
}
