/* Making, growing and copying the content of sparse tensors. */
#include "tensor/sparse.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static tn_status check_shape(uint32_t storage, int32_t rank) {
    if (storage == TN_STORAGE_CSR && rank != 2) {
        return tni_fail(TN_INVALID_ARGUMENT, "a csr tensor is a matrix: expected rank 2, not %d",
                        (int)rank);
    }
    if (storage == TN_STORAGE_ROW_SPARSE && rank < 1) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "a row_sparse tensor has rows: expected rank 1 or more, not %d", (int)rank);
    }
    if (!tn_storage_is_sparse(storage)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "storage %u is not sparse: expected TN_STORAGE_ROW_SPARSE or "
                        "TN_STORAGE_CSR",
                        (unsigned)storage);
    }
    return TN_OK;
}

static void describe(tni_sparse *sparse, uint32_t storage, tn_dtype dtype, int32_t rank,
                     const int64_t *extents) {
    const bool is_csr = storage == TN_STORAGE_CSR;
    sparse->parts.struct_size = TN_STRUCT_END(tn_sparse, row_starts);
    sparse->parts.storage = storage;
    sparse->dtype = dtype;
    sparse->rank = is_csr ? 0 : rank - 1;
    memcpy(sparse->entry, extents + 1, (size_t)sparse->rank * sizeof extents[0]);
    sparse->row_count = is_csr ? extents[0] : 0;
    sparse->index_end = is_csr ? extents[1] : extents[0];
    sparse->most = is_csr ? extents[0] * extents[1] : extents[0];
    sparse->entry_size =
        TN_DTYPE_SIZE(dtype) * (uint64_t)tn_extent_product(sparse->entry, 0, sparse->rank);
}

static void point(tni_sparse *sparse, int64_t stored_count) {
    sparse->parts.values = sparse->values->buffer;
    sparse->parts.indices = sparse->indices->buffer;
    sparse->parts.row_starts = sparse->row_starts != NULL ? sparse->row_starts->buffer : NULL;
    sparse->parts.stored_count = stored_count;
}

static tn_status create_row_starts(tni_sparse *sparse) {
    uint64_t size;
    if (!tni_multiply((uint64_t)sparse->row_count + 1, sizeof(int64_t), &size)) {
        return tni_fail_memory(UINT64_MAX);
    }
    TNI_TRY(tni_storage_create(size, &sparse->row_starts));
    memset(sparse->row_starts->buffer, 0, size);
    return TN_OK;
}

tn_status tni_sparse_create(uint32_t storage, tn_dtype dtype, int32_t rank, const int64_t *extents,
                            tni_sparse **out_sparse) {
    uint64_t dense_size;
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &dense_size));
    TNI_TRY(check_shape(storage, rank));
    tni_sparse *sparse = tni_allocate(1, sizeof *sparse + (size_t)rank * sizeof sparse->entry[0]);
    if (sparse == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    describe(sparse, storage, dtype, rank, extents);
    tn_status status = tni_storage_create(0, &sparse->values);
    if (status == TN_OK) {
        status = tni_storage_create(0, &sparse->indices);
    }
    if (status == TN_OK && storage == TN_STORAGE_CSR) {
        status = create_row_starts(sparse);
    }
    if (status != TN_OK) {
        tni_sparse_destroy(sparse);
        return status;
    }
    point(sparse, 0);
    *out_sparse = sparse;
    return TN_OK;
}

void tni_sparse_destroy(tni_sparse *sparse) {
    if (sparse != NULL) {
        tni_storage_release(sparse->values);
        tni_storage_release(sparse->indices);
        tni_storage_release(sparse->row_starts);
        tni_free(sparse);
    }
}

/* The storage itself when it is large enough and nobody else's, else a new one with its first
 * `used` bytes. */
static tn_status grow(tni_storage *storage, uint64_t used, uint64_t size,
                      tni_storage **out_storage) {
    if (storage->size >= size &&
        atomic_load_explicit(&storage->references, memory_order_acquire) == 1) {
        tni_storage_retain(storage);
        *out_storage = storage;
        return TN_OK;
    }
    TNI_TRY(tni_storage_create(size, out_storage));
    used = used < size ? used : size;
    if (used > 0) {
        memcpy((*out_storage)->buffer, storage->buffer, used);
    }
    return TN_OK;
}

static tn_status check_count(const tni_sparse *sparse, int64_t stored_count) {
    if (stored_count < 0 || stored_count > sparse->most) {
        return tni_fail(
            TN_INVALID_ARGUMENT, "%lld %s are to be stored in a %s tensor that has %lld",
            (long long)stored_count, sparse->parts.storage == TN_STORAGE_CSR ? "elements" : "rows",
            tn_storage_name(sparse->parts.storage), (long long)sparse->most);
    }
    return TN_OK;
}

tn_status tni_sparse_resize(tni_sparse *sparse, int64_t stored_count) {
    TNI_TRY(check_count(sparse, stored_count));
    const uint64_t count = (uint64_t)stored_count, used = (uint64_t)sparse->parts.stored_count;
    uint64_t indices_size;
    if (!tni_multiply(count, sizeof(int64_t), &indices_size)) {
        return tni_fail_memory(UINT64_MAX);
    }
    /* No product of values overflows: the dense tensor's size does not. */
    tni_storage *values, *indices;
    TNI_TRY(grow(sparse->values, used * sparse->entry_size, count * sparse->entry_size, &values));
    const tn_status status = grow(sparse->indices, used * sizeof(int64_t), indices_size, &indices);
    if (status != TN_OK) {
        tni_storage_release(values);
        return status;
    }
    tni_storage_release(sparse->values);
    tni_storage_release(sparse->indices);
    sparse->values = values;
    sparse->indices = indices;
    point(sparse, stored_count);
    sparse->is_allocated = true;
    return TN_OK;
}

void tni_sparse_clear(tni_sparse *sparse) {
    sparse->parts.stored_count = 0;
    if (sparse->parts.row_starts != NULL) {
        memset(sparse->parts.row_starts, 0, ((size_t)sparse->row_count + 1) * sizeof(int64_t));
    }
}

void tni_sparse_begin(tni_sparse *sparse) {
    tni_sparse_clear(sparse);
    sparse->is_allocated = false;
}

void tni_sparse_end(tni_sparse *sparse) {
    if (!sparse->is_allocated) {
        tni_sparse_clear(sparse);
    }
}

static tn_status check_ascending(const tni_sparse *sparse, int64_t begin, int64_t end) {
    const int64_t *indices = sparse->parts.indices;
    int64_t before = -1;
    for (int64_t i = begin; i < end; i++) {
        if (indices[i] <= before || indices[i] >= sparse->index_end) {
            const bool is_outside = indices[i] < 0 || indices[i] >= sparse->index_end;
            return tni_fail(
                TN_CORRUPT, "index %lld of a %s tensor is %lld: expected %s, below %lld",
                (long long)i, tn_storage_name(sparse->parts.storage), (long long)indices[i],
                is_outside ? "0 or more" : "more than the one before it",
                (long long)sparse->index_end);
        }
        before = indices[i];
    }
    return TN_OK;
}

static tn_status check_row_starts(const tni_sparse *sparse) {
    const int64_t *starts = sparse->parts.row_starts;
    const int64_t rows = sparse->row_count, count = sparse->parts.stored_count;
    if (starts[0] != 0 || starts[rows] != count) {
        return tni_fail(TN_CORRUPT,
                        "the row starts of a csr tensor go from %lld to %lld: expected 0 to %lld, "
                        "the count of its elements",
                        (long long)starts[0], (long long)starts[rows], (long long)count);
    }
    for (int64_t row = 0; row < rows; row++) {
        if (starts[row + 1] < starts[row] || starts[row + 1] > count) {
            return tni_fail(TN_CORRUPT,
                            "row start %lld of a csr tensor is %lld: expected %lld to %lld",
                            (long long)row + 1, (long long)starts[row + 1], (long long)starts[row],
                            (long long)count);
        }
    }
    return TN_OK;
}

tn_status tni_sparse_check(const tni_sparse *sparse) {
    if (sparse->parts.storage == TN_STORAGE_ROW_SPARSE) {
        return check_ascending(sparse, 0, sparse->parts.stored_count);
    }
    TNI_TRY(check_row_starts(sparse));
    for (int64_t row = 0; row < sparse->row_count; row++) {
        TNI_TRY(tni_in(check_ascending(sparse, sparse->parts.row_starts[row],
                                       sparse->parts.row_starts[row + 1]),
                       "row %lld", (long long)row));
    }
    return TN_OK;
}

tn_status tni_sparse_copy(const tni_sparse *source, tni_sparse *target) {
    const uint64_t count = (uint64_t)source->parts.stored_count;
    if (source == target) {
        return TN_OK;
    }
    TNI_TRY(tni_sparse_resize(target, source->parts.stored_count));
    if (count > 0) {
        memmove(target->parts.values, source->parts.values, count * source->entry_size);
        memmove(target->parts.indices, source->parts.indices, count * sizeof(int64_t));
    }
    if (source->parts.row_starts != NULL) {
        memmove(target->parts.row_starts, source->parts.row_starts,
                ((size_t)source->row_count + 1) * sizeof(int64_t));
    }
    return TN_OK;
}
