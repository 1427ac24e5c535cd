/* Reads one array record. Nothing is allocated here: sizes are compared with what the file has. */
#include "dtype.h"
#include "ndarray.h"

tn_status ndarray_byte_size(const tn_host *host, const char *where, const tn_shape *shape,
                            tn_dtype dtype, uint64_t *out_bytes) {
    uint64_t bytes = TN_DTYPE_SIZE(dtype);
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->extents[axis] == 0) {
            *out_bytes = 0;
            return TN_OK;
        }
    }
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        const uint64_t extent = (uint64_t)shape->extents[axis];
        if (bytes > (uint64_t)INT64_MAX / extent) {
            char text[256];
            return tn_fail(host, TN_CORRUPT, "%san array of shape %s is larger than any memory",
                           where, tn_shape_text(shape, text, sizeof text));
        }
        bytes *= extent;
    }
    *out_bytes = bytes;
    return TN_OK;
}

static tn_status check_rank(const tn_host *host, const struct cursor *cursor, int64_t rank) {
    if (rank > TN_MAX_RANK) {
        return tn_fail(host, TN_CORRUPT,
                       "%sbyte %llu: %lld is neither the mark of an array nor a rank up to %d",
                       cursor->where, (unsigned long long)cursor->offset, (long long)rank,
                       TN_MAX_RANK);
    }
    return TN_OK;
}

/* Version 0 stores extents of 32 bits after the rank, which the caller has read. */
static tn_status read_narrow_extents(const tn_host *host, struct cursor *cursor, uint32_t rank,
                                     tn_shape *out_shape) {
    TN_TRY(check_rank(host, cursor, rank));
    *out_shape = tn_shape_of_rank((int32_t)rank);
    for (uint32_t axis = 0; axis < rank; axis++) {
        uint32_t extent;
        TN_TRY(cursor_read(host, cursor, sizeof extent, "a shape", &extent));
        out_shape->extents[axis] = extent;
    }
    return TN_OK;
}

/* A shape whose rank or extents may be negative, which stands for unknown. */
static tn_status read_shape(const tn_host *host, struct cursor *cursor, tn_shape *out_shape) {
    int32_t rank;
    TN_TRY(cursor_read(host, cursor, sizeof rank, "the rank of an array", &rank));
    TN_TRY(check_rank(host, cursor, rank));
    *out_shape = rank < 0 ? tn_shape_unknown() : tn_shape_of_rank(rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        TN_TRY(cursor_read(host, cursor, sizeof(int64_t), "a shape", &out_shape->extents[axis]));
    }
    return TN_OK;
}

static tn_status require_known(const tn_host *host, const struct cursor *cursor,
                               const tn_shape *shape) {
    char text[256];
    if (!tn_shape_is_known(shape)) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu: a shape with a negative extent: %s",
                       cursor->where, (unsigned long long)cursor->offset,
                       tn_shape_text(shape, text, sizeof text));
    }
    return TN_OK;
}

static tn_status read_dtype(const tn_host *host, struct cursor *cursor, tn_dtype *out_dtype) {
    int32_t number;
    TN_TRY(cursor_read(host, cursor, sizeof number, "the type of an array", &number));
    *out_dtype = dtype_from_mxnet(number);
    if (*out_dtype == 0) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu: MXNet has no element type number %d",
                       cursor->where, (unsigned long long)cursor->offset - sizeof number, number);
    }
    return TN_OK;
}

/* The storage type, the stored shape and the shape, as versions 2 and 3 have them. */
static tn_status read_storage_and_shapes(const tn_host *host, struct cursor *cursor,
                                         uint32_t version_mark, struct ndarray_record *record) {
    TN_TRY(cursor_read(host, cursor, sizeof record->storage, "a storage type", &record->storage));
    const int32_t last = version_mark == NDARRAY_V3 ? NDARRAY_DENSE : NDARRAY_CSR;
    if (record->storage < NDARRAY_DENSE || record->storage > last) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu: the storage type is %d, expected 0 to %d",
                       cursor->where, (unsigned long long)cursor->offset - sizeof record->storage,
                       record->storage, last);
    }
    if (record->storage != NDARRAY_DENSE) {
        record->aux_count = record->storage == NDARRAY_CSR ? 2 : 1;
        TN_TRY(read_shape(host, cursor, &record->stored_shape));
        TN_TRY(require_known(host, cursor, &record->stored_shape));
    }
    TN_TRY(read_shape(host, cursor, &record->shape));
    if (version_mark == NDARRAY_V3) {
        record->is_none = !tn_shape_is_known(&record->shape);
        return TN_OK;
    }
    record->is_none = record->shape.rank == 0;
    return require_known(host, cursor, &record->shape);
}

static tn_status read_shapes(const tn_host *host, struct cursor *cursor,
                             struct ndarray_record *record) {
    uint32_t mark;
    TN_TRY(cursor_read(host, cursor, sizeof mark, "an array", &mark));
    if (mark == NDARRAY_V2 || mark == NDARRAY_V3) {
        return read_storage_and_shapes(host, cursor, mark, record);
    }
    if (mark == NDARRAY_V1) {
        TN_TRY(read_shape(host, cursor, &record->shape));
        TN_TRY(require_known(host, cursor, &record->shape));
    } else {
        TN_TRY(read_narrow_extents(host, cursor, mark, &record->shape));
    }
    record->is_none = record->shape.rank == 0;
    return TN_OK;
}

static tn_status read_aux_headers(const tn_host *host, struct cursor *cursor,
                                  struct ndarray_record *record) {
    for (uint32_t i = 0; i < record->aux_count; i++) {
        struct ndarray_aux *aux = &record->aux[i];
        tn_shape shape;
        TN_TRY(read_dtype(host, cursor, &aux->dtype));
        TN_TRY(read_shape(host, cursor, &shape));
        if (shape.rank != 1 || shape.extents[0] < 0 ||
            (aux->dtype != TN_I64 && aux->dtype != TN_I32)) {
            return tn_fail(host, TN_CORRUPT,
                           "%sbyte %llu: an index array must have rank 1 and hold int64 or int32",
                           cursor->where, (unsigned long long)cursor->offset);
        }
        aux->count = (uint64_t)shape.extents[0];
    }
    return TN_OK;
}

static tn_status take_elements(const tn_host *host, struct cursor *cursor,
                               struct ndarray_record *record) {
    TN_TRY(ndarray_byte_size(host, cursor->where, &record->stored_shape, record->dtype,
                             &record->value_bytes));
    TN_TRY(cursor_take(host, cursor, record->value_bytes, "the body of an array", &record->values));
    for (uint32_t i = 0; i < record->aux_count; i++) {
        struct ndarray_aux *aux = &record->aux[i];
        const tn_shape shape = tn_shape_of(1, (const int64_t[]){(int64_t)aux->count});
        uint64_t bytes;
        TN_TRY(ndarray_byte_size(host, cursor->where, &shape, aux->dtype, &bytes));
        TN_TRY(cursor_take(host, cursor, bytes, "an index array", &aux->data));
    }
    return TN_OK;
}

tn_status ndarray_read(const tn_host *host, struct cursor *cursor, struct ndarray_record *out) {
    struct ndarray_record record;
    memset(&record, 0, sizeof record);
    record.where = cursor->where;
    TN_TRY(read_shapes(host, cursor, &record));
    if (!record.is_none) {
        /* An array saved from a GPU says so; its elements are the same. */
        const uint8_t *device;
        TN_TRY(cursor_take(host, cursor, 2 * sizeof(int32_t), "the device of an array", &device));
        TN_TRY(read_dtype(host, cursor, &record.dtype));
        TN_TRY(read_aux_headers(host, cursor, &record));
        if (record.storage == NDARRAY_DENSE) {
            record.stored_shape = record.shape;
        }
        TN_TRY(take_elements(host, cursor, &record));
    }
    *out = record;
    return TN_OK;
}
