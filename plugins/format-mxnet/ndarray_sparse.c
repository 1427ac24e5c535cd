/* The structure of sparse records: what is stored, and where. */
#include "ndarray.h"

/* Row starts that the file does not have, for a matrix that stores nothing. */
enum { MAX_EMPTY_ROWS = 1 << 20 };

static int64_t index_at(const struct ndarray_aux *aux, uint64_t position) {
    if (aux->dtype == TN_I32) {
        int32_t index;
        memcpy(&index, aux->data + position * sizeof index, sizeof index);
        return index;
    }
    int64_t index;
    memcpy(&index, aux->data + position * sizeof index, sizeof index);
    return index;
}

static tn_status check_rows(const tn_host *host, const struct ndarray_record *record) {
    const tn_shape *shape = &record->shape, *stored = &record->stored_shape;
    const uint64_t count = record->aux[0].count;
    int matches =
        shape->rank >= 1 && stored->rank == shape->rank && count == (uint64_t)stored->extents[0];
    for (int32_t axis = 1; matches && axis < shape->rank; axis++) {
        matches = stored->extents[axis] == shape->extents[axis];
    }
    if (!matches) {
        char left[256], right[256];
        return tn_fail(host, TN_CORRUPT,
                       "%sa row_sparse array of shape %s cannot hold %llu rows of shape %s",
                       record->where, tn_shape_text(shape, left, sizeof left),
                       (unsigned long long)count, tn_shape_text(stored, right, sizeof right));
    }
    return TN_OK;
}

/* An array that stores nothing may have been saved without row starts. */
static tn_status check_csr(const tn_host *host, const struct ndarray_record *record) {
    const tn_shape *shape = &record->shape, *stored = &record->stored_shape;
    const struct ndarray_aux *starts = &record->aux[0], *columns = &record->aux[1];
    int matches =
        shape->rank == 2 && stored->rank == 1 && columns->count == (uint64_t)stored->extents[0];
    if (matches && starts->count != (uint64_t)shape->extents[0] + 1) {
        matches = columns->count == 0 && shape->extents[0] <= MAX_EMPTY_ROWS;
    }
    if (!matches) {
        char text[256];
        return tn_fail(host, TN_CORRUPT,
                       "%sa csr array of shape %s with %llu row starts and %llu columns does not "
                       "fit together",
                       record->where, tn_shape_text(shape, text, sizeof text),
                       (unsigned long long)starts->count, (unsigned long long)columns->count);
    }
    return TN_OK;
}

static void read_indices(const struct ndarray_aux *aux, int64_t *target) {
    for (uint64_t i = 0; i < aux->count; i++) {
        target[i] = index_at(aux, i);
    }
}

static tn_status fill_structure(const tn_host *host, const struct ndarray_record *record,
                                const tn_view *view) {
    const tn_sparse *sparse = tn_sparse_of(view);
    if (record->storage == NDARRAY_ROW_SPARSE) {
        read_indices(&record->aux[0], sparse->indices);
    } else if (record->aux[1].count > 0) {
        read_indices(&record->aux[0], sparse->row_starts);
        read_indices(&record->aux[1], sparse->indices);
    }
    return TN_SERVICE(host, sparse)->check(host, view);
}

tn_status ndarray_to_sparse(const tn_host *host, const struct ndarray_record *record,
                            tn_tensor **out_tensor) {
    const int is_csr = record->storage == NDARRAY_CSR;
    tn_tensor *tensor;
    TN_TRY(is_csr ? check_csr(host, record) : check_rows(host, record));
    TN_TRY(TN_SERVICE(host, sparse)
               ->create(host, is_csr ? TN_STORAGE_CSR : TN_STORAGE_ROW_SPARSE, record->dtype,
                        record->shape.rank, record->shape.extents, record->stored_shape.extents[0],
                        &tensor));
    const tn_status status =
        fill_structure(host, record, TN_SERVICE(host, tensor)->view(host, tensor));
    if (status != TN_OK) {
        TN_SERVICE(host, tensor)->release(host, tensor);
        return status;
    }
    *out_tensor = tensor;
    return TN_OK;
}
