/* MatMulInteger and QLinearMatMul. */
#include "families.h"
#include "integer_product.h"
#include "integer_state.h"
#include "matmul_shape.h"
#include "operator.h"
#include "quantise.h"

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

typedef struct matmul_state {
    const matmul_inputs *places;
    matmul_shape shape;
    integer_product product;
    uint64_t left_place; /* of the left panels in the workspace */
    int32_t has_packed_right;
    int16_t right[]; /* packed, when it never changes and is one matrix for the whole batch */
} matmul_state;

/* The product of one place in the batch, for the functions of the product. */
typedef struct matmul_run {
    const matmul_state *state;
    const tn_run_call *call;
    byte_matrix right;
    int64_t first; /* element of the output */
    quantised_range range;
} matmul_run;

static const tn_view *input_at(const tn_view *const *inputs, uint32_t count, int32_t place) {
    return place < 0 || (uint32_t)place >= count ? NULL : inputs[place];
}

static byte_matrix matrix_of(const tn_view *view, int64_t first, int64_t rows, int64_t columns,
                             const tn_view *zero_point) {
    return (byte_matrix){.elements = (const char *)tn_data(view) + first,
                         .dtype = view->dtype,
                         .rows = rows,
                         .columns = columns,
                         .stride = columns,
                         .zero_point = zero_point};
}

static void pack_columns(const void *context, int64_t number, int64_t first, int64_t count,
                         char *bytes, int16_t *panels) {
    const matmul_run *run = context;
    (void)number, (void)bytes;
    pack_right(&run->right, first, count, panels);
}

static void store_plain(const void *context, int64_t number, int64_t row, int64_t column,
                        int64_t count, const int32_t *sums) {
    const matmul_run *run = context;
    int32_t *output = (int32_t *)tn_data(run->call->outputs[0]) + run->first;
    (void)number;
    memcpy(output + row * run->state->shape.columns + column, sums, (size_t)count * sizeof *sums);
}

static void store_scaled(const void *context, int64_t number, int64_t row, int64_t column,
                         int64_t count, const int32_t *sums) {
    const matmul_run *run = context;
    const matmul_inputs *places = run->state->places;
    const tn_view *right_scale = run->call->inputs[places->right_scale];
    const float left_scale = scale_at(run->call->inputs[places->left_scale], row);
    const float scale = scale_at(run->call->inputs[places->scale], 0);
    uint8_t *output = (uint8_t *)tn_data(run->call->outputs[0]) + run->first +
                      row * run->state->shape.columns + column;
    const int64_t step = tn_element_count(right_scale) == 1 ? count : 1;
    (void)number;
    for (int64_t i = 0; i < count; i += step) {
        const float multiplier = left_scale * scale_at(right_scale, column + i) / scale;
        requantise(sums + i, step, 0, multiplier, run->range, output + i);
    }
}

static int is_constant(const tn_prepare_call *call, int32_t place) {
    const tn_view *view = input_at(call->inputs, call->input_count, place);
    return view == NULL || view->data != NULL;
}

/* A right operand that is one matrix multiplies the rows of all left ones at once, unless these
 * have parameters for each row. */
static void merge_batch(const tn_prepare_call *call, const matmul_inputs *places,
                        matmul_shape *shape) {
    const tn_view *zero = input_at(call->inputs, call->input_count, places->left_zero);
    const tn_view *scale = input_at(call->inputs, call->input_count, places->left_scale);
    if (tn_element_count(call->inputs[places->right]) == shape->depth * shape->columns &&
        (zero == NULL || tn_element_count(zero) == 1) &&
        (scale == NULL || tn_element_count(scale) == 1)) {
        shape->rows *= shape->batches;
        shape->batches = shape->batches > 0;
    }
}

static tn_status plan_product(tn_prepare_call *call, matmul_state *state) {
    const matmul_shape *shape = &state->shape;
    state->product = (integer_product){.count = 1,
                                       .rows = shape->rows,
                                       .columns = shape->columns,
                                       .depth = shape->depth,
                                       .left_count = 1,
                                       .right = state->has_packed_right ? state->right : NULL,
                                       .pack_columns = pack_columns};
    TN_TRY(integer_product_plan(call->host, &state->product, TILE_COLUMNS, 0));
    state->left_place = integer_product_workspace(&state->product);
    call->workspace_size =
        state->left_place + (uint64_t)left_panels_size(shape->rows, shape->depth) * sizeof(int16_t);
    return TN_OK;
}

static tn_status fill_state(tn_prepare_call *call, matmul_state *state) {
    const tn_view *zero = input_at(call->inputs, call->input_count, state->places->right_zero);
    TN_TRY(plan_product(call, state));
    if (state->has_packed_right) {
        const byte_matrix matrix = matrix_of(call->inputs[state->places->right], 0,
                                             state->shape.depth, state->shape.columns, zero);
        pack_right(&matrix, 0, matrix.columns, state->right);
    }
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call, const matmul_inputs *places) {
    const tn_view *right = call->inputs[places->right];
    matmul_shape shape;
    TN_TRY(matmul_shape_of(call->host, call->inputs[places->left], right, &shape));
    const int is_packed = is_constant(call, places->right) &&
                          is_constant(call, places->right_zero) &&
                          tn_element_count(right) == shape.depth * shape.columns;
    const int64_t packed = is_packed ? right_panels_size(shape.columns, shape.depth) : 0;
    void *memory;
    TN_TRY(integer_state_allocate(call->host, sizeof(matmul_state), packed, &memory));
    matmul_state *state = memory;
    state->places = places;
    state->shape = shape;
    state->has_packed_right = is_packed;
    merge_batch(call, places, &state->shape);
    const tn_status status = fill_state(call, state);
    if (status != TN_OK) {
        integer_state_release(call->host, state);
        return status;
    }
    call->state = state;
    return TN_OK;
}

static tn_status prepare_plain(tn_prepare_call *call) {
    return prepare(call, &plain_inputs);
}

static tn_status prepare_scaled(tn_prepare_call *call) {
    return prepare(call, &scaled_inputs);
}

static void run_batch(const tn_run_call *call, quantised_range range, store_sums *store) {
    const matmul_state *state = call->state;
    const matmul_inputs *places = state->places;
    matmul_shape shape = state->shape;
    matmul_run run = {.state = state, .call = call, .range = range};
    integer_product product = state->product;
    int16_t *left = (int16_t *)(void *)((char *)call->workspace + state->left_place);
    product.left = left;
    product.store = store;
    product.context = &run;
    product.workspace = call->workspace;
    for (int64_t batch = 0; batch < shape.batches; batch++) {
        walk_go_to(&shape.batch_walk, batch);
        const byte_matrix matrix =
            matrix_of(call->inputs[places->left], shape.batch_walk.offsets[0], shape.rows,
                      shape.depth, input_at(call->inputs, call->input_count, places->left_zero));
        pack_left(&matrix, left);
        run.right =
            matrix_of(call->inputs[places->right], shape.batch_walk.offsets[1], shape.depth,
                      shape.columns, input_at(call->inputs, call->input_count, places->right_zero));
        run.first = batch * shape.rows * shape.columns;
        integer_product_run(call->host, &product);
    }
}

static tn_status run_plain(const tn_run_call *call) {
    run_batch(call, (quantised_range){0, 0, 0}, store_plain);
    return TN_OK;
}

static tn_status run_scaled(const tn_run_call *call) {
    const int32_t zero = zero_point_at(call->inputs[scaled_inputs.zero], 0);
    run_batch(call, quantised_range_of(call->outputs[0]->dtype, zero), store_scaled);
    return TN_OK;
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
                                         .run = run_plain, .release = integer_state_release};
const tn_kernel qlinear_matmul_kernel = {CPU_KERNEL("onnx.QLinearMatMul"),
                                         .supports = supports_scaled, .prepare = prepare_scaled,
                                         .run = run_scaled, .release = integer_state_release};
