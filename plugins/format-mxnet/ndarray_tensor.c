/* Turns an array record into a tensor of the host's. */
#include "ndarray.h"

static tn_status create_empty(const tn_host *host, tn_tensor **out_tensor) {
    const int64_t extent = 0;
    return TN_SERVICE(host, tensor)->create(host, TN_F32, 1, &extent, out_tensor);
}

/* A file may hold any byte for a bool; in memory it is 0 or 1. */
static void normalise_bools(uint8_t *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        values[i] = values[i] != 0;
    }
}

static void fill(const struct ndarray_record *record, void *elements) {
    const uint64_t bytes = record->value_bytes;
    if (bytes == 0) {
        return;
    }
    memcpy(elements, record->values, bytes);
    if (record->dtype == TN_BOOL) {
        normalise_bools(elements, bytes);
    }
}

tn_status ndarray_to_tensor(const tn_host *host, const struct ndarray_record *record,
                            tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    tn_tensor *tensor;
    if (record->is_none) {
        return create_empty(host, out_tensor);
    }
    if (record->storage != NDARRAY_DENSE) {
        TN_TRY(ndarray_to_sparse(host, record, &tensor));
        fill(record, tn_sparse_of(tensors->view(host, tensor))->values);
    } else if (record->dtype == TN_BOOL) {
        TN_TRY(tensors->create(host, record->dtype, record->shape.rank, record->shape.extents,
                               &tensor));
        fill(record, tn_data(tensors->view(host, tensor)));
    } else {
        TN_TRY(tensors->of_bytes(host, record->dtype, record->shape.rank, record->shape.extents,
                                 record->values, &tensor));
    }
    *out_tensor = tensor;
    return TN_OK;
}
