/* A sparse tensor as it is: the kernel of identities for what is not dense. */
#include "operators.h"

int32_t sparse_copy_supports(const tn_kernel_query *query) {
    return tn_storage_is_sparse(query->inputs[0].storage) &&
           query->inputs[0].storage == query->outputs[0].storage;
}

tn_status sparse_copy_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    const tn_sparse *source = tn_sparse_of(data), *target = tn_sparse_of(call->outputs[0]);
    const size_t count = (size_t)source->stored_count;
    const int is_csr = source->storage == TN_STORAGE_CSR;
    const size_t entry = is_csr ? 1 : (size_t)tn_extent_product(data->shape, 1, data->rank);
    TN_TRY(tn_sparse_allocate(call->host, call->outputs[0], source->stored_count));
    if (count > 0) {
        memcpy(target->values, source->values, count * entry * TN_DTYPE_SIZE(data->dtype));
        memcpy(target->indices, source->indices, count * sizeof(int64_t));
    }
    if (is_csr) {
        memcpy(target->row_starts, source->row_starts,
               ((size_t)data->shape[0] + 1) * sizeof(int64_t));
    }
    return TN_OK;
}
