/* The operators that multiply matrices: FullyConnected, batch_dot, onnx.MatMul and onnx.Gemm. */
#include "products.h"

#include "descriptor.h"
#include "matrix.h"

const tn_attribute fully_connected_fields[FULLY_CONNECTED_FIELD_COUNT] = {
    TN_FIELD(product_attributes, no_bias, BOOL, "False", NULL, "As the operator says."),
};

const tn_attribute batch_dot_fields[BATCH_DOT_FIELD_COUNT] = {
    TN_FIELD(product_attributes, transpose_a, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD(product_attributes, transpose_b, BOOL, "False", NULL, "As the operator says."),
};

const tn_attribute gemm_fields[GEMM_FIELD_COUNT] = {
    TN_FIELD(product_attributes, transA, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD(product_attributes, transB, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD(product_attributes, alpha, FLOAT, "1", NULL, "As the operator says."),
    TN_FIELD(product_attributes, beta, FLOAT, "1", NULL, "As the operator says."),
};

/* What both a query and a call say of a tensor. */
typedef struct tensor_extents {
    int32_t rank;
    const int64_t *extents;
} tensor_extents;

typedef struct product_shapes {
    tensor_extents left, right, output;
} product_shapes;

static product_shapes shapes_of_query(const tn_kernel_query *query) {
    const tn_shape *left = &query->inputs[0].shape, *right = &query->inputs[1].shape,
                   *output = &query->outputs[0].shape;
    return (product_shapes){{left->rank, left->extents},
                            {right->rank, right->extents},
                            {output->rank, output->extents}};
}

static product_shapes shapes_of_call(const tn_prepare_call *call) {
    const tn_view *left = call->inputs[0], *right = call->inputs[1], *output = call->outputs[0];
    return (product_shapes){
        {left->rank, left->shape}, {right->rank, right->shape}, {output->rank, output->shape}};
}

/* Row-major matrices of `rows` by `columns`, seen transposed or not. */
static matrix_side side_of(int64_t rows, int64_t columns, int is_transposed) {
    return (matrix_side){rows * columns, is_transposed ? 1 : columns, is_transposed ? columns : 1};
}

static int all_are_floats(const tn_kernel_query *query) {
    int are = query->outputs[0].dtype == TN_F32 && query->outputs[0].storage == TN_STORAGE_DENSE;
    for (uint32_t i = 0; i < query->input_count; i++) {
        const tn_tensor_type *type = &query->inputs[i];
        are = are && (type->dtype == TN_F32 || type->dtype == 0) &&
              (type->dtype == 0 || type->storage == TN_STORAGE_DENSE);
    }
    return are;
}

/* FullyConnected: the weight has a row for each column of the output. */
static matrix_job fully_connected_job(const product_shapes *shapes, int has_bias) {
    const int64_t columns = shapes->right.extents[0], depth = shapes->right.extents[1];
    return (matrix_job){.batch = 1,
                        .rows =
                            tn_extent_product(shapes->output.extents, 0, shapes->output.rank - 1),
                        .columns = columns,
                        .depth = depth,
                        .left = side_of(1, depth, 0),
                        .right = side_of(columns, depth, 1),
                        .bias_input = has_bias ? 2 : 0};
}

int32_t fully_connected_supports(const tn_kernel_query *query) {
    const product_attributes *given = query->attributes;
    const product_shapes shapes = shapes_of_query(query);
    const matrix_job job = fully_connected_job(&shapes, !given->no_bias);
    return all_are_floats(query) && matrix_is_worth(&job);
}

tn_status fully_connected_prepare(tn_prepare_call *call) {
    const product_attributes *given = call->attributes;
    const product_shapes shapes = shapes_of_call(call);
    const matrix_job job = fully_connected_job(&shapes, !given->no_bias);
    return matrix_prepare(call, &job);
}

static matrix_job batch_dot_job(const product_shapes *shapes, const product_attributes *given) {
    const int32_t rank = shapes->left.rank;
    const int64_t *left = shapes->left.extents + rank - 2,
                  *right = shapes->right.extents + rank - 2;
    return (matrix_job){.batch = tn_extent_product(shapes->left.extents, 0, rank - 2),
                        .rows = left[given->transpose_a ? 1 : 0],
                        .depth = left[given->transpose_a ? 0 : 1],
                        .columns = right[given->transpose_b ? 0 : 1],
                        .left = side_of(left[0], left[1], given->transpose_a),
                        .right = side_of(right[0], right[1], given->transpose_b)};
}

int32_t batch_dot_supports(const tn_kernel_query *query) {
    const product_shapes shapes = shapes_of_query(query);
    const matrix_job job = batch_dot_job(&shapes, query->attributes);
    return all_are_floats(query) && matrix_is_worth(&job);
}

tn_status batch_dot_prepare(tn_prepare_call *call) {
    const product_shapes shapes = shapes_of_call(call);
    const matrix_job job = batch_dot_job(&shapes, call->attributes);
    return matrix_prepare(call, &job);
}

static int has_same_batch(const product_shapes *shapes) {
    int is_same = shapes->left.rank == shapes->right.rank;
    for (int32_t axis = 0; is_same && axis < shapes->left.rank - 2; axis++) {
        is_same = shapes->left.extents[axis] == shapes->right.extents[axis];
    }
    return is_same;
}

/* A right operand that is one matrix multiplies all rows of the left one at once. */
static int is_one_matrix(const product_shapes *shapes) {
    return shapes->right.rank == 2 ||
           tn_extent_product(shapes->right.extents, 0, shapes->right.rank - 2) == 1;
}

static matrix_job matmul_job(const product_shapes *shapes) {
    const int64_t *left = shapes->left.extents + shapes->left.rank - 2;
    const int64_t *right = shapes->right.extents + shapes->right.rank - 2;
    const int64_t batch = tn_extent_product(shapes->left.extents, 0, shapes->left.rank - 2);
    matrix_job job = {.batch = batch,
                      .rows = left[0],
                      .depth = left[1],
                      .columns = right[1],
                      .left = side_of(left[0], left[1], 0),
                      .right = side_of(right[0], right[1], 0)};
    if (is_one_matrix(shapes)) {
        job.rows *= batch;
        job.batch = 1;
    }
    return job;
}

int32_t matmul_supports(const tn_kernel_query *query) {
    const product_shapes shapes = shapes_of_query(query);
    if (!all_are_floats(query) || shapes.left.rank < 2 || shapes.right.rank < 2 ||
        (!is_one_matrix(&shapes) && !has_same_batch(&shapes))) {
        return 0;
    }
    const matrix_job job = matmul_job(&shapes);
    return matrix_is_worth(&job);
}

tn_status matmul_prepare(tn_prepare_call *call) {
    const product_shapes shapes = shapes_of_call(call);
    const matrix_job job = matmul_job(&shapes);
    return matrix_prepare(call, &job);
}

static matrix_job gemm_job(const product_shapes *shapes, const product_attributes *given,
                           int has_bias) {
    const int64_t *left = shapes->left.extents, *right = shapes->right.extents;
    return (matrix_job){.batch = 1,
                        .rows = left[given->transA ? 1 : 0],
                        .depth = left[given->transA ? 0 : 1],
                        .columns = right[given->transB ? 0 : 1],
                        .left = side_of(left[0], left[1], given->transA),
                        .right = side_of(right[0], right[1], given->transB),
                        .bias_input = has_bias ? 2 : 0};
}

/* What is added must be one row, and nothing is scaled. */
int32_t gemm_supports(const tn_kernel_query *query) {
    const product_attributes *given = query->attributes;
    const product_shapes shapes = shapes_of_query(query);
    const int has_bias = query->input_count > 2 && query->inputs[2].dtype != 0;
    const matrix_job job = gemm_job(&shapes, given, has_bias);
    if (has_bias) {
        const tn_shape *added = &query->inputs[2].shape;
        if (given->beta != 1 || added->rank < 1 || added->extents[added->rank - 1] != job.columns ||
            tn_extent_product(added->extents, 0, added->rank) != job.columns) {
            return 0;
        }
    }
    return all_are_floats(query) && given->alpha == 1 && matrix_is_worth(&job);
}

tn_status gemm_prepare(tn_prepare_call *call) {
    const product_shapes shapes = shapes_of_call(call);
    const int has_bias = call->input_count > 2 && call->inputs[2] != NULL;
    const matrix_job job = gemm_job(&shapes, call->attributes, has_bias);
    return matrix_prepare(call, &job);
}
