/* One array record of a .params or .nd file, of every version, dense and sparse. */
#ifndef FORMAT_MXNET_NDARRAY_H
#define FORMAT_MXNET_NDARRAY_H

#include <tenon/plugin.h>

#include "cursor.h"

/* The first word of a record. A word that is none of them is the rank of a record of version 0. */
#define NDARRAY_V1 0xF993FAC8u
#define NDARRAY_V2 0xF993FAC9u
#define NDARRAY_V3 0xF993FACAu

enum ndarray_storage { NDARRAY_DENSE = 0, NDARRAY_ROW_SPARSE = 1, NDARRAY_CSR = 2 };

enum { NDARRAY_MAX_AUX = 2 };

/* An index array of a sparse record. */
struct ndarray_aux {
    tn_dtype dtype;
    uint64_t count;
    const uint8_t *data;
};

/* A record as it stands in the file: `values` and `aux` point into its bytes. */
struct ndarray_record {
    const char *where; /* for messages, as in struct cursor */
    int32_t is_none;   /* an array that was never given a shape: nothing else is set */
    int32_t storage;   /* enum ndarray_storage */
    tn_dtype dtype;
    uint32_t aux_count;
    tn_shape shape;
    tn_shape stored_shape; /* of `values`; the same as `shape` when dense */
    uint64_t value_bytes;
    const uint8_t *values;
    struct ndarray_aux aux[NDARRAY_MAX_AUX]; /* row_sparse: rows; csr: row starts, columns */
};

/* Checks the record at the cursor against the bytes that are left and goes past it. */
tn_status ndarray_read(const tn_host *host, struct cursor *cursor, struct ndarray_record *out);

/* Makes a tensor of the record, stored as it is; an array without a shape becomes an empty one. */
tn_status ndarray_to_tensor(const tn_host *host, const struct ndarray_record *record,
                            tn_tensor **out_tensor);

/* The same for a sparse record, whose indices are checked. */
tn_status ndarray_to_sparse(const tn_host *host, const struct ndarray_record *record,
                            tn_tensor **out_tensor);

/* The bytes of an array; CORRUPT when the number does not fit. */
tn_status ndarray_byte_size(const tn_host *host, const char *where, const tn_shape *shape,
                            tn_dtype dtype, uint64_t *out_bytes);

/* Writes one record: version 2, or 3 with numpy shapes, which are dense. */
tn_status ndarray_write(const tn_host *host, const tn_tensor *tensor, int32_t numpy_shapes,
                        const tn_byte_sink *sink);

#endif
