/* The content of sparse tensors: arrays that grow as kernels ask for room. */
#ifndef TENON_TENSOR_SPARSE_H
#define TENON_TENSOR_SPARSE_H

#include <stdbool.h>

#include <tenon/sparse.h>

#include "tensor/tensor.h"

typedef struct tni_sparse {
    tn_sparse parts; /* the first member: the data of a view points here */
    tn_dtype dtype;
    int32_t rank;                               /* of `entry` */
    int64_t row_count;                          /* CSR: how many row starts there are, less one */
    int64_t index_end;                          /* indices are below this */
    int64_t most;                               /* how many rows or elements the shape has */
    uint64_t entry_size;                        /* bytes of one stored row or element */
    tni_storage *values, *indices, *row_starts; /* counted: tensors of a part share them */
    bool is_allocated;                          /* the kernel that runs has asked for room */
    int64_t entry[];                            /* the extents of one stored row; none for CSR */
} tni_sparse;

/* Nothing is stored. Fails for a shape that such a storage cannot have. */
tn_status tni_sparse_create(uint32_t storage, tn_dtype dtype, int32_t rank, const int64_t *extents,
                            tni_sparse **out_sparse);
/* NULL is allowed. */
void tni_sparse_destroy(tni_sparse *sparse);

/* Room for so many rows or elements; what was stored stays, as far as there is room. Untouched on
 * failure. */
tn_status tni_sparse_resize(tni_sparse *sparse, int64_t stored_count);

/* Around a kernel that makes it: begin forgets nothing yet but asks to be told; end makes it empty
 * when the kernel has not asked for room. */
void tni_sparse_begin(tni_sparse *sparse);
void tni_sparse_end(tni_sparse *sparse);

/* All zero. */
void tni_sparse_clear(tni_sparse *sparse);

/* CORRUPT says what is wrong: indices that are not ascending or out of range, row starts that do
 * not ascend from 0 to the count. */
tn_status tni_sparse_check(const tni_sparse *sparse);

/* Both are of one storage, shape and dtype. */
tn_status tni_sparse_copy(const tni_sparse *source, tni_sparse *target);

/* "row_sparse float32 (4,3) cannot be …": fails when the tensor is sparse. */
tn_status tni_require_dense(const tn_tensor *tensor, const char *what);

/* TN_STORAGE_…, for hot paths. */
static inline uint32_t tni_tensor_storage(const tn_tensor *tensor) {
    return tensor->sparse == NULL ? TN_STORAGE_DENSE : tensor->sparse->parts.storage;
}

/* The one behind a view of a sparse tensor. */
static inline tni_sparse *tni_sparse_of(const tn_view *view) {
    return view->data;
}

extern const tn_sparse_service tni_sparse_service;

#endif
