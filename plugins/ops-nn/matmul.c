/* The operators onnx.MatMul, a product as numpy has it, and onnx.Gemm, and their kernels. */
#include "description.h"
#include "infer.h"
#include "integer_matrix_product.h"
#include "matrix_product.h"
#include "operators.h"
#include "state.h"

static const char *const matmul_inputs[] = {"A", "B"};
static const char *const output_names[] = {"Y"};

/* The last two axes of an operand; a vector is a row (left) or a column (right). */
typedef struct matrix_axes {
    int64_t rows, columns;
    int32_t batch_rank;
} matrix_axes;

static matrix_axes matrix_axes_of(int32_t rank, const int64_t *extents, int is_left) {
    if (rank == 1) {
        return (matrix_axes){is_left ? 1 : extents[0], is_left ? extents[0] : 1, 0};
    }
    return (matrix_axes){extents[rank - 2], extents[rank - 1], rank - 2};
}

/* Extent `axis`, counted from the end of the batch's axes, 0 being the last one. */
static int64_t batch_extent(const int64_t *extents, int32_t batch_rank, int32_t axis) {
    return axis < batch_rank ? extents[batch_rank - 1 - axis] : 1;
}

static tn_status stretch_batch(const tn_host *host, const tn_shape *left, int32_t left_rank,
                               const tn_shape *right, int32_t right_rank, tn_shape *out_shape) {
    const int32_t rank = left_rank > right_rank ? left_rank : right_rank;
    *out_shape = tn_shape_of_rank(rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t l = batch_extent(left->extents, left_rank, axis);
        const int64_t r = batch_extent(right->extents, right_rank, axis);
        if (l >= 0 && r >= 0 && l != r && l != 1 && r != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "the batches of A and B have extents %lld and %lld, which do not "
                           "stretch to one",
                           (long long)l, (long long)r);
        }
        out_shape->extents[rank - 1 - axis] = l == 1 ? r : r == 1 ? l : l < 0 ? r : l;
    }
    return TN_OK;
}

static tn_status infer_matmul(tn_infer_call *call) {
    const tn_shape *left = &call->inputs[0].shape, *right = &call->inputs[1].shape;
    TN_TRY(tn_infer_one_dtype(call));
    if (left->rank < 0 || right->rank < 0) {
        return TN_OK;
    }
    if (left->rank == 0 || right->rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "an operand is a scalar");
    }
    matrix_axes lefts = matrix_axes_of(left->rank, left->extents, 1);
    matrix_axes rights = matrix_axes_of(right->rank, right->extents, 0);
    tn_shape result;
    TN_TRY(infer_same_extent(call->host, "the columns of A", &lefts.columns, "the rows of B",
                             &rights.rows));
    TN_TRY(stretch_batch(call->host, left, lefts.batch_rank, right, rights.batch_rank, &result));
    if (left->rank > 1) {
        result.extents[result.rank++] = lefts.rows;
    }
    if (right->rank > 1) {
        result.extents[result.rank++] = rights.columns;
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &result);
}

/* One pair of matrices, or all where the batch can be gone through with one stride. */
static matrix_product product_of(const tn_view *left, const tn_view *right, tn_dtype dtype) {
    const matrix_axes lefts = matrix_axes_of(left->rank, left->shape, 1);
    const matrix_axes rights = matrix_axes_of(right->rank, right->shape, 0);
    return (matrix_product){
        .left = {.dtype = left->dtype,
                 .count = lefts.rows,
                 .stride = lefts.columns,
                 .depth_stride = 1},
        .right = {.dtype = right->dtype,
                  .count = rights.columns,
                  .stride = 1,
                  .depth_stride = rights.columns},
        .left_batch_stride = lefts.rows * lefts.columns,
        .right_batch_stride = rights.rows * rights.columns,
        .batch_count = 1,
        .depth = lefts.columns,
        .result_dtype = dtype,
    };
}

static int has_same_batch(const tn_view *left, const tn_view *right) {
    int is_same = left->rank == right->rank;
    for (int32_t axis = 0; is_same && axis < left->rank - 2; axis++) {
        is_same = left->shape[axis] == right->shape[axis];
    }
    return is_same;
}

/* A right operand that is one matrix: all rows of the left one are multiplied by it at once. */
static matrix_product batched_product(const tn_view *left, const tn_view *right, tn_dtype dtype) {
    matrix_product product = product_of(left, right, dtype);
    if (left->rank > 1 && right->rank <= 2) {
        product.left.count = tn_extent_product(left->shape, 0, left->rank - 1);
    } else if (has_same_batch(left, right)) {
        product.batch_count = tn_extent_product(left->shape, 0, left->rank - 2);
    }
    return product;
}

/* A right operand that never changes is packed once, into the state, when it is one matrix. */
static tn_status prepare_product(tn_prepare_call *call, matrix_product *product) {
    const tn_view *right = call->inputs[1];
    if (right->data != NULL && right->rank <= 2 && tn_element_count(right) > 0) {
        TN_TRY(state_allocate(call, matrix_product_right_size(product), &call->state));
        product->right.data = tn_data(right);
        matrix_product_pack_right(product, call->state);
        product->right_panels = call->state;
    }
    const tn_status status = size_request(call, matrix_product_workspace(product));
    if (status != TN_OK) {
        state_release(call->host, call->state);
        call->state = NULL;
    }
    return status;
}

static tn_status prepare_matmul(tn_prepare_call *call) {
    matrix_product product =
        batched_product(call->inputs[0], call->inputs[1], call->outputs[0]->dtype);
    return prepare_product(call, &product);
}

/* Which matrix of an operand takes part in pair number `pair` of the output's batch. */
static int64_t matrix_number(const tn_view *operand, const tn_view *output, int32_t output_batch,
                             int64_t pair) {
    const int32_t own = operand->rank - 2;
    int64_t number = 0, stride = 1;
    for (int32_t axis = 0; axis < output_batch; axis++) {
        const int64_t extent = output->shape[output_batch - 1 - axis];
        const int64_t own_extent = batch_extent(operand->shape, own, axis);
        number += own_extent == 1 ? 0 : pair % extent * stride;
        stride *= own_extent;
        pair /= extent;
    }
    return number;
}

typedef void (*product_function)(const tn_host *host, const matrix_product *product,
                                 void *workspace);

static tn_status multiply(const tn_run_call *call, product_function run) {
    const tn_view *left = call->inputs[0], *right = call->inputs[1], *output = call->outputs[0];
    matrix_product product = batched_product(left, right, output->dtype);
    product.right_panels = call->state;
    const int64_t size = product.batch_count * product.left.count * product.right.count;
    const int64_t count = tn_element_count(output);
    const size_t element = TN_DTYPE_SIZE(output->dtype);
    const int32_t batch = output->rank - (left->rank > 1) - (right->rank > 1);
    for (int64_t pair = 0; count > 0 && pair < count / size; pair++) {
        const int64_t lefts = matrix_number(left, output, batch, pair);
        const int64_t rights = matrix_number(right, output, batch, pair);
        product.left.data =
            (const char *)tn_data(left) + (size_t)(lefts * product.left_batch_stride) * element;
        product.right.data =
            (const char *)tn_data(right) + (size_t)(rights * product.right_batch_stride) * element;
        product.result = (char *)tn_data(output) + (size_t)(pair * size) * element;
        run(call->host, &product, call->workspace);
    }
    return TN_OK;
}

static tn_status run_matmul(const tn_run_call *call) {
    return multiply(call, matrix_product_run);
}

static tn_status run_integer_matmul(const tn_run_call *call) {
    return multiply(call, integer_matrix_product_run);
}

const tn_op matmul_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The product of matrices as numpy has it: the last two axes are matrices, those before "
           "them stretch to one another, and a vector is a matrix of one row or column whose axis "
           "is not in the result.",
    OP_NAMES(matmul_inputs, output_names),
    .infer = infer_matmul,
};

const tn_kernel matmul_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "onnx.MatMul",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare_matmul,
    .run = run_matmul,
    .release = state_release,
};

const tn_kernel integer_matmul_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "onnx.MatMul",
    .target = "cpu",
    .dtypes = wide_integer_dtypes,
    .dtype_count = WIDE_INTEGER_DTYPE_COUNT,
    .run = run_integer_matmul,
};

/* Gemm */

typedef struct gemm_attributes {
    double alpha;
    double beta;
    int32_t transA;
    int32_t transB;
} gemm_attributes;

static const tn_attribute gemm_table[] = {
    TN_FIELD(gemm_attributes, alpha, FLOAT, "1", NULL, "The factor of the product."),
    TN_FIELD(gemm_attributes, beta, FLOAT, "1", NULL, "The factor of C."),
    TN_FIELD(gemm_attributes, transA, BOOL, "False", NULL, "Whether A is transposed first."),
    TN_FIELD(gemm_attributes, transB, BOOL, "False", NULL, "Whether B is transposed first."),
};

static const char *const gemm_inputs[] = {"A", "B", "C"};
static const uint32_t gemm_optional[] = {2};

static tn_status infer_gemm(tn_infer_call *call) {
    const gemm_attributes *own = call->attributes;
    const tn_shape matrix = tn_shape_of_rank(2);
    tn_shape *left = &call->inputs[0].shape, *right = &call->inputs[1].shape;
    const tn_dtype dtype = call->inputs[0].dtype;
    TN_TRY(tn_infer_dtype(call->host, "B", &call->inputs[1].dtype, dtype));
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, dtype));
    TN_TRY(tn_infer_shape(call->host, "A", left, &matrix));
    TN_TRY(tn_infer_shape(call->host, "B", right, &matrix));
    TN_TRY(infer_same_extent(call->host, "the extent of A that is summed over",
                             &left->extents[!own->transA], "that of B",
                             &right->extents[own->transB]));
    tn_shape result = matrix;
    result.extents[0] = left->extents[own->transA];
    result.extents[1] = right->extents[!own->transB];
    TN_TRY(tn_infer_shape(call->host, "output", &call->outputs[0].shape, &result));
    const tn_shape *added = &call->inputs[2].shape;
    for (int32_t i = 0; i < added->rank; i++) {
        const int64_t extent = added->extents[added->rank - 1 - i];
        const int64_t whole = i < 2 ? call->outputs[0].shape.extents[1 - i] : 1;
        if (extent >= 0 && whole >= 0 && extent != 1 && extent != whole) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "C has extent %lld where the output has %lld", (long long)extent,
                           (long long)whole);
        }
    }
    return TN_OK;
}

const tn_op gemm_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "alpha * A * B + beta * C for matrices A and B, each transposed first or not, with C "
           "stretched to the product.",
    OP_ATTRIBUTES(gemm_table, gemm_attributes),
    OP_NAMES(gemm_inputs, output_names),
    .optional_inputs = gemm_optional,
    .optional_input_count = 1,
    .infer = infer_gemm,
};

static matrix_product gemm_product(const gemm_attributes *own, const tn_view *left,
                                   const tn_view *right, tn_dtype dtype) {
    const int64_t rows = left->shape[own->transA], depth = left->shape[!own->transA];
    const int64_t columns = right->shape[!own->transB];
    return (matrix_product){
        .left = {.dtype = left->dtype,
                 .count = rows,
                 .stride = own->transA ? 1 : depth,
                 .depth_stride = own->transA ? rows : 1},
        .right = {.dtype = right->dtype,
                  .count = columns,
                  .stride = own->transB ? depth : 1,
                  .depth_stride = own->transB ? 1 : columns},
        .batch_count = 1,
        .depth = depth,
        .result_dtype = dtype,
    };
}

static tn_status prepare_gemm(tn_prepare_call *call) {
    matrix_product product =
        gemm_product(call->attributes, call->inputs[0], call->inputs[1], call->outputs[0]->dtype);
    return prepare_product(call, &product);
}

/* Where row `row` of C, stretched to the output, begins, and how far its elements are apart. */
static int64_t row_of(const tn_view *added, int64_t row, int64_t *out_step) {
    const int64_t columns = added->rank > 0 ? added->shape[added->rank - 1] : 1;
    const int64_t rows = added->rank > 1 ? added->shape[added->rank - 2] : 1;
    *out_step = columns == 1 ? 0 : 1;
    return rows == 1 ? 0 : row * columns;
}

static void scale_and_add(const gemm_attributes *own, const tn_view *added, const tn_view *output) {
    const int64_t columns = output->shape[1];
    const element_loader load = element_loader_of(output->dtype);
    const element_storer store = element_storer_of(output->dtype);
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        void *target = element_at_mutable(output->dtype, tn_data(output), i);
        int64_t step = 0;
        const int64_t first = added == NULL ? 0 : row_of(added, i / columns, &step);
        const void *other =
            added == NULL ? target
                          : element_at(output->dtype, tn_data(added), first + i % columns * step);
        const double factor = added == NULL ? 0 : own->beta;
        if (output->dtype == TN_F64) {
            double *x = target;
            *x = own->alpha * *x + (factor == 0 ? 0 : factor * *(const double *)other);
        } else {
            float x, y;
            load(target, 1, 1, &x);
            load(other, 1, 1, &y);
            x = (float)own->alpha * x + (factor == 0 ? 0 : (float)factor * y);
            store(&x, 1, target);
        }
    }
}

static tn_status run_gemm(const tn_run_call *call) {
    const gemm_attributes *own = call->attributes;
    const tn_view *added = call->inputs[2], *output = call->outputs[0];
    matrix_product product = gemm_product(own, call->inputs[0], call->inputs[1], output->dtype);
    const int is_row = added != NULL && own->alpha == 1 && own->beta == 1 && added->rank == 1 &&
                       added->shape[0] == output->shape[1];
    product.left.data = tn_data(call->inputs[0]);
    product.right.data = tn_data(call->inputs[1]);
    product.result = tn_data(output);
    product.right_panels = call->state;
    product.column_bias = is_row ? tn_data(added) : NULL;
    matrix_product_run(call->host, &product, call->workspace);
    if (!is_row && (added != NULL || own->alpha != 1)) {
        scale_and_add(own, added, output);
    }
    return TN_OK;
}

/* Sums and products wrap around; factors that are no integers are truncated. */
static int64_t integer_at(const tn_view *view, int64_t index) {
    return TN_DTYPE_SIZE(view->dtype) == 8 ? ((const int64_t *)tn_data(view))[index]
                                           : ((const int32_t *)tn_data(view))[index];
}

static tn_status run_integer_gemm(const tn_run_call *call) {
    const gemm_attributes *own = call->attributes;
    const tn_view *added = call->inputs[2], *output = call->outputs[0];
    matrix_product product = gemm_product(own, call->inputs[0], call->inputs[1], output->dtype);
    const int64_t columns = output->shape[1];
    const uint64_t alpha = (uint64_t)(int64_t)own->alpha, beta = (uint64_t)(int64_t)own->beta;
    product.left.data = tn_data(call->inputs[0]);
    product.right.data = tn_data(call->inputs[1]);
    product.result = tn_data(output);
    integer_matrix_product_run(call->host, &product, NULL);
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        int64_t step = 0;
        const int64_t first = added == NULL ? 0 : row_of(added, i / columns, &step);
        const uint64_t other =
            added == NULL ? 0 : (uint64_t)integer_at(added, first + i % columns * step);
        const uint64_t sum = alpha * (uint64_t)integer_at(output, i) + beta * other;
        if (TN_DTYPE_SIZE(output->dtype) == 8) {
            ((uint64_t *)tn_data(output))[i] = sum;
        } else {
            ((uint32_t *)tn_data(output))[i] = (uint32_t)sum;
        }
    }
    return TN_OK;
}

const tn_kernel integer_gemm_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "onnx.Gemm",
    .target = "cpu",
    .dtypes = wide_integer_dtypes,
    .dtype_count = WIDE_INTEGER_DTYPE_COUNT,
    .run = run_integer_gemm,
};

const tn_kernel gemm_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "onnx.Gemm",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare_gemm,
    .run = run_gemm,
    .release = state_release,
};
