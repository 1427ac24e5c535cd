/* The operators dot and batch_dot, which differ in whether axes in front count pairs, and their
 * kernels. */
#include "dot.h"
#include "description.h"
#include "dot_sparse.h"
#include "infer.h"
#include "matrix_product.h"
#include "operators.h"

static const tn_attribute fields[] = {
    TN_FIELD(dot_attributes, transpose_a, BOOL, "False", NULL,
             "Sums over the first axis of each of lhs's matrices instead of the last."),
    TN_FIELD(dot_attributes, transpose_b, BOOL, "False", NULL,
             "Sums over the last axis of each of rhs's matrices instead of the first."),
    TN_FIELD_CHOICE(dot_attributes, forward_stype, "None", "default|row_sparse|csr",
                    "How dot's result is stored; None: as it follows from lhs and rhs. batch_dot's "
                    "is always dense."),
};

/* In the order of the words. */
static const uint32_t asked_storages[] = {TN_STORAGE_DENSE, TN_STORAGE_ROW_SPARSE, TN_STORAGE_CSR};

static const char *const input_names[] = {"lhs", "rhs"};
static const char *const output_names[] = {"output"};

/* Which axes of lhs and rhs are summed over, `batch_rank` axes in front being set aside. */
typedef struct summed_axes {
    int32_t left;
    int32_t right;
} summed_axes;

static summed_axes summed_axes_of(const dot_attributes *attributes, int32_t left_rank,
                                  int32_t right_rank, int32_t batch_rank) {
    return (summed_axes){.left = attributes->transpose_a ? batch_rank : left_rank - 1,
                         .right = attributes->transpose_b ? right_rank - 1 : batch_rank};
}

/* The axes of `shape` but `summed`, from `first` on, go to `target` or come from it. */
static int32_t copy_free_extents(const tn_shape *shape, int32_t first, int32_t summed,
                                 int64_t *target) {
    int32_t count = 0;
    for (int32_t axis = first; axis < shape->rank; axis++) {
        if (axis != summed) {
            target[count++] = shape->extents[axis];
        }
    }
    return count;
}

static int32_t learn_free_extents(tn_shape *shape, int32_t first, int32_t summed,
                                  const int64_t *source) {
    int32_t count = 0;
    for (int32_t axis = first; axis < shape->rank; axis++) {
        if (axis != summed) {
            shape->extents[axis] = source[count++];
        }
    }
    return count;
}

/* Both operands have known ranks: the result has the axes of lhs, then those of rhs, without the
 * batch's axes of rhs and without the axes summed over. */
static tn_status infer_result(tn_infer_call *call, summed_axes summed, int32_t batch_rank) {
    tn_shape *left = &call->inputs[0].shape;
    tn_shape *right = &call->inputs[1].shape;
    tn_shape *result = &call->outputs[0].shape;
    TN_TRY(infer_same_extent(call->host, "the extent of lhs that is summed over",
                             &left->extents[summed.left], "that of rhs",
                             &right->extents[summed.right]));
    const int32_t rank = left->rank - 1 + right->rank - 1 - batch_rank;
    if (rank > TN_MAX_RANK) {
        return tn_fail(call->host, TN_UNSUPPORTED, "the result would have %d axes, at most %d go",
                       (int)rank, TN_MAX_RANK);
    }
    /* Two vectors give one element, which MXNet holds in a vector. */
    tn_shape fact = tn_shape_of_rank(rank == 0 ? 1 : rank);
    fact.extents[0] = rank == 0 ? 1 : TN_UNKNOWN;
    const int32_t left_count = copy_free_extents(left, 0, summed.left, fact.extents);
    copy_free_extents(right, batch_rank, summed.right, fact.extents + left_count);
    TN_TRY(tn_infer_shape(call->host, "output", result, &fact));
    learn_free_extents(left, 0, summed.left, result->extents);
    learn_free_extents(right, batch_rank, summed.right, result->extents + left_count);
    return TN_OK;
}

/* A transposed CSR matrix with few elements has many columns without any, and what is multiplied
 * by one is nearly as sparse from the right. */
static uint32_t storage_of_result(const dot_attributes *given, uint32_t left, uint32_t right) {
    if (given->forward_stype >= 0) { /* not None */
        return asked_storages[given->forward_stype];
    }
    if (left == TN_STORAGE_UNKNOWN || right == TN_STORAGE_UNKNOWN) {
        return TN_STORAGE_UNKNOWN;
    }
    if (left == TN_STORAGE_CSR && given->transpose_a && !given->transpose_b &&
        right != TN_STORAGE_CSR) {
        return TN_STORAGE_ROW_SPARSE;
    }
    return left == TN_STORAGE_DENSE && right == TN_STORAGE_CSR && !given->transpose_a
               ? TN_STORAGE_CSR
               : TN_STORAGE_DENSE;
}

static tn_status infer_storage(tn_infer_call *call) {
    return tn_infer_storage(
        call->host, "output", &call->outputs[0].storage,
        storage_of_result(call->attributes, call->inputs[0].storage, call->inputs[1].storage));
}

static tn_status dot_infer(tn_infer_call *call) {
    const int32_t left_rank = call->inputs[0].shape.rank;
    const int32_t right_rank = call->inputs[1].shape.rank;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(infer_storage(call));
    if (left_rank == 0 || right_rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s is a scalar, an array is expected",
                       left_rank == 0 ? "lhs" : "rhs");
    }
    if (left_rank < 0 || right_rank < 0) {
        return TN_OK;
    }
    return infer_result(call, summed_axes_of(call->attributes, left_rank, right_rank, 0), 0);
}

static tn_status batch_dot_infer(tn_infer_call *call) {
    tn_shape *left = &call->inputs[0].shape;
    tn_shape *right = &call->inputs[1].shape;
    TN_TRY(tn_infer_one_dtype(call));
    const int32_t rank = left->rank >= 0 ? left->rank : right->rank;
    if (rank < 0) {
        return TN_OK;
    }
    if (rank < 3) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "an operand has %d axes, at least 3 are expected", (int)rank);
    }
    const tn_shape fact = tn_shape_of_rank(rank);
    TN_TRY(tn_infer_shape(call->host, "lhs", left, &fact));
    TN_TRY(tn_infer_shape(call->host, "rhs", right, &fact));
    for (int32_t axis = 0; axis < rank - 2; axis++) {
        TN_TRY(infer_same_extent(call->host, "an extent of lhs's batch", &left->extents[axis],
                                 "that of rhs", &right->extents[axis]));
    }
    const summed_axes summed = summed_axes_of(call->attributes, rank, rank, rank - 2);
    TN_TRY(infer_result(call, summed, rank - 2));
    for (int32_t axis = 0; axis < rank - 2; axis++) {
        right->extents[axis] = left->extents[axis];
    }
    return TN_OK;
}

/* One operand: `depth` extents summed over, as the first or the last axis of each matrix. */
static matrix_operand operand_of(const tn_view *view, int32_t batch_rank, int depth_is_first) {
    const int32_t last = view->rank - 1;
    matrix_operand operand = {.dtype = view->dtype};
    if (depth_is_first) {
        operand.count = tn_extent_product(view->shape, batch_rank + 1, view->rank);
        operand.stride = 1;
        operand.depth_stride = operand.count;
    } else {
        operand.count = tn_extent_product(view->shape, batch_rank, last);
        operand.stride = view->shape[last];
        operand.depth_stride = 1;
    }
    return operand;
}

static matrix_product product_of(const dot_attributes *attributes, const tn_view *const *inputs,
                                 const tn_view *const *outputs, int32_t batch_rank) {
    const tn_view *left = inputs[0];
    const tn_view *right = inputs[1];
    matrix_product product = {
        .left = operand_of(left, batch_rank, attributes->transpose_a),
        .right = operand_of(right, batch_rank, !attributes->transpose_b),
        .batch_count = tn_extent_product(left->shape, 0, batch_rank),
        .depth = left->shape[summed_axes_of(attributes, left->rank, right->rank, batch_rank).left],
        .result_dtype = outputs[0]->dtype};
    product.left_batch_stride = product.left.count * product.depth;
    product.right_batch_stride = product.right.count * product.depth;
    return product;
}

static tn_status prepare_product(tn_prepare_call *call, int32_t batch_rank) {
    const matrix_product product =
        product_of(call->attributes, call->inputs, call->outputs, batch_rank);
    return size_request(call, matrix_product_workspace(&product));
}

static tn_status run_product(const tn_run_call *call, int32_t batch_rank) {
    matrix_product product = product_of(call->attributes, call->inputs, call->outputs, batch_rank);
    product.left.data = tn_data(call->inputs[0]);
    product.right.data = tn_data(call->inputs[1]);
    product.result = tn_data(call->outputs[0]);
    matrix_product_run(call->host, &product, call->workspace);
    return TN_OK;
}

static tn_status dot_prepare(tn_prepare_call *call) {
    return prepare_product(call, 0);
}

static tn_status dot_run(const tn_run_call *call) {
    return run_product(call, 0);
}

static tn_status batch_dot_prepare(tn_prepare_call *call) {
    return prepare_product(call, call->inputs[0]->rank - 2);
}

static tn_status batch_dot_run(const tn_run_call *call) {
    return run_product(call, call->inputs[0]->rank - 2);
}

static int32_t dot_sparse_kernel_supports(const tn_kernel_query *query) {
    const dot_attributes *given = query->attributes;
    return dot_sparse_supports(query, given->transpose_a, given->transpose_b);
}

static tn_status dot_sparse_kernel_prepare(tn_prepare_call *call) {
    const dot_attributes *given = call->attributes;
    return dot_sparse_prepare(call, given->transpose_a);
}

static tn_status dot_sparse_kernel_run(const tn_run_call *call) {
    const dot_attributes *given = call->attributes;
    return dot_sparse_run(call, given->transpose_a);
}

const tn_op dot_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "Multiplies two arrays, summing over the last axis of lhs and the first axis of rhs; "
           "the result has the other axes of lhs, then those of rhs. For matrices that is the "
           "matrix product, for two vectors the inner product, as a vector of one element.",
    OP_ATTRIBUTES(fields, dot_attributes),
    OP_NAMES(input_names, output_names),
    .infer = dot_infer,
    .gradient = dot_gradient,
};

const tn_kernel dot_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "dot",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = dot_prepare,
    .run = dot_run,
};

const tn_kernel dot_sparse_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .flags = TN_KERNEL_SPARSE,
    .op = "dot",
    .target = "cpu",
    .supports = dot_sparse_kernel_supports,
    .prepare = dot_sparse_kernel_prepare,
    .run = dot_sparse_kernel_run,
};

const tn_op batch_dot_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Multiplies matrices pair by pair: the last two axes of lhs and rhs are matrices, the "
           "axes before them, the same in both, count the pairs.",
    OP_ATTRIBUTES(fields, dot_attributes),
    OP_NAMES(input_names, output_names),
    .infer = batch_dot_infer,
    .gradient = batch_dot_gradient,
};

const tn_kernel batch_dot_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "batch_dot",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = batch_dot_prepare,
    .run = batch_dot_run,
};
