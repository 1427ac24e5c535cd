/* Writes one array record as MXNet 1.5 and later do. */
#include "dtype.h"
#include "ndarray.h"

static tn_status write_bytes(const tn_byte_sink *sink, const void *data, uint64_t size) {
    return size == 0 ? TN_OK : sink->write(sink->context, data, size);
}

static tn_status write_shape(const tn_byte_sink *sink, int32_t rank, const int64_t *extents) {
    TN_TRY(write_bytes(sink, &rank, sizeof rank));
    return write_bytes(sink, extents, (uint64_t)rank * sizeof(int64_t));
}

/* The type and shape of an index array. */
static tn_status write_aux_header(const tn_byte_sink *sink, int64_t count) {
    const int32_t dtype = dtype_to_mxnet(TN_I64);
    TN_TRY(write_bytes(sink, &dtype, sizeof dtype));
    return write_shape(sink, 1, &count);
}

static tn_status write_stored_shape(const tn_byte_sink *sink, const tn_view *view,
                                    const tn_sparse *sparse) {
    int64_t extents[TN_MAX_RANK] = {sparse->stored_count};
    const int32_t rank = sparse->storage == TN_STORAGE_CSR ? 1 : view->rank;
    for (int32_t axis = 1; axis < rank; axis++) {
        extents[axis] = view->shape[axis];
    }
    return write_shape(sink, rank, extents);
}

static tn_status write_stored(const tn_byte_sink *sink, const tn_view *view,
                              const tn_sparse *sparse) {
    const uint64_t count = (uint64_t)sparse->stored_count;
    const int is_csr = sparse->storage == TN_STORAGE_CSR;
    const uint64_t entry = is_csr ? 1 : (uint64_t)tn_extent_product(view->shape, 1, view->rank);
    const int64_t start_count = is_csr ? view->shape[0] + 1 : 0;
    if (is_csr) {
        TN_TRY(write_aux_header(sink, start_count));
    }
    TN_TRY(write_aux_header(sink, sparse->stored_count));
    TN_TRY(write_bytes(sink, sparse->values, count * entry * TN_DTYPE_SIZE(view->dtype)));
    TN_TRY(write_bytes(sink, sparse->row_starts, (uint64_t)start_count * sizeof(int64_t)));
    return write_bytes(sink, sparse->indices, count * sizeof(int64_t));
}

static int32_t storage_number(uint32_t storage) {
    return storage == TN_STORAGE_CSR          ? NDARRAY_CSR
           : storage == TN_STORAGE_ROW_SPARSE ? NDARRAY_ROW_SPARSE
                                              : NDARRAY_DENSE;
}

tn_status ndarray_write(const tn_host *host, const tn_tensor *tensor, int32_t numpy_shapes,
                        const tn_byte_sink *sink) {
    const tn_view *view = TN_SERVICE(host, tensor)->view(host, tensor);
    const uint32_t mark = numpy_shapes ? NDARRAY_V3 : NDARRAY_V2;
    const int32_t storage = storage_number(TN_SERVICE(host, sparse)->storage(host, tensor));
    const int32_t dtype = dtype_to_mxnet(view->dtype);
    const int32_t device_and_dtype[3] = {TN_DEVICE_TYPE_CPU, 0, dtype};
    if (dtype < 0) {
        return tn_fail(host, TN_UNSUPPORTED, "MXNet has no element type for %s",
                       tn_dtype_name(view->dtype));
    }
    if (numpy_shapes && storage != NDARRAY_DENSE) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "MXNet has no sparse arrays in a list with a scalar or an extent of 0: "
                       "write them to another file");
    }
    TN_TRY(write_bytes(sink, &mark, sizeof mark));
    TN_TRY(write_bytes(sink, &storage, sizeof storage));
    if (storage != NDARRAY_DENSE) {
        TN_TRY(write_stored_shape(sink, view, tn_sparse_of(view)));
    }
    TN_TRY(write_shape(sink, view->rank, view->shape));
    TN_TRY(write_bytes(sink, device_and_dtype, sizeof device_and_dtype));
    return storage != NDARRAY_DENSE ? write_stored(sink, view, tn_sparse_of(view))
                                    : write_bytes(sink, tn_data(view), tn_byte_size(view));
}
