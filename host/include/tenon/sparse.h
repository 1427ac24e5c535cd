/*
 * Sparse tensors: some elements are stored, all others are zero. tenon/plugin/sparse.h says what
 * row-sparse and CSR tensors hold. They lie in host memory. The operator cast_storage makes them
 * of dense ones and dense ones of them.
 *
 * What a sparse tensor stores may change while it is there: a run that is given one for an output
 * makes room in it. Arrays got before are not valid then.
 */
#ifndef TENON_SPARSE_H
#define TENON_SPARSE_H

#include <tenon/plugin/sparse.h>
#include <tenon/tensor.h>

/* Room for `stored_count` rows (TN_STORAGE_ROW_SPARSE) or elements (TN_STORAGE_CSR). The caller
 * fills in values, indices and row starts: values and indices are not initialised, row starts are
 * 0. */
TN_API tn_status tn_tensor_create_sparse(tn_runtime *runtime, uint32_t storage, tn_dtype dtype,
                                         int32_t rank, const int64_t *extents, int64_t stored_count,
                                         tn_tensor **out_tensor);

/* TN_STORAGE_… */
TN_API uint32_t tn_tensor_storage(const tn_tensor *tensor);

/* The arrays, which the caller may write to; NULL when the tensor is dense. Lives until the tensor
 * is resized or gone. */
TN_API const tn_sparse *tn_tensor_sparse(const tn_tensor *tensor);

/* Room for another count; what was stored stays, as far as there is room. [serial] */
TN_API tn_status tn_tensor_resize_sparse(tn_tensor *tensor, int64_t stored_count);

/* CORRUPT says what is wrong with the content: an index out of range or not above the one before
 * it, row starts that do not ascend from 0 to the count. Runs and eager calls check what they are
 * given. A dense tensor is always right. */
TN_API tn_status tn_tensor_check_sparse(const tn_tensor *tensor);

/* One of the arrays as a dense tensor that shares memory with it, until the sparse tensor is
 * resized. NOT_FOUND for the row starts of a row-sparse tensor. */
#define TN_SPARSE_VALUES 0u
#define TN_SPARSE_INDICES 1u
#define TN_SPARSE_ROW_STARTS 2u
TN_API tn_status tn_tensor_sparse_part(tn_tensor *tensor, uint32_t part, tn_tensor **out_tensor);

#endif
