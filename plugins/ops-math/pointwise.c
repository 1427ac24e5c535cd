#include "pointwise.h"

#include <math.h>

#include "state.h"
#include "storage.h"

typedef struct pointwise_state pointwise_state;

struct pointwise_state {
    /* NULL: loading and storing is all there is to do. */
    void (*apply)(const pointwise_state *state, const void *input, void *output, int64_t count);
    unary_row unary;
    binary_row binary;
    compute_value parameters[UNARY_PARAMETERS]; /* of the unary function, or the scalar */
    convert_function load;
    convert_function store;
    size_t input_size; /* bytes of an element */
    size_t output_size;
    int64_t grain;
};

typedef struct pointwise_work {
    const pointwise_state *state;
    const char *input;
    char *output;
} pointwise_work;

static void apply_unary(const pointwise_state *state, const void *input, void *output,
                        int64_t count) {
    state->unary(input, state->parameters, output, count);
}

static void apply_scalar_right(const pointwise_state *state, const void *input, void *output,
                               int64_t count) {
    state->binary(input, 1, &state->parameters[0], 0, output, count);
}

static void apply_scalar_left(const pointwise_state *state, const void *input, void *output,
                              int64_t count) {
    state->binary(&state->parameters[0], 0, input, 1, output, count);
}

/* One block by way of the compute type. A buffer stands in wherever the memory holds another. */
static void run_block(const pointwise_state *state, const void *input, void *output,
                      int64_t count) {
    compute_block loaded, computed;
    if (state->load != NULL) {
        state->load(input, &loaded, count);
        input = &loaded;
    }
    if (state->apply != NULL) {
        void *result = state->store != NULL ? &computed : output;
        state->apply(state, input, result, count);
        input = result;
    }
    if (state->store != NULL) {
        state->store(input, output, count);
    } else if (input != output) {
        memmove(output, input, (size_t)count * state->output_size);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const pointwise_work *work = context;
    const pointwise_state *state = work->state;
    const int is_direct = state->load == NULL && state->store == NULL;
    const int64_t block = is_direct ? end - begin : BLOCK_LENGTH;
    while (begin < end) {
        const int64_t count = smaller(end - begin, block);
        run_block(state, work->input + (size_t)begin * state->input_size,
                  work->output + (size_t)begin * state->output_size, count);
        begin += count;
    }
}

/* What is stored is computed; what is not stays zero. */
static tn_status run_sparse(const tn_run_call *call) {
    const pointwise_state *state = call->state;
    const tn_sparse *source = tn_sparse_of(call->inputs[0]);
    const int64_t length = stored_entry_length(call->inputs[0], source->storage);
    TN_TRY(copy_structure(call, 0));
    pointwise_work work = {state, source->values, tn_sparse_of(call->outputs[0])->values};
    tn_parallel_for(call->host, source->stored_count * length, state->grain, run_range, &work);
    return TN_OK;
}

tn_status pointwise_run(const tn_run_call *call) {
    if (call->output_storages[0] != TN_STORAGE_DENSE) {
        return run_sparse(call);
    }
    const pointwise_state *state = call->state;
    pointwise_work work = {state, tn_data(call->inputs[0]), tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), state->grain, run_range, &work);
    return TN_OK;
}

static tn_status keep_pointwise_state(tn_prepare_call *call, pointwise_state *state,
                                      compute_type type) {
    const tn_dtype input = call->inputs[0]->dtype;
    const tn_dtype output = call->outputs[0]->dtype;
    state->load = find_load(input, type);
    state->store = find_store(type, output);
    state->input_size = TN_DTYPE_SIZE(input);
    state->output_size = TN_DTYPE_SIZE(output);
    return keep_state(call, state, sizeof *state);
}

/* A bound or factor as the compute type holds it: truncated to an integer, at most as far out as
 * the type goes. `side` says where NaN goes, which bounds nothing. */
static compute_value saturate(double value, compute_type type, double side) {
    const double bound = isnan(value) ? side : value;
    compute_value result = {.u64 = 0};
    switch (type) {
    case COMPUTE_F32: result.f32 = (float)value; break;
    case COMPUTE_F64: result.f64 = value; break;
    case COMPUTE_I32:
        result.i32 = bound <= -0x1p31 ? INT32_MIN : bound >= 0x1p31 ? INT32_MAX : (int32_t)bound;
        break;
    case COMPUTE_I64:
        result.i64 = bound <= -0x1p63 ? INT64_MIN : bound >= 0x1p63 ? INT64_MAX : (int64_t)bound;
        break;
    case COMPUTE_U64:
        result.u64 = bound <= 0 ? 0 : bound >= 0x1p64 ? UINT64_MAX : (uint64_t)bound;
        break;
    }
    return result;
}

tn_status prepare_unary(tn_prepare_call *call, unary_function function,
                        const double parameters[UNARY_PARAMETERS]) {
    compute_type type = compute_type_of(call->inputs[0]->dtype);
    if (unary_rows[function][type] == NULL) {
        type = COMPUTE_F64;
    }
    pointwise_state state = {
        .apply = apply_unary,
        .unary = unary_rows[function][type],
        .parameters = {saturate(parameters[0], type, -INFINITY),
                       saturate(parameters[1], type, INFINITY)},
        .grain = unary_grain(function),
    };
    return keep_pointwise_state(call, &state, type);
}

/* MXNet divides a scalar by integers as real numbers, so that a division by 0 gives the lowest
 * integer. */
static int is_real_function(binary_function function, scalar_side side, compute_type type) {
    return binary_rows[function][type] == NULL ||
           (function == BINARY_divide && side == SCALAR_LEFT);
}

static compute_type scalar_compute_type(binary_function function, scalar_side side,
                                        tn_dtype dtype) {
    const compute_type type = compute_type_of(dtype);
    return !is_floating(dtype) && is_real_function(function, side, type) ? COMPUTE_F64 : type;
}

static pointwise_state scalar_state(binary_function function, scalar_side side, double scalar,
                                    tn_dtype dtype, compute_type type) {
    return (pointwise_state){
        .apply = side == SCALAR_RIGHT ? apply_scalar_right : apply_scalar_left,
        .binary = binary_rows[function][type],
        .parameters = {convert_constant(scalar, dtype, type)},
        .grain = binary_grain(function),
    };
}

tn_status prepare_with_scalar(tn_prepare_call *call, binary_function function, scalar_side side,
                              double scalar) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    const compute_type type = scalar_compute_type(function, side, dtype);
    pointwise_state state = scalar_state(function, side, scalar, dtype, type);
    return keep_pointwise_state(call, &state, type);
}

int scalar_keeps_zero(binary_function function, scalar_side side, double scalar, tn_dtype dtype) {
    const compute_type type = scalar_compute_type(function, side, dtype);
    const pointwise_state state = scalar_state(function, side, scalar, dtype, type);
    const compute_value zero = {.u64 = 0};
    compute_value result = {.u64 = 1};
    state.apply(&state, &zero, &result, 1);
    switch (type) {
    case COMPUTE_F32: return result.f32 == 0;
    case COMPUTE_F64: return result.f64 == 0;
    case COMPUTE_I32: return result.i32 == 0;
    default: return result.u64 == 0;
    }
}

tn_status prepare_conversion(tn_prepare_call *call) {
    pointwise_state state = {.grain = 65536};
    return keep_pointwise_state(call, &state, compute_type_of(call->inputs[0]->dtype));
}
