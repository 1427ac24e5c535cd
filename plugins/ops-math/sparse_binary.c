/*
 * What one operand or the other stores is walked in order. The operands' elements are gathered,
 * zeros for what is not stored, and computed with a block at a time.
 */
#include "sparse_binary.h"

#include "binary_kernels.h"
#include "storage.h"

typedef struct sparse_work {
    const tn_run_call *call;
    const tn_sparse *left, *right; /* NULL where dense */
    tn_sparse *output;
    int64_t length; /* elements of a stored row; 1 for CSR */
    size_t size;    /* bytes of an element */
    int64_t columns;
    int32_t is_product;
    /* Gathered and not computed yet. */
    compute_block lefts, rights;
    int64_t gathered, computed; /* elements */
} sparse_work;

/* What two operands store in common order: rows, or the elements of one row of a CSR tensor. */
typedef struct sparse_walk {
    int64_t left, left_end, right, right_end;
} sparse_walk;

/* The next place that is stored; -1 as a position: not in that operand. */
typedef struct sparse_place {
    int64_t index, left, right;
} sparse_place;

static int next_place(const sparse_work *work, sparse_walk *walk, sparse_place *out_place) {
    for (;;) {
        const int has_left = walk->left < walk->left_end, has_right = walk->right < walk->right_end;
        if (work->is_product ? !has_left || !has_right : !has_left && !has_right) {
            return 0;
        }
        const int64_t left = has_left ? work->left->indices[walk->left] : INT64_MAX;
        const int64_t right = has_right ? work->right->indices[walk->right] : INT64_MAX;
        const int64_t index = smaller(left, right);
        *out_place = (sparse_place){index, left == index ? walk->left : -1,
                                    right == index ? walk->right : -1};
        walk->left += left == index;
        walk->right += right == index;
        if (!work->is_product || left == right) {
            return 1;
        }
    }
}

static void compute(sparse_work *work) {
    char *values = work->output->values;
    if (work->gathered > 0) {
        binary_apply(work->call->state, &work->lefts, &work->rights,
                     values + (size_t)work->computed * work->size, work->gathered);
    }
    work->computed += work->gathered;
    work->gathered = 0;
}

static void gather_part(const sparse_work *work, const char *elements, int64_t begin, int64_t count,
                        compute_block *block) {
    char *target = (char *)block + (size_t)work->gathered * work->size;
    if (elements == NULL) {
        memset(target, 0, (size_t)count * work->size);
    } else {
        memcpy(target, elements + (size_t)begin * work->size, (size_t)count * work->size);
    }
}

/* One stored row or element of each operand; NULL: zeros. */
static void gather(sparse_work *work, const char *left, const char *right) {
    for (int64_t begin = 0; begin < work->length;) {
        const int64_t count = smaller(work->length - begin, BLOCK_LENGTH - work->gathered);
        gather_part(work, left, begin, count, &work->lefts);
        gather_part(work, right, begin, count, &work->rights);
        work->gathered += count;
        begin += count;
        if (work->gathered == BLOCK_LENGTH) {
            compute(work);
        }
    }
}

static const char *entry_of(const sparse_work *work, const tn_sparse *operand, int64_t position) {
    return position < 0
               ? NULL
               : (const char *)operand->values + (size_t)(position * work->length) * work->size;
}

/* Stores the places of one walk, from number `at` on. */
static int64_t store_places(sparse_work *work, sparse_walk walk, int64_t at) {
    sparse_place place;
    while (next_place(work, &walk, &place)) {
        work->output->indices[at++] = place.index;
        gather(work, entry_of(work, work->left, place.left),
               entry_of(work, work->right, place.right));
    }
    return at;
}

static sparse_walk row_walk_of(const sparse_work *work, int64_t row) {
    const int64_t *left = work->left->row_starts, *right = work->right->row_starts;
    return (sparse_walk){left[row], left[row + 1], right[row], right[row + 1]};
}

static tn_status run_both(sparse_work *work) {
    const tn_run_call *call = work->call;
    const int64_t left = work->left->stored_count, right = work->right->stored_count;
    const int64_t rows = call->outputs[0]->shape[0];
    const int is_csr = work->output->storage == TN_STORAGE_CSR;
    const int64_t most = is_csr ? rows * work->columns : rows;
    int64_t stored = 0;
    TN_TRY(
        tn_sparse_allocate(call->host, call->outputs[0],
                           work->is_product ? smaller(left, right) : smaller(left + right, most)));
    if (!is_csr) {
        stored = store_places(work, (sparse_walk){0, left, 0, right}, 0);
    }
    for (int64_t row = 0; is_csr && row < rows; row++) {
        stored = store_places(work, row_walk_of(work, row), stored);
        work->output->row_starts[row + 1] = stored;
    }
    compute(work);
    return tn_sparse_allocate(call->host, call->outputs[0], stored);
}

/* A product with a dense operand: what the sparse one stores, times what the other has there. */
static void gather_pair(sparse_work *work, int64_t position, const char *dense) {
    const int left_is_sparse = work->left != NULL;
    const char *sparse = entry_of(work, left_is_sparse ? work->left : work->right, position);
    gather(work, left_is_sparse ? sparse : dense, left_is_sparse ? dense : sparse);
}

static tn_status run_with_dense(sparse_work *work) {
    const tn_run_call *call = work->call;
    const uint32_t input = work->left != NULL ? 0 : 1;
    const tn_sparse *sparse = work->left != NULL ? work->left : work->right;
    const char *dense = tn_data(call->inputs[1 - input]);
    TN_TRY(copy_structure(call, input));
    if (sparse->storage == TN_STORAGE_ROW_SPARSE) {
        for (int64_t i = 0; i < sparse->stored_count; i++) {
            gather_pair(work, i, dense + (size_t)(sparse->indices[i] * work->length) * work->size);
        }
    } else {
        for (int64_t row = 0; row < call->outputs[0]->shape[0]; row++) {
            const char *elements = dense + (size_t)(row * work->columns) * work->size;
            for (int64_t i = sparse->row_starts[row]; i < sparse->row_starts[row + 1]; i++) {
                gather_pair(work, i, elements + (size_t)sparse->indices[i] * work->size);
            }
        }
    }
    compute(work);
    return TN_OK;
}

tn_status sparse_binary_run(const tn_run_call *call) {
    const tn_view *output = call->outputs[0];
    const uint32_t *storages = call->input_storages;
    sparse_work work = {
        .call = call,
        .left = storages[0] == TN_STORAGE_DENSE ? NULL : tn_sparse_of(call->inputs[0]),
        .right = storages[1] == TN_STORAGE_DENSE ? NULL : tn_sparse_of(call->inputs[1]),
        .output = tn_sparse_of(output),
        .length = stored_entry_length(output, call->output_storages[0]),
        .size = TN_DTYPE_SIZE(output->dtype),
        .columns = output->rank > 1 ? output->shape[1] : 1,
        .is_product = binary_is_product(call->state),
    };
    return work.left != NULL && work.right != NULL ? run_both(&work) : run_with_dense(&work);
}

/* Inference gives a sparse output only where this computes it. */
int32_t sparse_binary_supports(const tn_kernel_query *query) {
    const uint32_t left = query->inputs[0].storage, right = query->inputs[1].storage;
    const uint32_t output = query->outputs[0].storage;
    return output != TN_STORAGE_DENSE && (left == output || left == TN_STORAGE_DENSE) &&
           (right == output || right == TN_STORAGE_DENSE);
}
