/* _sparse_retain: some rows of a row-sparse tensor. */
#include <stdlib.h>

#include "indices.h"
#include "operator.h"
#include "operators.h"

static const char *const input_names[] = {"data", "indices"};

static tn_status sparse_retain_infer(tn_infer_call *call) {
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape list = tn_shape_of_rank(1);
    TN_TRY(tn_infer_storage(call->host, "data", &data->storage, TN_STORAGE_ROW_SPARSE));
    TN_TRY(tn_infer_storage(call->host, "indices", &call->inputs[1].storage, TN_STORAGE_DENSE));
    TN_TRY(tn_infer_storage(call->host, "output", &output->storage, TN_STORAGE_ROW_SPARSE));
    TN_TRY(tn_infer_shape(call->host, "indices", &call->inputs[1].shape, &list));
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    return tn_infer_same_shape(call->host, "output", &output->shape, &data->shape);
}

const tn_op sparse_retain_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "The rows of a row_sparse tensor that indices names; all others become zero. A row that "
           "is named and not stored is stored as zeros.",
    OP_INPUTS(input_names),
    .infer = sparse_retain_infer,
};

int32_t sparse_retain_supports(const tn_kernel_query *query) {
    return query->inputs[0].storage == TN_STORAGE_ROW_SPARSE;
}

tn_status sparse_retain_prepare(tn_prepare_call *call) {
    call->workspace_size = (uint64_t)tn_element_count(call->inputs[1]) * sizeof(int64_t);
    return TN_OK;
}

static int compare_rows(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Ascending, each once. */
static int64_t order_rows(int64_t *rows, int64_t count) {
    int64_t kept = 0;
    int is_ascending = 1;
    for (int64_t i = 1; i < count; i++) {
        is_ascending = is_ascending && rows[i - 1] < rows[i];
    }
    if (is_ascending) {
        return count;
    }
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    for (int64_t i = 0; i < count; i++) {
        if (i == 0 || rows[i] != rows[kept - 1]) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static tn_status read_rows(const tn_run_call *call, int64_t *out_count) {
    int64_t *rows = call->workspace;
    const int64_t count = tn_element_count(call->inputs[1]), extent = call->inputs[0]->shape[0];
    indices_read(call->inputs[1], 0, count, rows);
    *out_count = order_rows(rows, count);
    if (*out_count > 0 && (rows[0] < 0 || rows[*out_count - 1] >= extent)) {
        return tn_fail(
            call->host, TN_OUT_OF_RANGE, "indices name row %lld of a tensor that has %lld rows",
            (long long)(rows[0] < 0 ? rows[0] : rows[*out_count - 1]), (long long)extent);
    }
    return TN_OK;
}

tn_status sparse_retain_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    const tn_sparse *source = tn_sparse_of(data), *target = tn_sparse_of(call->outputs[0]);
    const size_t size =
        (size_t)tn_extent_product(data->shape, 1, data->rank) * TN_DTYPE_SIZE(data->dtype);
    int64_t count = 0, at = 0;
    TN_TRY(read_rows(call, &count));
    TN_TRY(tn_sparse_allocate(call->host, call->outputs[0], count));
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = ((const int64_t *)call->workspace)[i];
        char *values = (char *)target->values + (size_t)i * size;
        target->indices[i] = row;
        while (at < source->stored_count && source->indices[at] < row) {
            at++;
        }
        if (at < source->stored_count && source->indices[at] == row) {
            memcpy(values, (const char *)source->values + (size_t)at * size, size);
        } else {
            memset(values, 0, size);
        }
    }
    return TN_OK;
}
