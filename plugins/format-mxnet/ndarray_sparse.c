/* Sparse records made dense: the host has dense tensors only. */
#include "ndarray.h"

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

/* row_sparse: the rows that are stored, and which ones they are. */
static tn_status expand_rows(const tn_host *host, const struct ndarray_record *record,
                             uint8_t *dense) {
    const tn_shape *shape = &record->shape, *stored = &record->stored_shape;
    const struct ndarray_aux *rows = &record->aux[0];
    int matches = shape->rank >= 1 && stored->rank == shape->rank &&
                  rows->count == (uint64_t)stored->extents[0];
    for (int32_t axis = 1; matches && axis < shape->rank; axis++) {
        matches = stored->extents[axis] == shape->extents[axis];
    }
    if (!matches) {
        char left[256], right[256];
        return tn_fail(host, TN_CORRUPT,
                       "%sa row_sparse array of shape %s cannot hold %llu rows of shape %s",
                       record->where, tn_shape_text(shape, left, sizeof left),
                       (unsigned long long)rows->count, tn_shape_text(stored, right, sizeof right));
    }
    const size_t row_bytes =
        (size_t)tn_extent_product(shape->extents, 1, shape->rank) * TN_DTYPE_SIZE(record->dtype);
    for (uint64_t i = 0; i < rows->count; i++) {
        const int64_t row = index_at(rows, i);
        if (row < 0 || row >= shape->extents[0]) {
            return tn_fail(host, TN_CORRUPT, "%srow %lld of a row_sparse array with %lld rows",
                           record->where, (long long)row, (long long)shape->extents[0]);
        }
        memcpy(dense + (size_t)row * row_bytes, record->values + i * row_bytes, row_bytes);
    }
    return TN_OK;
}

static tn_status check_csr(const tn_host *host, const struct ndarray_record *record) {
    const tn_shape *shape = &record->shape, *stored = &record->stored_shape;
    const struct ndarray_aux *starts = &record->aux[0], *columns = &record->aux[1];
    if (shape->rank != 2 || stored->rank != 1 || columns->count != (uint64_t)stored->extents[0] ||
        starts->count != (uint64_t)shape->extents[0] + 1) {
        char text[256];
        return tn_fail(host, TN_CORRUPT,
                       "%sa csr array of shape %s with %llu row starts and %llu columns does not "
                       "fit together",
                       record->where, tn_shape_text(shape, text, sizeof text),
                       (unsigned long long)starts->count, (unsigned long long)columns->count);
    }
    return TN_OK;
}

static tn_status expand_csr_row(const tn_host *host, const struct ndarray_record *record,
                                uint64_t row, uint8_t *dense_row) {
    const struct ndarray_aux *starts = &record->aux[0], *columns = &record->aux[1];
    const size_t element = TN_DTYPE_SIZE(record->dtype);
    const int64_t begin = index_at(starts, row), end = index_at(starts, row + 1);
    if (begin < 0 || end < begin || (uint64_t)end > columns->count) {
        return tn_fail(host, TN_CORRUPT,
                       "%srow %llu of a csr array reaches from value %lld to %lld of %llu",
                       record->where, (unsigned long long)row, (long long)begin, (long long)end,
                       (unsigned long long)columns->count);
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t column = index_at(columns, (uint64_t)i);
        if (column < 0 || column >= record->shape.extents[1]) {
            return tn_fail(host, TN_CORRUPT, "%scolumn %lld of a csr array with %lld columns",
                           record->where, (long long)column, (long long)record->shape.extents[1]);
        }
        memcpy(dense_row + (size_t)column * element, record->values + (size_t)i * element, element);
    }
    return TN_OK;
}

static tn_status expand_csr(const tn_host *host, const struct ndarray_record *record,
                            uint8_t *dense) {
    if (record->aux[1].count == 0) {
        return TN_OK; /* nothing is stored, whatever the row starts say */
    }
    TN_TRY(check_csr(host, record));
    const size_t row_bytes = (size_t)record->shape.extents[1] * TN_DTYPE_SIZE(record->dtype);
    for (uint64_t row = 0; row < (uint64_t)record->shape.extents[0]; row++) {
        TN_TRY(expand_csr_row(host, record, row, dense + row * row_bytes));
    }
    return TN_OK;
}

tn_status ndarray_expand(const tn_host *host, const struct ndarray_record *record, uint8_t *dense) {
    if (record->storage == NDARRAY_CSR) {
        return expand_csr(host, record, dense);
    }
    return expand_rows(host, record, dense);
}
