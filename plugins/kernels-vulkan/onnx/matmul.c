/* MatMul and Gemm of ONNX. */
#include "dense/product.h"
#include "elementwise/axes.h"
#include "entries_onnx.h"

static const program_binding none = {0, 0, 0, 0};

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

/* The batch as the axes of both operands that walk through it together: the last of them are one
 * launch, the others a launch each. */
typedef struct batch_axes {
    int32_t rank;
    int64_t extents[TN_MAX_RANK];
    int64_t left[TN_MAX_RANK]; /* strides in matrices */
    int64_t right[TN_MAX_RANK];
} batch_axes;

static batch_axes batch_of(int32_t rank, const int64_t *extents, int32_t left_rank,
                           const int64_t *left, int32_t right_rank, const int64_t *right) {
    batch_axes axes = {.rank = 0};
    int64_t left_strides[TN_MAX_RANK], right_strides[TN_MAX_RANK];
    axes_stretched_strides(left_rank, left, rank, left_strides);
    axes_stretched_strides(right_rank, right, rank, right_strides);
    for (int32_t axis = 0; axis < rank; axis++) {
        const int32_t last = axes.rank - 1;
        if (extents[axis] == 1) {
            continue;
        }
        const int joins = last >= 0 && axes.left[last] == left_strides[axis] * extents[axis] &&
                          axes.right[last] == right_strides[axis] * extents[axis];
        const int32_t place = joins ? last : axes.rank++;
        axes.extents[place] = joins ? axes.extents[place] * extents[axis] : extents[axis];
        axes.left[place] = left_strides[axis];
        axes.right[place] = right_strides[axis];
    }
    return axes;
}

static int64_t launches_of(const batch_axes *axes) {
    return axes->rank == 0 ? 1 : tn_extent_product(axes->extents, 0, axes->rank - 1);
}

/* A launch each: with more the CPU is faster. */
#define MOST_LAUNCHES 1024

static batch_axes batch_in_query(const tn_kernel_query *query) {
    const tn_shape *left = &query->inputs[0].shape, *right = &query->inputs[1].shape;
    const int32_t rank = query->outputs[0].shape.rank - (left->rank > 1) - (right->rank > 1);
    return batch_of(rank, query->outputs[0].shape.extents, left->rank > 1 ? left->rank - 2 : 0,
                    left->extents, right->rank > 1 ? right->rank - 2 : 0, right->extents);
}

static int32_t supports_matmul(const tn_kernel_query *query) {
    const tn_shape *left = &query->inputs[0].shape;
    const batch_axes axes = batch_in_query(query);
    return supports_sizes(query) && launches_of(&axes) <= MOST_LAUNCHES &&
           left->extents[left->rank - 1] <= PRODUCT_MAX_TERMS;
}

static tn_status prepare_matmul(tn_prepare_call *call) {
    const tn_view *left = call->inputs[0], *right = call->inputs[1], *output = call->outputs[0];
    const matrix_axes lefts = matrix_axes_of(left->rank, left->shape, 1);
    const matrix_axes rights = matrix_axes_of(right->rank, right->shape, 0);
    const int32_t rank = output->rank - (left->rank > 1) - (right->rank > 1);
    const batch_axes axes = batch_of(rank, output->shape, lefts.batch_rank, left->shape,
                                     rights.batch_rank, right->shape);
    const int32_t last = axes.rank - 1;
    const int64_t batches = axes.rank > 0 ? axes.extents[last] : 1;
    matrix_product product = {.dtype = left->dtype,
                              .left = bind_input_or(call, 0, none),
                              .right = bind_input_or(call, 1, none),
                              .result = bind_output(call, 0),
                              .rows = lefts.rows,
                              .columns = rights.columns,
                              .terms = lefts.columns,
                              .batches = batches,
                              .left_stride = lefts.columns,
                              .left_term_stride = 1,
                              .right_stride = 1,
                              .right_term_stride = rights.columns};
    const int64_t left_size = lefts.rows * lefts.columns;
    const int64_t right_size = rights.rows * rights.columns;
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (axes.rank > 0) {
        product.left_batch_stride = axes.left[last] * left_size;
        product.right_batch_stride = axes.right[last] * right_size;
    }
    /* One matrix on the right: all rows of all matrices on the left are multiplied by it at once.
     */
    if (axes.rank == 1 && axes.left[0] == 1 && axes.right[0] == 0) {
        product.rows *= batches;
        product.batches = 1;
    }
    const int64_t launches = launches_of(&axes);
    for (int64_t i = 0; i < launches && product.result.size > 0; i++) {
        int64_t rest = i;
        product.left_first = product.right_first = 0;
        for (int32_t axis = last - 1; axis >= 0; axis--) {
            const int64_t index = rest % axes.extents[axis];
            product.left_first += index * axes.left[axis] * left_size;
            product.right_first += index * axes.right[axis] * right_size;
            rest /= axes.extents[axis];
        }
        product.result_first = i * batches * lefts.rows * rights.columns;
        add_product(program, &product);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_matmul_kernel = {
    SPIRV_KERNEL("onnx.MatMul", supports_matmul, prepare_matmul),
    FLOAT_DTYPES,
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
    TN_FIELD(gemm_attributes, transA, BOOL, "False", NULL, "Transposes A."),
    TN_FIELD(gemm_attributes, transB, BOOL, "False", NULL, "Transposes B."),
};

static int32_t supports_gemm(const tn_kernel_query *query) {
    const gemm_attributes *given = query->attributes;
    return supports_sizes(query) &&
           query->inputs[0].shape.extents[!given->transA] <= PRODUCT_MAX_TERMS;
}

/* What is added, as strides along the rows and columns of the result. */
static void add_scaled(device_program *program, const tn_prepare_call *call) {
    const gemm_attributes *given = call->attributes;
    const tn_view *added = call->inputs[2], *output = call->outputs[0];
    const int has_added = added != NULL && given->beta != 0;
    const int64_t columns = has_added && added->rank > 0 ? added->shape[added->rank - 1] : 1;
    const int64_t rows = has_added && added->rank > 1 ? added->shape[added->rank - 2] : 1;
    const struct {
        uint32_t count;
        uint32_t columns;
        uint32_t row_stride;
        uint32_t column_stride;
        float alpha;
        float beta;
    } push = {(uint32_t)tn_element_count(output),
              (uint32_t)output->shape[1],
              (uint32_t)(rows == 1 ? 0 : columns),
              columns != 1,
              (float)given->alpha,
              has_added ? (float)given->beta : 0};
    const tn_specialization constants[] = {{0, (uint32_t)has_added}};
    program_add(program, &(program_launch){
                             .shader = SHADER_OF(scale_add, output->dtype),
                             .invocations = push.count,
                             .bindings = {has_added ? bind_input(call, 2) : bind_output(call, 0),
                                          bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants)});
}

static tn_status prepare_gemm(tn_prepare_call *call) {
    const gemm_attributes *given = call->attributes;
    const tn_view *left = call->inputs[0], *added = call->inputs[2], *output = call->outputs[0];
    const int64_t rows = output->shape[0], columns = output->shape[1];
    const int64_t terms = left->shape[!given->transA];
    const int is_plain = given->alpha == 1 && given->beta == 1;
    const int is_row = is_plain && added != NULL && tn_element_count(added) == columns &&
                       added->rank > 0 && added->shape[added->rank - 1] == columns;
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_product(program, &(matrix_product){.dtype = left->dtype,
                                           .left = bind_input_or(call, 0, none),
                                           .right = bind_input_or(call, 1, none),
                                           .bias = is_row ? bind_input(call, 2) : none,
                                           .result = bind_output(call, 0),
                                           .rows = rows,
                                           .columns = columns,
                                           .terms = terms,
                                           .batches = 1,
                                           .left_stride = given->transA ? 1 : terms,
                                           .left_term_stride = given->transA ? rows : 1,
                                           .right_stride = given->transB ? terms : 1,
                                           .right_term_stride = given->transB ? 1 : columns});
    if (!is_row && (added != NULL || given->alpha != 1)) {
        add_scaled(program, call);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_gemm_kernel = {
    SPIRV_KERNEL("onnx.Gemm", supports_gemm, prepare_gemm),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(gemm_table, gemm_attributes),
};
