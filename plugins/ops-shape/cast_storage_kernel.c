/* From any storage to any other. Rows are looked at in parallel: first what there is to store is
 * counted, then, when there is room for it, it is copied. */
#include "operators.h"

typedef struct cast_work {
    const tn_view *data, *output;
    const tn_sparse *source, *target; /* NULL where dense */
    uint8_t *is_stored;               /* by row of a row-sparse output */
    int64_t row_length;               /* elements */
    size_t size;                      /* bytes of an element */
    uint64_t mask;                    /* of an element's bits that make it other than zero */
} cast_work;

/* The sign of a float does not. */
static uint64_t mask_of(tn_dtype dtype) {
    const uint32_t bits = (dtype >> 8) & 0xffu;
    const int is_float = (dtype & 0xffu) == 2 || (dtype & 0xffu) == 4;
    return is_float ? ~(UINT64_C(1) << (bits - 1)) : UINT64_MAX;
}

static inline int is_zero(const char *element, size_t size, uint64_t mask) {
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    return (bits & mask) == 0;
}

static inline int64_t count_of_size(const char *elements, int64_t count, size_t size,
                                    uint64_t mask) {
    int64_t stored = 0;
    for (int64_t i = 0; i < count; i++) {
        stored += !is_zero(elements + (size_t)i * size, size, mask);
    }
    return stored;
}

/* Copies the elements that are not zero, with their columns. */
static inline void store_of_size(const char *elements, int64_t count, size_t size, uint64_t mask,
                                 char *values, int64_t *columns) {
    for (int64_t i = 0; i < count; i++, elements += size) {
        if (!is_zero(elements, size, mask)) {
            memcpy(values, elements, size);
            values += size;
            *columns++ = i;
        }
    }
}

/* The size as a constant makes the loops above worth their while. */
static int64_t count_stored(const cast_work *work, const char *elements, int64_t count) {
    switch (work->size) {
    case 1: return count_of_size(elements, count, 1, work->mask);
    case 2: return count_of_size(elements, count, 2, work->mask);
    case 4: return count_of_size(elements, count, 4, work->mask);
    default: return count_of_size(elements, count, 8, work->mask);
    }
}

static void store_elements(const cast_work *work, const char *elements, int64_t at) {
    char *values = (char *)work->target->values + (size_t)at * work->size;
    int64_t *columns = work->target->indices + at;
    switch (work->size) {
    case 1: store_of_size(elements, work->row_length, 1, work->mask, values, columns); break;
    case 2: store_of_size(elements, work->row_length, 2, work->mask, values, columns); break;
    case 4: store_of_size(elements, work->row_length, 4, work->mask, values, columns); break;
    default: store_of_size(elements, work->row_length, 8, work->mask, values, columns); break;
    }
}

/* Writes the elements of a CSR row where they belong among zeros. */
static void scatter_elements(const cast_work *work, int64_t row, char *elements) {
    const tn_sparse *source = work->source;
    memset(elements, 0, (size_t)work->row_length * work->size);
    for (int64_t i = source->row_starts[row]; i < source->row_starts[row + 1]; i++) {
        memcpy(elements + (size_t)source->indices[i] * work->size,
               (const char *)source->values + (size_t)i * work->size, work->size);
    }
}

static char *row_of(const cast_work *work, void *rows, int64_t number) {
    return (char *)rows + (size_t)(number * work->row_length) * work->size;
}

static void copy_row(const cast_work *work, const void *source, void *target) {
    memcpy(target, source, (size_t)work->row_length * work->size);
}

static void for_rows(const tn_run_call *call, int64_t rows,
                     void (*body)(void *context, int64_t begin, int64_t end), cast_work *work) {
    tn_parallel_for(call->host, rows, 1 + 65536 / (work->row_length + 1), body, work);
}

/* To dense. */

static void clear_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    memset(row_of(work, tn_data(work->output), begin), 0,
           (size_t)((end - begin) * work->row_length) * work->size);
}

static void place_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t i = begin; i < end; i++) {
        copy_row(work, row_of(work, work->source->values, i),
                 row_of(work, tn_data(work->output), work->source->indices[i]));
    }
}

static void scatter_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t row = begin; row < end; row++) {
        scatter_elements(work, row, row_of(work, tn_data(work->output), row));
    }
}

static tn_status rows_to_dense(const tn_run_call *call, cast_work *work) {
    for_rows(call, work->output->shape[0], clear_rows, work);
    for_rows(call, work->source->stored_count, place_rows, work);
    return TN_OK;
}

static tn_status csr_to_dense(const tn_run_call *call, cast_work *work) {
    for_rows(call, work->output->shape[0], scatter_rows, work);
    return TN_OK;
}

/* To row-sparse. */

static void mark_dense_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t row = begin; row < end; row++) {
        const char *elements = row_of(work, tn_data(work->data), row);
        work->is_stored[row] = count_stored(work, elements, work->row_length) > 0;
    }
}

static void mark_csr_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t row = begin; row < end; row++) {
        const int64_t first = work->source->row_starts[row];
        const int64_t count = work->source->row_starts[row + 1] - first;
        const char *values = (const char *)work->source->values + (size_t)first * work->size;
        work->is_stored[row] = count_stored(work, values, count) > 0;
    }
}

static void take_dense_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t i = begin; i < end; i++) {
        copy_row(work, row_of(work, tn_data(work->data), work->target->indices[i]),
                 row_of(work, work->target->values, i));
    }
}

static void take_csr_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t i = begin; i < end; i++) {
        scatter_elements(work, work->target->indices[i], row_of(work, work->target->values, i));
    }
}

static tn_status to_rows(const tn_run_call *call, cast_work *work) {
    const int64_t rows = work->data->shape[0];
    int64_t stored = 0;
    for_rows(call, rows, work->source != NULL ? mark_csr_rows : mark_dense_rows, work);
    for (int64_t row = 0; row < rows; row++) {
        stored += work->is_stored[row];
    }
    TN_TRY(tn_sparse_allocate(call->host, work->output, stored));
    int64_t *indices = work->target->indices;
    for (int64_t row = 0; row < rows; row++) {
        if (work->is_stored[row]) {
            *indices++ = row;
        }
    }
    for_rows(call, stored, work->source != NULL ? take_csr_rows : take_dense_rows, work);
    return TN_OK;
}

/* To CSR. */

/* Row starts hold the counts of the rows, one place further on. */
static tn_status sum_row_starts(const tn_run_call *call, const cast_work *work) {
    int64_t *starts = work->target->row_starts;
    for (int64_t row = 0; row < work->output->shape[0]; row++) {
        starts[row + 1] += starts[row];
    }
    return tn_sparse_allocate(call->host, work->output, starts[work->output->shape[0]]);
}

static void count_dense_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t row = begin; row < end; row++) {
        work->target->row_starts[row + 1] =
            count_stored(work, row_of(work, tn_data(work->data), row), work->row_length);
    }
}

static void store_dense_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t row = begin; row < end; row++) {
        store_elements(work, row_of(work, tn_data(work->data), row), work->target->row_starts[row]);
    }
}

static tn_status dense_to_csr(const tn_run_call *call, cast_work *work) {
    for_rows(call, work->output->shape[0], count_dense_rows, work);
    TN_TRY(sum_row_starts(call, work));
    for_rows(call, work->output->shape[0], store_dense_rows, work);
    return TN_OK;
}

static void count_stored_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t i = begin; i < end; i++) {
        work->target->row_starts[work->source->indices[i] + 1] =
            count_stored(work, row_of(work, work->source->values, i), work->row_length);
    }
}

static void store_stored_rows(void *context, int64_t begin, int64_t end) {
    const cast_work *work = context;
    for (int64_t i = begin; i < end; i++) {
        store_elements(work, row_of(work, work->source->values, i),
                       work->target->row_starts[work->source->indices[i]]);
    }
}

static tn_status rows_to_csr(const tn_run_call *call, cast_work *work) {
    for_rows(call, work->source->stored_count, count_stored_rows, work);
    TN_TRY(sum_row_starts(call, work));
    for_rows(call, work->source->stored_count, store_stored_rows, work);
    return TN_OK;
}

/* As it is. */
static tn_status copy_dense(const tn_run_call *call) {
    if (tn_byte_size(call->outputs[0]) > 0) {
        memmove(tn_data(call->outputs[0]), tn_data(call->inputs[0]), tn_byte_size(call->inputs[0]));
    }
    return TN_OK;
}

int32_t cast_storage_supports(const tn_kernel_query *query) {
    (void)query;
    return 1;
}

tn_status cast_storage_prepare(tn_prepare_call *call) {
    if (call->output_storages[0] == TN_STORAGE_ROW_SPARSE) {
        call->workspace_size = (uint64_t)call->outputs[0]->shape[0];
    }
    return TN_OK;
}

tn_status cast_storage_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const uint32_t from = call->input_storages[0], to = call->output_storages[0];
    cast_work work = {
        .data = data,
        .output = output,
        .source = tn_storage_is_sparse(from) ? tn_sparse_of(data) : NULL,
        .target = tn_storage_is_sparse(to) ? tn_sparse_of(output) : NULL,
        .is_stored = call->workspace,
        .row_length = data->rank > 0 ? tn_extent_product(data->shape, 1, data->rank) : 1,
        .size = TN_DTYPE_SIZE(data->dtype),
        .mask = mask_of(data->dtype),
    };
    if (from == to) {
        return from == TN_STORAGE_DENSE ? copy_dense(call) : sparse_copy_run(call);
    }
    switch (to) {
    case TN_STORAGE_ROW_SPARSE: return to_rows(call, &work);
    case TN_STORAGE_CSR:
        return from == TN_STORAGE_DENSE ? dense_to_csr(call, &work) : rows_to_csr(call, &work);
    default: return from == TN_STORAGE_CSR ? csr_to_dense(call, &work) : rows_to_dense(call, &work);
    }
}
