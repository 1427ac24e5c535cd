#include "matmul_shape.h"

/* A shape as matrices: a vector gets the axis that it lacks. */
static tn_shape as_matrices(const tn_shape *shape, int is_left) {
    tn_shape result = *shape;
    if (shape->rank == 1) {
        result.rank = 2;
        result.extents[0] = is_left ? 1 : shape->extents[0];
        result.extents[1] = is_left ? shape->extents[0] : 1;
    }
    return result;
}

static tn_status check_ranks(const tn_host *host, const tn_shape *left, const tn_shape *right) {
    if (left->rank == 0 || right->rank == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "a matrix product has no scalars");
    }
    return TN_OK;
}

static tn_shape batch_axes(const tn_shape *matrices) {
    tn_shape result = *matrices;
    result.rank -= 2;
    return result;
}

tn_status infer_matmul_shape(tn_infer_call *call, uint32_t left_input, uint32_t right_input) {
    const tn_shape *left = &call->inputs[left_input].shape;
    const tn_shape *right = &call->inputs[right_input].shape;
    if (left->rank < 0 || right->rank < 0) {
        return TN_OK;
    }
    TN_TRY(check_ranks(call->host, left, right));
    tn_shape lefts = as_matrices(left, 1), rights = as_matrices(right, 0);
    TN_TRY(infer_same_extent(call->host, "columns of the left and rows of the right matrix",
                             &lefts.extents[lefts.rank - 1], &rights.extents[rights.rank - 2]));
    tn_shape result = batch_axes(&lefts);
    const tn_shape right_batch = batch_axes(&rights);
    TN_TRY(stretch_shape(call->host, &right_batch, &result));
    if (left->rank > 1) {
        result.extents[result.rank++] = lefts.extents[lefts.rank - 2];
    }
    if (right->rank > 1) {
        result.extents[result.rank++] = rights.extents[rights.rank - 1];
    }
    return tn_infer_shape(call->host, "the product", &call->outputs[0].shape, &result);
}

static void add_batch(shape_walk *walk, const tn_shape *matrices) {
    const tn_shape axes = batch_axes(matrices);
    int64_t strides[TN_MAX_RANK];
    const tn_view view = {.rank = axes.rank, .shape = axes.extents};
    stretched_strides(&view, walk->rank, strides);
    const int64_t size =
        matrices->extents[matrices->rank - 2] * matrices->extents[matrices->rank - 1];
    for (int32_t axis = 0; axis < walk->rank; axis++) {
        strides[axis] *= size;
    }
    walk_add(walk, strides);
}

tn_status matmul_shape_of(const tn_host *host, const tn_view *left, const tn_view *right,
                          matmul_shape *out_shape) {
    const tn_shape left_shape = shape_of_view(left), right_shape = shape_of_view(right);
    TN_TRY(check_ranks(host, &left_shape, &right_shape));
    const tn_shape lefts = as_matrices(&left_shape, 1), rights = as_matrices(&right_shape, 0);
    tn_shape batch = batch_axes(&lefts);
    const tn_shape right_batch = batch_axes(&rights);
    TN_TRY(stretch_shape(host, &right_batch, &batch));
    out_shape->rows = lefts.extents[lefts.rank - 2];
    out_shape->depth = lefts.extents[lefts.rank - 1];
    out_shape->columns = rights.extents[rights.rank - 1];
    out_shape->batches = tn_extent_product(batch.extents, 0, batch.rank);
    walk_begin(&out_shape->batch_walk, batch.rank, batch.extents);
    add_batch(&out_shape->batch_walk, &lefts);
    add_batch(&out_shape->batch_walk, &rights);
    return TN_OK;
}
