#include "storage.h"

int unary_keeps_zero(unary_function function) {
    const double zero = 0;
    const compute_value none[UNARY_PARAMETERS] = {{.u64 = 0}};
    double result = 1;
    unary_rows[function][COMPUTE_F64](&zero, none, &result, 1);
    return result == 0;
}

int binary_keeps_zero(binary_function function) {
    const double zero = 0;
    double result = 1;
    binary_rows[function][COMPUTE_F64](&zero, 1, &zero, 1, &result, 1);
    return result == 0;
}

tn_status infer_pointwise_storage(tn_infer_call *call, int keeps_zero) {
    const uint32_t data = call->inputs[0].storage;
    const uint32_t fact = data == TN_STORAGE_UNKNOWN || keeps_zero ? data : TN_STORAGE_DENSE;
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage, fact);
}

static uint32_t binary_storage(uint32_t left, uint32_t right, binary_function function) {
    if (left == TN_STORAGE_UNKNOWN || right == TN_STORAGE_UNKNOWN) {
        return TN_STORAGE_UNKNOWN;
    }
    if (left == right && binary_keeps_zero(function)) {
        return left;
    }
    if (function == BINARY_multiply && left == TN_STORAGE_DENSE) {
        return right;
    }
    return function == BINARY_multiply && right == TN_STORAGE_DENSE ? left : TN_STORAGE_DENSE;
}

tn_status infer_binary_storage(tn_infer_call *call, binary_function function) {
    return tn_infer_storage(
        call->host, "output", &call->outputs[0].storage,
        binary_storage(call->inputs[0].storage, call->inputs[1].storage, function));
}

tn_status infer_sum_storage(tn_infer_call *call) {
    uint32_t fact = TN_STORAGE_ROW_SPARSE;
    for (uint32_t i = 0; i < call->input_count; i++) {
        const uint32_t storage = call->inputs[i].storage;
        if (storage == TN_STORAGE_UNKNOWN) {
            return TN_OK;
        }
        fact = storage == TN_STORAGE_ROW_SPARSE ? fact : TN_STORAGE_DENSE;
    }
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage, fact);
}

int32_t supports_pointwise(const tn_kernel_query *query) {
    return query->inputs[0].storage == query->outputs[0].storage;
}

int64_t stored_entry_length(const tn_view *view, uint32_t storage) {
    return storage == TN_STORAGE_CSR ? 1 : tn_extent_product(view->shape, 1, view->rank);
}

tn_status copy_structure(const tn_run_call *call, uint32_t input) {
    const tn_sparse *source = tn_sparse_of(call->inputs[input]);
    const tn_sparse *target = tn_sparse_of(call->outputs[0]);
    const size_t count = (size_t)source->stored_count;
    TN_TRY(tn_sparse_allocate(call->host, call->outputs[0], source->stored_count));
    if (count > 0) {
        memcpy(target->indices, source->indices, count * sizeof(int64_t));
    }
    if (source->row_starts != NULL) {
        memcpy(target->row_starts, source->row_starts,
               ((size_t)call->outputs[0]->shape[0] + 1) * sizeof(int64_t));
    }
    return TN_OK;
}
