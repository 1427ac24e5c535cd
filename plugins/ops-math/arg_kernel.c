#include "arg_kernel.h"

#include "state.h"

/* The data is taken as (outer, length, inner), searched along the middle. */
typedef struct arg_state {
    arg_update update;
    arg_scan scan;
    convert_function load;
    convert_function store; /* of the indices, which are i64 */
    size_t element_size;
    size_t compute_size;
    int64_t length;
    int64_t inner;
    int64_t grain;
} arg_state;

typedef struct arg_work {
    const arg_state *state;
    const char *data;
    char *output;
} arg_work;

static const void *load_elements(const arg_state *state, const char *data, int64_t count,
                                 compute_block *buffer) {
    if (state->load == NULL) {
        return data;
    }
    state->load(data, buffer, count);
    return buffer;
}

/* Up to one block of neighbouring outputs; the search starts with their first elements. */
static void search_block(const arg_state *state, const char *data, int64_t count,
                         int64_t *indices) {
    compute_block buffer, best;
    const size_t stride = (size_t)state->inner * state->element_size;
    const void *elements = load_elements(state, data, count, &buffer);
    memcpy(&best, elements, (size_t)count * state->compute_size);
    memset(indices, 0, (size_t)count * sizeof *indices);
    for (int64_t i = 1; i < state->length; i++) {
        elements = load_elements(state, data + (size_t)i * stride, count, &buffer);
        state->update(elements, i, &best, indices, count);
    }
}

/* One output whose elements lie next to each other. */
static void search_row(const arg_state *state, const char *data, int64_t *index) {
    compute_block buffer;
    compute_value best;
    *index = 0;
    memcpy(&best, load_elements(state, data, 1, &buffer), state->compute_size);
    for (int64_t begin = 0; begin < state->length; begin += BLOCK_LENGTH) {
        const int64_t count = smaller(state->length - begin, BLOCK_LENGTH);
        const void *elements =
            load_elements(state, data + (size_t)begin * state->element_size, count, &buffer);
        state->scan(elements, begin, &best, index, count);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const arg_work *work = context;
    const arg_state *state = work->state;
    int64_t indices[BLOCK_LENGTH];
    int64_t outer = begin / state->inner;
    int64_t start = begin % state->inner;
    while (begin < end) {
        const int64_t block = smaller(end - begin, BLOCK_LENGTH);
        const int64_t count = smaller(block, state->inner - start);
        const char *data = work->data + (size_t)(outer * state->length * state->inner + start) *
                                            state->element_size;
        if (state->inner == 1) {
            search_row(state, data, indices);
        } else {
            search_block(state, data, count, indices);
        }
        char *output = work->output + (size_t)begin * state->element_size;
        if (state->store != NULL) {
            state->store(indices, output, count);
        } else {
            memcpy(output, indices, (size_t)count * sizeof *indices);
        }
        begin += count;
        start += count;
        if (start == state->inner) {
            start = 0;
            outer++;
        }
    }
}

tn_status arg_run(const tn_run_call *call) {
    const arg_state *state = call->state;
    arg_work work = {state, tn_data(call->inputs[0]), tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), state->grain, run_range, &work);
    return TN_OK;
}

tn_status prepare_arg(tn_prepare_call *call, arg_kind kind, int64_t axis) {
    const tn_view *data = call->inputs[0];
    const compute_type type = compute_type_of(data->dtype);
    arg_state state = {
        .update = arg_updates[kind][type],
        .scan = arg_scans[kind][type],
        .load = find_load(data->dtype, type),
        .store = find_store(COMPUTE_I64, data->dtype),
        .element_size = TN_DTYPE_SIZE(data->dtype),
        .compute_size = compute_type_size(type),
        .length = tn_element_count(data),
        .inner = 1,
    };
    if (axis != TN_NONE) {
        int32_t along = 0;
        TN_TRY(tn_resolve_axis(call->host, axis, data->rank, &along));
        state.length = data->shape[along];
        state.inner = tn_extent_product(data->shape, along + 1, data->rank);
    }
    state.grain = 1 + 16384 / (state.length > 0 ? state.length : 1);
    return keep_state(call, &state, sizeof state);
}
