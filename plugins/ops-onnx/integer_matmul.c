/* MatMulInteger and QLinearMatMul. */
#include "elements.h"
#include "families.h"
#include "integer_product.h"
#include "matmul_shape.h"
#include "operator.h"

/* Where the two operators have their tensors; -1: not. */
typedef struct matmul_inputs {
    int32_t left, left_scale, left_zero, right, right_scale, right_zero, scale, zero;
} matmul_inputs;

static const matmul_inputs plain_inputs = {0, -1, 2, 1, -1, 3, -1, -1};
static const matmul_inputs scaled_inputs = {0, 1, 2, 3, 4, 5, 6, 7};

static const char *const plain_names[] = {"A", "B", "a_zero_point", "b_zero_point"};
static const char *const scaled_names[] = {
    "a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point", "y_scale", "y_zero_point"};
static const char *const output_names[] = {"Y"};
static const uint32_t plain_optional[] = {2, 3};

static tn_status infer_plain(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_I32));
    return infer_matmul_shape(call, (uint32_t)plain_inputs.left, (uint32_t)plain_inputs.right);
}

static tn_status infer_scaled(tn_infer_call *call) {
    const tn_dtype dtype = call->inputs[scaled_inputs.zero].dtype;
    TN_TRY(tn_infer_dtype(call->host, "y", &call->outputs[0].dtype, dtype));
    return infer_matmul_shape(call, (uint32_t)scaled_inputs.left, (uint32_t)scaled_inputs.right);
}

const tn_op matmul_integer_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The product of matrices of 8-bit integers, less their zero points, as int32. A has one "
           "zero point or one for each row, B one or one for each column.",
    OP_INPUTS(plain_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(plain_optional),
    .infer = infer_plain,
};

const tn_op qlinear_matmul_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The product of two quantised matrices, quantised again with the scale and zero point "
           "of the output.",
    OP_INPUTS(scaled_names),
    OP_OUTPUTS(output_names),
    .infer = infer_scaled,
};

static tn_status prepare(tn_prepare_call *call, const matmul_inputs *places) {
    matmul_shape shape;
    TN_TRY(matmul_shape_of(call->host, call->inputs[places->left], call->inputs[places->right],
                           &shape));
    const uint64_t widened =
        (uint64_t)(shape.rows * shape.depth + shape.depth * shape.columns) * sizeof(int16_t);
    const uint64_t sums = (uint64_t)(shape.rows * shape.columns) * sizeof(int32_t);
    call->workspace_size = widened + sums + 64;
    return TN_OK;
}

static tn_status prepare_plain(tn_prepare_call *call) {
    return prepare(call, &plain_inputs);
}

static tn_status prepare_scaled(tn_prepare_call *call) {
    return prepare(call, &scaled_inputs);
}

/* One zero point for all, or one for each row. */
static void widen_left(const tn_view *left, const tn_view *zero, const matmul_shape *shape,
                       int64_t first, int16_t *out_values) {
    for (int64_t i = 0; i < shape->rows; i++) {
        widen_elements(left->dtype, tn_data(left), first + i * shape->depth, shape->depth,
                       zero_point_at(zero, i), out_values + i * shape->depth);
    }
}

static void widen_right(const tn_view *right, const tn_view *zero, const matmul_shape *shape,
                        int64_t first, int16_t *out_values) {
    const int is_single = zero == NULL || tn_element_count(zero) == 1;
    widen_elements(right->dtype, tn_data(right), first, shape->depth * shape->columns,
                   is_single ? zero_point_at(zero, 0) : 0, out_values);
    for (int64_t k = 0; !is_single && k < shape->depth; k++) {
        for (int64_t j = 0; j < shape->columns; j++) {
            int16_t *value = &out_values[k * shape->columns + j];
            *value = (int16_t)(*value - zero_point_at(zero, j));
        }
    }
}

static const tn_view *input_at(const tn_run_call *call, int32_t place) {
    return place < 0 ? NULL : call->inputs[place];
}

static void scale_sums(const tn_run_call *call, const matmul_shape *shape, const int32_t *sums,
                       int64_t first) {
    const tn_view *left_scale = call->inputs[scaled_inputs.left_scale];
    const tn_view *right_scale = call->inputs[scaled_inputs.right_scale];
    const float scale = scale_at(call->inputs[scaled_inputs.scale], 0);
    const int32_t zero = zero_point_at(call->inputs[scaled_inputs.zero], 0);
    const int is_single = tn_element_count(right_scale) == 1;
    const int64_t run = is_single ? shape->columns : 1;
    for (int64_t i = 0; i < shape->rows; i++) {
        for (int64_t j = 0; j < shape->columns; j += run) {
            const float multiplier = scale_at(left_scale, i) * scale_at(right_scale, j) / scale;
            const int64_t at = i * shape->columns + j;
            requantize(sums + at, run, multiplier, zero, call->outputs[0]->dtype,
                       tn_data(call->outputs[0]), first + at);
        }
    }
}

static tn_status run(const tn_run_call *call, const matmul_inputs *places) {
    const tn_view *left = call->inputs[places->left], *right = call->inputs[places->right];
    matmul_shape shape;
    TN_TRY(matmul_shape_of(call->host, left, right, &shape));
    const int64_t count = shape.rows * shape.columns;
    int32_t *sums = call->workspace;
    int16_t *lefts = (int16_t *)(sums + count);
    int16_t *rights = lefts + shape.rows * shape.depth;
    for (int64_t batch = 0; batch < shape.batches && count > 0; batch++) {
        walk_go_to(&shape.batch_walk, batch);
        widen_left(left, input_at(call, places->left_zero), &shape, shape.batch_walk.offsets[0],
                   lefts);
        widen_right(right, input_at(call, places->right_zero), &shape, shape.batch_walk.offsets[1],
                    rights);
        if (places->scale < 0) {
            sums = (int32_t *)tn_data(call->outputs[0]) + batch * count;
        }
        integer_product(call->host, lefts, rights, sums, shape.rows, shape.columns, shape.depth);
        if (places->scale >= 0) {
            scale_sums(call, &shape, sums, batch * count);
        }
    }
    return TN_OK;
}

static tn_status run_plain(const tn_run_call *call) {
    return run(call, &plain_inputs);
}

static tn_status run_scaled(const tn_run_call *call) {
    return run(call, &scaled_inputs);
}

static int32_t supports_plain(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[1].dtype);
}

static int32_t supports_scaled(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[3].dtype) &&
           is_byte(query->outputs[0].dtype);
}

const tn_kernel matmul_integer_kernel = {CPU_KERNEL("onnx.MatMulInteger"),
                                         .supports = supports_plain, .prepare = prepare_plain,
                                         .run = run_plain};
const tn_kernel qlinear_matmul_kernel = {CPU_KERNEL("onnx.QLinearMatMul"),
                                         .supports = supports_scaled, .prepare = prepare_scaled,
                                         .run = run_scaled};
