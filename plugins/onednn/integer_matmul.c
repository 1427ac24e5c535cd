/*
 * onnx.MatMulInteger and onnx.QLinearMatMul with a constant right matrix, on processors whose
 * integer products do not saturate. With zero points a and b[j], the sum of (x - a) * (y - b[j])
 * over `depth` elements is that of x * y, less a * (the sum of column j), less b[j] * (the sum of
 * the row), plus depth * a * b[j].
 */
#include "integer_matmul.h"

#include <omp.h>

#include "integer_inputs.h"
#include "program.h"

static const integer_inputs plain_inputs = {0, -1, 2, 1, -1, 3, -1, -1, -1};
static const integer_inputs scaled_inputs = {0, 1, 2, 3, 4, 5, 6, 7, -1};

/* Below this many multiplications a call of the library costs more than the work; less than the
 * other is not worth another thread. */
#define SMALLEST_COST 20000.0
#define COST_OF_AN_ITEM 400000.0

static const integer_inputs *inputs_of(const char *op) {
    return strcmp(op, "onnx.QLinearMatMul") == 0 ? &scaled_inputs : &plain_inputs;
}

/* One for all, or none. */
static int is_single(const tn_kernel_query *query, int32_t place) {
    if (place < 0 || (uint32_t)place >= query->input_count || query->inputs[place].dtype == 0) {
        return 1;
    }
    const tn_shape *shape = &query->inputs[place].shape;
    return tn_extent_product(shape->extents, 0, shape->rank) == 1;
}

int32_t integer_matmul_supports(const tn_kernel_query *query) {
    const integer_inputs *places = inputs_of(query->op);
    const tn_tensor_type *left = &query->inputs[places->data];
    const tn_tensor_type *right = &query->inputs[places->weight];
    const tn_dtype output = query->outputs[0].dtype;
    if (!sums_are_exact() || !is_byte(left->dtype) || !is_byte(right->dtype) ||
        (output != TN_I32 && !is_byte(output)) || left->shape.rank < 2 || right->shape.rank != 2 ||
        query->input_values[places->weight] == NULL || !is_single(query, places->data_zero) ||
        !is_single(query, places->data_scale)) {
        return 0;
    }
    return (double)tn_extent_product(left->shape.extents, 0, left->shape.rank) *
               (double)right->shape.extents[1] >=
           SMALLEST_COST;
}

typedef struct integer_matmul {
    program *made;
    const integer_inputs *places;
    int64_t rows, depth, columns;
    /* By column: the sums of the right matrix; then what each run fills in. */
    int32_t *column_sums, *zeros, *biases;
    float *multipliers;
} integer_matmul;

/* The right matrix is int8: uint8 is turned when it is packed, which makes it and its zero point
 * 128 less. */
static void sum_columns(const tn_view *right, int64_t depth, int64_t columns, int32_t *sums) {
    const uint8_t *bytes = tn_data(right);
    const uint8_t turned = right->dtype == TN_U8 ? 0x80 : 0;
    memset(sums, 0, (size_t)columns * sizeof *sums);
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t j = 0; j < columns; j++) {
            sums[j] += (int8_t)(bytes[k * columns + j] ^ turned);
        }
    }
}

static tn_status describe(const tn_prepare_call *call, const integer_matmul *state, int64_t rows,
                          const dnnl_memory_desc_t *right, dnnl_primitive_desc_t *out) {
    const tn_host *host = call->host;
    const dnnl_dims_t left_extents = {rows, state->depth}, extents = {rows, state->columns};
    const dnnl_data_type_t type =
        call->inputs[state->places->data]->dtype == TN_U8 ? dnnl_u8 : dnnl_s8;
    dnnl_memory_desc_t left, sums;
    dnnl_matmul_desc_t wanted;
    omp_set_num_threads(1); /* what is described is made for that many */
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(&left, 2, left_extents, type, dnnl_ab));
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(&sums, 2, extents, dnnl_s32, dnnl_ab));
    ONEDNN_TRY(host, dnnl_matmul_desc_init(&wanted, &left, right, NULL, &sums));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a product of integers",
                           out);
}

static int64_t first_row(const integer_matmul *state, int64_t item) {
    return state->rows * item / state->made->item_count;
}

static tn_status fill_item(const tn_prepare_call *call, const integer_matmul *state, int64_t first,
                           int64_t rows, const_dnnl_primitive_desc_t descriptor,
                           program_item *item) {
    const int is_scaled = call->outputs[0]->dtype != TN_I32;
    const program_argument left = {.owner = ARGUMENT_INPUT,
                                   .index = (uint32_t)state->places->data,
                                   .offset = first * state->depth};
    const program_argument sums = {.owner = is_scaled ? ARGUMENT_TARGET : ARGUMENT_OUTPUT,
                                   .offset = first * state->columns * (int64_t)sizeof(int32_t),
                                   .own_count = is_scaled ? rows * state->columns : 0};
    TN_TRY(program_add_argument(call->host, item, DNNL_ARG_SRC,
                                dnnl_primitive_desc_query_md(descriptor, dnnl_query_src_md, 0),
                                left));
    program_add_packed(state->made, item, DNNL_ARG_WEIGHTS);
    TN_TRY(program_add_argument(call->host, item, DNNL_ARG_DST,
                                dnnl_primitive_desc_query_md(descriptor, dnnl_query_dst_md, 0),
                                sums));
    return program_add_argument(
        call->host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){.owner = ARGUMENT_SCRATCHPAD});
}

static tn_status add_item(const tn_prepare_call *call, const integer_matmul *state, uint32_t number,
                          const dnnl_memory_desc_t *packed) {
    program_item *item = &state->made->items[number];
    const int64_t first = first_row(state, number);
    const int64_t rows = first_row(state, (int64_t)number + 1) - first;
    dnnl_primitive_desc_t descriptor;
    TN_TRY(describe(call, state, rows, packed, &descriptor));
    tn_status status = program_add_primitive(call->host, state->made, descriptor, &item->primitive);
    if (status == TN_OK) {
        status = fill_item(call, state, first, rows, descriptor, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

/* The layout of the right matrix that the first item likes best. */
static tn_status pack_right(tn_prepare_call *call, const integer_matmul *state,
                            dnnl_memory_desc_t *packed) {
    const dnnl_dims_t extents = {state->depth, state->columns};
    dnnl_memory_desc_t any, plain;
    dnnl_primitive_desc_t descriptor;
    ONEDNN_TRY(call->host, dnnl_memory_desc_init_by_tag(&plain, 2, extents, dnnl_s8, dnnl_ab));
    ONEDNN_TRY(call->host,
               dnnl_memory_desc_init_by_tag(&any, 2, extents, dnnl_s8, dnnl_format_tag_any));
    TN_TRY(describe(call, state, first_row(state, 1), &any, &descriptor));
    *packed = *dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 0);
    dnnl_primitive_desc_destroy(descriptor);
    return program_pack(call, state->made, (uint32_t)state->places->weight, &plain, packed);
}

static uint32_t items_of(const tn_prepare_call *call, const integer_matmul *state) {
    const double cost = (double)state->rows * (double)state->depth * (double)state->columns;
    const uint32_t threads = program_thread_count(call->host);
    const double worth = 1 + cost / COST_OF_AN_ITEM;
    double items = threads < 2 ? 1 : worth < 2.0 * threads ? worth : 2.0 * threads;
    items = items < (double)state->rows ? items : (double)state->rows;
    return items < PROGRAM_MAX_PRIMITIVES ? (uint32_t)items : PROGRAM_MAX_PRIMITIVES;
}

static tn_status fill_state(tn_prepare_call *call, integer_matmul *state) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const tn_view *left = call->inputs[state->places->data];
    const tn_view *right = call->inputs[state->places->weight];
    dnnl_memory_desc_t packed;
    state->depth = right->shape[0];
    state->columns = right->shape[1];
    state->rows = tn_extent_product(left->shape, 0, left->rank - 1);
    state->column_sums =
        memory->allocate(call->host, (uint64_t)state->columns * 4 * sizeof(int32_t));
    if (state->column_sums == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the scales of %lld columns",
                       (long long)state->columns);
    }
    state->zeros = state->column_sums + state->columns;
    state->biases = state->zeros + state->columns;
    state->multipliers = (float *)(state->biases + state->columns);
    sum_columns(right, state->depth, state->columns, state->column_sums);
    TN_TRY(program_create(call, items_of(call, state), &state->made));
    TN_TRY(pack_right(call, state, &packed));
    for (uint32_t i = 0; i < state->made->item_count; i++) {
        TN_TRY(add_item(call, state, i, &packed));
    }
    program_finish(call, state->made);
    return TN_OK;
}

void integer_matmul_release(const tn_host *host, void *held) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    integer_matmul *state = held;
    program_destroy(host, state->made);
    memory->free(host, state->column_sums);
    memory->free(host, state);
}

tn_status integer_matmul_prepare(tn_prepare_call *call) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    integer_matmul *state = memory->allocate(call->host, sizeof *state);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a product's state");
    }
    *state = (integer_matmul){.places = inputs_of(call->op)};
    const tn_status status = fill_state(call, state);
    call->state = status == TN_OK ? state : NULL;
    if (status != TN_OK) {
        integer_matmul_release(call->host, state);
    }
    return status;
}

/* What is behind the sums in a run. */
typedef struct matmul_run {
    const integer_matmul *state;
    const tn_view *left;
    int32_t is_scaled;
    int32_t has_right_zeros;
    quantised_ends ends;
} matmul_run;

static int32_t sum_row(const tn_view *left, int64_t row, int64_t depth) {
    const uint8_t *bytes = (const uint8_t *)tn_data(left) + row * depth;
    const uint8_t turned = left->dtype == TN_I8 ? 0x80 : 0;
    int32_t sum = 0;
    for (int64_t k = 0; k < depth; k++) {
        sum += bytes[k] ^ turned;
    }
    return sum - (int32_t)depth * turned;
}

static void finish_item(const tn_run_call *call, const program *made, uint32_t item,
                        const void *context) {
    const matmul_run *run = context;
    const integer_matmul *state = run->state;
    int32_t *sums = program_item_memory(call, made, item, DNNL_ARG_DST);
    const int64_t end = first_row(state, (int64_t)item + 1);
    for (int64_t row = first_row(state, item); row < end; row++, sums += state->columns) {
        const int32_t of_row = run->has_right_zeros ? sum_row(run->left, row, state->depth) : 0;
        if (run->is_scaled) {
            quantise_sums(sums, state->columns, of_row, state->zeros, state->biases,
                          state->multipliers, run->ends,
                          (uint8_t *)tn_data(call->outputs[0]) + row * state->columns);
        } else {
            correct_sums(sums, state->columns, of_row, state->zeros, state->biases);
        }
    }
}

/* Fills in what the columns have. */
static void read_columns(const tn_run_call *call, matmul_run *run) {
    const integer_matmul *state = run->state;
    const integer_inputs *places = state->places;
    const tn_view *right_zero = view_at(call->inputs, call->input_count, places->weight_zero);
    const uint32_t left_zero =
        (uint32_t)zero_at(view_at(call->inputs, call->input_count, places->data_zero), 0);
    const int32_t shift = call->inputs[places->weight]->dtype == TN_U8 ? 128 : 0;
    for (int64_t j = 0; j < state->columns; j++) {
        state->zeros[j] = zero_at(right_zero, j) - shift;
        run->has_right_zeros = run->has_right_zeros || state->zeros[j] != 0;
        const uint32_t depth_zeros = (uint32_t)state->depth * (uint32_t)state->zeros[j];
        state->biases[j] = (int32_t)(left_zero * (depth_zeros - (uint32_t)state->column_sums[j]));
        if (run->is_scaled) {
            state->multipliers[j] = scale_at(call->inputs[places->data_scale], 0) *
                                    scale_at(call->inputs[places->weight_scale], j) /
                                    scale_at(call->inputs[places->scale], 0);
        }
    }
}

tn_status integer_matmul_run(const tn_run_call *call) {
    const integer_matmul *state = call->state;
    matmul_run run = {.state = state,
                      .left = call->inputs[state->places->data],
                      .is_scaled = call->outputs[0]->dtype != TN_I32};
    if (run.is_scaled) {
        run.ends = ends_of(call->outputs[0]->dtype, call->inputs[state->places->zero]);
    }
    read_columns(call, &run);
    return program_run_items(call, state->made, finish_item, &run);
}
