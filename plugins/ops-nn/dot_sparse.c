#include "dot_sparse.h"

#include "real_float.h"

#include "dot_sparse_template.h"

#include "real_double.h"

#include "dot_sparse_template.h"

enum { GRAIN = 16384 /* multiplications that are worth a thread */ };

typedef struct sparse_product {
    const tn_sparse *left;
    const int64_t *right_places;  /* by row of rhs: where it is stored, or -1; NULL: rhs is dense */
    const int64_t *result_places; /* by row of the result, likewise */
    const char *right_values;
    char *result;
    int64_t rows;    /* of lhs */
    int64_t columns; /* of rhs and of the result */
    size_t size;     /* bytes of an element */
    void (*add_scaled)(const void *row, int64_t begin, int64_t end, const void *factor,
                       void *result);
} sparse_product;

int32_t dot_sparse_supports(const tn_kernel_query *query, int transpose_a, int transpose_b) {
    const uint32_t right = query->inputs[1].storage, output = query->outputs[0].storage;
    const tn_dtype dtype = query->outputs[0].dtype;
    return query->inputs[0].storage == TN_STORAGE_CSR && !transpose_b &&
           (right == TN_STORAGE_DENSE || right == TN_STORAGE_ROW_SPARSE) &&
           (output == TN_STORAGE_DENSE || (transpose_a && output == TN_STORAGE_ROW_SPARSE)) &&
           (dtype == TN_F32 || dtype == TN_F64);
}

/* A place for each row of rhs, then for each of the result, where they are sparse. */
tn_status dot_sparse_prepare(tn_prepare_call *call, int transpose_a) {
    const int64_t right_rows = call->inputs[1]->shape[0];
    const int64_t result_rows = call->inputs[0]->shape[transpose_a ? 1 : 0];
    uint64_t places = 0;
    places += call->input_storages[1] == TN_STORAGE_ROW_SPARSE ? (uint64_t)right_rows : 0;
    places += call->output_storages[0] == TN_STORAGE_ROW_SPARSE ? (uint64_t)result_rows : 0;
    call->workspace_size = places * sizeof(int64_t);
    return TN_OK;
}

static const char *right_row(const sparse_product *product, int64_t row) {
    const int64_t place = product->right_places == NULL ? row : product->right_places[row];
    return place < 0 ? NULL
                     : product->right_values + (size_t)(place * product->columns) * product->size;
}

static const char *factor_at(const sparse_product *product, int64_t position) {
    return (const char *)product->left->values + (size_t)position * product->size;
}

/* Rows `begin` to `end` of lhs, each a row of the result. */
static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const sparse_product *product = context;
    const tn_sparse *left = product->left;
    for (int64_t row = begin; row < end; row++) {
        char *result = product->result + (size_t)(row * product->columns) * product->size;
        memset(result, 0, (size_t)product->columns * product->size);
        for (int64_t i = left->row_starts[row]; i < left->row_starts[row + 1]; i++) {
            const char *from = right_row(product, left->indices[i]);
            if (from != NULL) {
                product->add_scaled(from, 0, product->columns, factor_at(product, i), result);
            }
        }
    }
}

/* All rows of lhs, for columns `begin` to `end` of the result, whose rows any of them may add to.
 */
static void multiply_columns(void *context, int64_t begin, int64_t end) {
    const sparse_product *product = context;
    const tn_sparse *left = product->left;
    for (int64_t row = 0; row < product->rows; row++) {
        const char *from = right_row(product, row);
        for (int64_t i = left->row_starts[row]; from != NULL && i < left->row_starts[row + 1];
             i++) {
            const int64_t column = left->indices[i];
            const int64_t place =
                product->result_places == NULL ? column : product->result_places[column];
            product->add_scaled(from, begin, end, factor_at(product, i),
                                product->result +
                                    (size_t)(place * product->columns) * product->size);
        }
    }
}

static void list_places(const tn_sparse *sparse, int64_t rows, int64_t *places) {
    for (int64_t row = 0; row < rows; row++) {
        places[row] = -1;
    }
    for (int64_t i = 0; i < sparse->stored_count; i++) {
        places[sparse->indices[i]] = i;
    }
}

/* Stores the rows of the result that some element of lhs adds to. */
static tn_status make_result_rows(const tn_run_call *call, const tn_sparse *left, int64_t rows,
                                  int64_t *places) {
    int64_t stored = 0;
    memset(places, 0, (size_t)rows * sizeof *places);
    for (int64_t i = 0; i < left->stored_count; i++) {
        places[left->indices[i]] = 1;
    }
    for (int64_t row = 0; row < rows; row++) {
        places[row] = places[row] ? stored++ : -1;
    }
    TN_TRY(tn_sparse_allocate(call->host, call->outputs[0], stored));
    for (int64_t row = 0; row < rows; row++) {
        if (places[row] >= 0) {
            tn_sparse_of(call->outputs[0])->indices[places[row]] = row;
        }
    }
    return TN_OK;
}

/* The transposed product: the result is cleared, then added to. */
static tn_status run_transposed(const tn_run_call *call, sparse_product *product, int64_t *places) {
    const int64_t result_rows = call->inputs[0]->shape[1];
    int64_t kept_rows = result_rows;
    if (call->output_storages[0] == TN_STORAGE_ROW_SPARSE) {
        TN_TRY(make_result_rows(call, product->left, result_rows, places));
        product->result_places = places;
        product->result = tn_sparse_of(call->outputs[0])->values;
        kept_rows = tn_sparse_of(call->outputs[0])->stored_count;
    } else {
        product->result = tn_data(call->outputs[0]);
    }
    if (kept_rows * product->columns > 0) {
        memset(product->result, 0, (size_t)(kept_rows * product->columns) * product->size);
    }
    tn_parallel_for(call->host, product->columns, 16 + GRAIN / (product->left->stored_count + 1),
                    multiply_columns, product);
    return TN_OK;
}

tn_status dot_sparse_run(const tn_run_call *call, int transpose_a) {
    const tn_view *right = call->inputs[1];
    int64_t *places = call->workspace;
    sparse_product product = {
        .left = tn_sparse_of(call->inputs[0]),
        .rows = call->inputs[0]->shape[0],
        .columns = tn_extent_product(right->shape, 1, right->rank),
        .size = TN_DTYPE_SIZE(right->dtype),
        .add_scaled = right->dtype == TN_F64 ? add_scaled_f64 : add_scaled_f32,
    };
    if (call->input_storages[1] == TN_STORAGE_ROW_SPARSE) {
        list_places(tn_sparse_of(right), right->shape[0], places);
        product.right_places = places;
        product.right_values = tn_sparse_of(right)->values;
        places += right->shape[0];
    } else {
        product.right_values = tn_data(right);
    }
    if (transpose_a) {
        return run_transposed(call, &product, places);
    }
    product.result = tn_data(call->outputs[0]);
    const int64_t work = product.left->stored_count / (product.rows + 1) * product.columns;
    tn_parallel_for(call->host, product.rows, 1 + GRAIN / (work + 1), multiply_rows, &product);
    return TN_OK;
}
