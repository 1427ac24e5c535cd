/*
 * Sparse tensors: some elements are stored, all others are zero.
 *
 *   row-sparse  rank 1 or more. Some rows of the first axis are stored: `indices` says which, from
 *               the lowest to the highest, each once; `values` holds them in that order.
 *   CSR         rank 2. The elements of row r are numbers row_starts[r] up to row_starts[r + 1] of
 *               `values`; `indices` holds their columns, ascending within a row, each once.
 *               row_starts[0] is 0 and the last row start is the count of elements.
 *
 * A stored element may be zero. Sparse tensors lie in host memory. The host checks every one that
 * comes from a file, from a caller or from a kernel before a kernel reads it, so that indices can
 * be trusted [TN-REQ-111].
 *
 * A kernel with TN_KERNEL_SPARSE finds a sparse tensor through the view: tn_sparse_of(view). How
 * much an output stores is known when the kernel runs: it asks for room by tn_sparse_allocate and
 * fills the arrays. An output for which it does not ask is empty, all zero [TN-REQ-112].
 */
#ifndef TENON_PLUGIN_SPARSE_H
#define TENON_PLUGIN_SPARSE_H

#include <tenon/plugin/helpers.h>

/* The content of a sparse tensor. Made by the host. */
typedef struct tn_sparse {
    uint32_t struct_size;
    uint32_t storage;     /* TN_STORAGE_ROW_SPARSE or TN_STORAGE_CSR */
    int64_t stored_count; /* rows (row-sparse) or elements (CSR) that are stored */
    void *values;         /* of the tensor's dtype, 64-byte aligned */
    int64_t *indices;     /* `stored_count` rows or columns */
    int64_t *row_starts;  /* CSR: one for each row and one more. Row-sparse: NULL. */
} tn_sparse;

/* "sparse", version 1: sparse tensors in host memory. */
typedef struct tn_sparse_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Room for `stored_count` rows or elements, whose values and indices are not initialised;
     * row starts are 0. The caller holds one count and fills it in before anybody else sees it. */
    tn_status (*create)(const tn_host *host, uint32_t storage, tn_dtype dtype, int32_t rank,
                        const int64_t *extents, int64_t stored_count, tn_tensor **out_tensor);
    /* [any] TN_STORAGE_… of a tensor. */
    uint32_t (*storage)(const tn_host *host, const tn_tensor *tensor);
    /* [worker] From a kernel's run: room in a sparse output. Sets the fields of its tn_sparse. May
     * be called again, for more or for fewer: what was written stays, as far as there is room. Row
     * starts stay, too; before the first call they are 0. INVALID_ARGUMENT for more than the shape
     * has. */
    tn_status (*allocate)(const tn_host *host, const tn_view *output, int64_t stored_count);
    /* [any] Whether the content is as described above; CORRUPT says where it is not. */
    tn_status (*check)(const tn_host *host, const tn_view *view);
} tn_sparse_service;

/* The content of a sparse view. */
TN_INLINE_ tn_sparse *tn_sparse_of(const tn_view *view) {
    return (tn_sparse *)view->data;
}

TN_INLINE_ int tn_storage_is_sparse(uint32_t storage) {
    return storage == TN_STORAGE_ROW_SPARSE || storage == TN_STORAGE_CSR;
}

TN_INLINE_ tn_status tn_sparse_allocate(const tn_host *host, const tn_view *output,
                                        int64_t stored_count) {
    const tn_sparse_service *sparse = TN_SERVICE(host, sparse);
    if (sparse == NULL) {
        return tn_fail(host, TN_UNSUPPORTED, "the host has no sparse tensors");
    }
    return sparse->allocate(host, output, stored_count);
}

TN_INLINE_ const char *tn_storage_name(uint32_t storage) {
    switch (storage) {
    case TN_STORAGE_DENSE: return "dense";
    case TN_STORAGE_ROW_SPARSE: return "row_sparse";
    case TN_STORAGE_CSR: return "csr";
    default: return "unknown";
    }
}

/* Merges a fact into what is known of a storage, as tn_infer_dtype does. */
TN_INLINE_ tn_status tn_infer_storage(const tn_host *host, const char *what, uint32_t *known,
                                      uint32_t fact) {
    if (fact == TN_STORAGE_UNKNOWN || *known == fact) {
        return TN_OK;
    }
    if (*known == TN_STORAGE_UNKNOWN) {
        *known = fact;
        return TN_OK;
    }
    return tn_fail(host, TN_INVALID_ARGUMENT, "%s is %s, but %s is expected", what,
                   tn_storage_name(*known), tn_storage_name(fact));
}

#endif
