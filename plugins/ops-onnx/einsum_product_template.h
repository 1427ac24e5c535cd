/* Template, see einsum_product.c: products of matrices in REAL. */

/* The elements at all places of a walk, a run along its last axis at a time. */
static void REAL_NAME(read_walk)(const tn_view *view, int64_t first, shape_walk walk, int operand,
                                 REAL *target) {
    const int32_t last = --walk.rank;
    const int64_t extent = last < 0 ? 1 : walk.extents[last];
    const int64_t stride = last < 0 ? 1 : walk.strides[operand][last];
    const int64_t runs = last < 0 ? 1 : tn_extent_product(walk.extents, 0, last);
    for (int64_t i = 0; i < runs; i++, target += extent) {
        READ_REALS(view->dtype, tn_data(view), first + walk.offsets[operand], stride, extent,
                   target);
        if (last > 0) {
            walk_on(&walk);
        }
    }
}

static void REAL_NAME(write_walk)(const tn_view *view, int64_t first, shape_walk walk, int operand,
                                  const REAL *source) {
    const int32_t last = --walk.rank;
    const int64_t extent = last < 0 ? 1 : walk.extents[last];
    const int64_t stride = last < 0 ? 1 : walk.strides[operand][last];
    const int64_t runs = last < 0 ? 1 : tn_extent_product(walk.extents, 0, last);
    for (int64_t i = 0; i < runs; i++, source += extent) {
        WRITE_REALS(view->dtype, tn_data(view), first + walk.offsets[operand], stride, extent,
                    source);
        if (last > 0) {
            walk_on(&walk);
        }
    }
}

/* A matrix of the elements at all places of two walks, in row-major order. */
static void REAL_NAME(pack)(const tn_view *view, int64_t first, shape_walk outer, int outer_operand,
                            int64_t outer_count, const shape_walk *inner, int inner_operand,
                            int64_t inner_count, REAL *target) {
    for (int64_t i = 0; i < outer_count; i++, target += inner_count) {
        REAL_NAME(read_walk)
        (view, first + outer.offsets[outer_operand], *inner, inner_operand, target);
        walk_on(&outer);
    }
}

typedef struct REAL_NAME(product_job) {
    const REAL *left, *right; /* row-major */
    REAL *result;
    int64_t columns, depth;
} REAL_NAME(product_job);

/* Rows of the result. Four terms at a time, so that sums are not fetched and stored for each. */
static void REAL_NAME(multiply_rows)(void *context, int64_t begin, int64_t end) {
    const REAL_NAME(product_job) *job = context;
    const int64_t columns = job->columns;
    for (int64_t i = begin; i < end; i++) {
        const REAL *left = job->left + i * job->depth, *row = job->right;
        REAL *restrict sums = job->result + i * columns;
        int64_t k = 0;
        memset(sums, 0, (size_t)columns * sizeof *sums);
        for (; k + 4 <= job->depth; k += 4, row += 4 * columns) {
            const REAL *second = row + columns, *third = second + columns,
                       *fourth = third + columns;
            for (int64_t j = 0; j < columns; j++) {
                sums[j] += (left[k] * row[j] + left[k + 1] * second[j]) +
                           (left[k + 2] * third[j] + left[k + 3] * fourth[j]);
            }
        }
        for (; k < job->depth; k++, row += columns) {
            for (int64_t j = 0; j < columns; j++) {
                sums[j] += left[k] * row[j];
            }
        }
    }
}

static void REAL_NAME(run_product)(const tn_run_call *call, const einsum_product *product) {
    REAL *left = call->workspace;
    REAL *right = left + product->row_count * product->depth_count;
    REAL *result = right + product->depth_count * product->column_count;
    REAL_NAME(product_job)
    job = {left, right, result, product->column_count, product->depth_count};
    const int64_t cost = product->column_count * product->depth_count;
    shape_walk batch = product->batch;
    for (int64_t i = 0; i < product->batch_count; i++) {
        REAL_NAME(pack)
        (call->inputs[0], batch.offsets[0], product->rows, 0, product->row_count, &product->depth,
         0, product->depth_count, left);
        REAL_NAME(pack)
        (call->inputs[1], batch.offsets[1], product->depth, 1, product->depth_count,
         &product->columns, 0, product->column_count, right);
        tn_parallel_for(call->host, product->row_count, 131072 / (cost + 1) + 1,
                        REAL_NAME(multiply_rows), &job);
        shape_walk rows = product->rows;
        for (int64_t row = 0; row < product->row_count; row++) {
            REAL_NAME(write_walk)
            (call->outputs[0], batch.offsets[2] + rows.offsets[1], product->columns, 1,
             result + row * product->column_count);
            walk_on(&rows);
        }
        walk_on(&batch);
    }
}
