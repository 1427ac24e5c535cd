/*
 * Storages of the outputs of functions that are applied element by element. A function that makes
 * zero of zero keeps its input's storage; what another makes is dense.
 */
#ifndef OPS_MATH_STORAGE_H
#define OPS_MATH_STORAGE_H

#include "binary_functions.h"
#include "unary_functions.h"

int unary_keeps_zero(unary_function function);
int binary_keeps_zero(binary_function function);

/* With one input. Nothing follows while that one's storage is not known. */
tn_status infer_pointwise_storage(tn_infer_call *call, int keeps_zero);

/* With two inputs of one shape: two that are sparse alike give the same, and a product of a sparse
 * and a dense tensor is as sparse as the one. */
tn_status infer_binary_storage(tn_infer_call *call, binary_function function);

/* With any number of inputs: row-sparse when all are. */
tn_status infer_sum_storage(tn_infer_call *call);

/* Input and output are stored alike. */
int32_t supports_pointwise(const tn_kernel_query *query);

/* Stored rows, or elements of a CSR tensor: how many elements each has. */
int64_t stored_entry_length(const tn_view *view, uint32_t storage);

/* Makes room in output 0 for what input 0 stores, and stores the same indices. */
tn_status copy_structure(const tn_run_call *call, uint32_t input);

#endif
