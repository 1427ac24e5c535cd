/* Turns an array record into a dense tensor of the host's. */
#include "ndarray.h"
#include "services.h"

static tn_status create_empty(const tn_host *host, tn_tensor **out_tensor) {
    const int64_t extent = 0;
    return tensor_service(host)->create(host, TN_F32, 1, &extent, out_tensor);
}

static tn_status spend_budget(const tn_host *host, const struct ndarray_record *record,
                              uint64_t *budget) {
    uint64_t bytes;
    TN_TRY(ndarray_byte_size(host, record->where, &record->shape, record->dtype, &bytes));
    if (bytes > *budget) {
        char text[256];
        return tn_fail(host, TN_UNSUPPORTED,
                       "%sa sparse array of shape %s takes %llu bytes when it is made dense, more "
                       "than the %llu bytes that are left for sparse arrays of this file; a graph "
                       "can be read with a higher max_sparse_bytes",
                       record->where, tn_shape_text(&record->shape, text, sizeof text),
                       (unsigned long long)bytes, (unsigned long long)*budget);
    }
    *budget -= bytes;
    return TN_OK;
}

/* A file may hold any byte for a bool; in memory it is 0 or 1. */
static void normalise_bools(uint8_t *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        values[i] = values[i] != 0;
    }
}

static tn_status fill(const tn_host *host, const struct ndarray_record *record,
                      const tn_view *view) {
    uint8_t *elements = tn_data(view);
    const uint64_t bytes = tn_byte_size(view);
    if (bytes == 0) {
        return TN_OK;
    }
    if (record->storage == NDARRAY_DENSE) {
        memcpy(elements, record->values, bytes);
    } else {
        memset(elements, 0, bytes);
        TN_TRY(ndarray_expand(host, record, elements));
    }
    if (record->dtype == TN_BOOL) {
        normalise_bools(elements, bytes);
    }
    return TN_OK;
}

tn_status ndarray_to_tensor(const tn_host *host, const struct ndarray_record *record,
                            uint64_t *expansion_budget, tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = tensor_service(host);
    if (record->is_none) {
        return create_empty(host, out_tensor);
    }
    if (record->storage != NDARRAY_DENSE) {
        TN_TRY(spend_budget(host, record, expansion_budget));
    }
    tn_tensor *tensor;
    TN_TRY(
        tensors->create(host, record->dtype, record->shape.rank, record->shape.extents, &tensor));
    const tn_status status = fill(host, record, tensors->view(host, tensor));
    if (status != TN_OK) {
        tensors->release(host, tensor);
        return status;
    }
    *out_tensor = tensor;
    return TN_OK;
}
