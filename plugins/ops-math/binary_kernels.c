#include "binary_kernels.h"

#include "rows.h"
#include "state.h"

typedef struct binary_state {
    row_walk walk;
    int32_t gathers; /* whether the rows are short */
    int32_t is_product;
    int32_t is_whole[WALK_OPERANDS]; /* whether the operand is not stretched at all */
    binary_row row;
    convert_function load;
    convert_function store;
    size_t element_size;
    int64_t grain;
} binary_state;

typedef struct binary_work {
    const binary_state *state;
    const char *left;
    const char *right;
    char *output;
} binary_work;

/* A row by way of the compute type, in blocks. A constant operand is loaded once. */
static void run_converted_row(const binary_state *state, const char *left, int64_t left_step,
                              const char *right, int64_t right_step, char *output, int64_t count) {
    compute_block lefts, rights, outputs;
    for (int64_t begin = 0; begin < count; begin += BLOCK_LENGTH) {
        const int64_t block = smaller(count - begin, BLOCK_LENGTH);
        const size_t offset = (size_t)begin * state->element_size;
        if (left_step == 1 || begin == 0) {
            state->load(left + offset, &lefts, left_step == 1 ? block : 1);
        }
        if (right_step == 1 || begin == 0) {
            state->load(right + offset, &rights, right_step == 1 ? block : 1);
        }
        state->row(&lefts, left_step, &rights, right_step, &outputs, block);
        state->store(&outputs, output + offset, block);
    }
}

static void run_row(const binary_state *state, const char *left, int64_t left_step,
                    const char *right, int64_t right_step, char *output, int64_t count) {
    if (state->load == NULL) {
        state->row(left, left_step, right, right_step, output, count);
    } else {
        run_converted_row(state, left, left_step, right, right_step, output, count);
    }
}

static void run_walked_row(void *context, int64_t begin, int64_t count,
                           const int64_t offsets[WALK_OPERANDS]) {
    const binary_work *work = context;
    const binary_state *state = work->state;
    const size_t size = state->element_size;
    run_row(state, work->left + (size_t)offsets[0] * size, state->walk.steps[0],
            work->right + (size_t)offsets[1] * size, state->walk.steps[1],
            work->output + (size_t)begin * size, count);
}

/* A block of one operand, in its own memory or gathered into `buffer`. */
static const char *gather_operand(const binary_state *state, int operand, const char *elements,
                                  int64_t begin, int64_t count, compute_block *buffer) {
    if (state->is_whole[operand]) {
        return elements + (size_t)begin * state->element_size;
    }
    gather_rows(&state->walk, operand, elements, state->element_size, begin, count, (char *)buffer);
    return (const char *)buffer;
}

static void run_short_rows(const binary_work *work, int64_t begin, int64_t end) {
    const binary_state *state = work->state;
    compute_block left_buffer, right_buffer;
    for (; begin < end; begin += BLOCK_LENGTH) {
        const int64_t count = smaller(end - begin, BLOCK_LENGTH);
        const char *left = gather_operand(state, 0, work->left, begin, count, &left_buffer);
        const char *right = gather_operand(state, 1, work->right, begin, count, &right_buffer);
        char *output = work->output + (size_t)begin * state->element_size;
        run_row(state, left, 1, right, 1, output, count);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const binary_work *work = context;
    if (work->state->gathers) {
        run_short_rows(work, begin, end);
    } else {
        walk_rows(&work->state->walk, begin, end, run_walked_row, context);
    }
}

void binary_apply(const void *state, const void *left, const void *right, void *output,
                  int64_t count) {
    run_row(state, left, 1, right, 1, output, count);
}

int binary_is_product(const void *state) {
    return ((const binary_state *)state)->is_product;
}

tn_status binary_run(const tn_run_call *call) {
    const binary_state *state = call->state;
    binary_work work = {state, tn_data(call->inputs[0]), tn_data(call->inputs[1]),
                        tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), state->grain, run_range, &work);
    return TN_OK;
}

static tn_status prepare_binary(tn_prepare_call *call, binary_function function) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    compute_type type = compute_type_of(dtype);
    if (binary_rows[function][type] == NULL) {
        type = COMPUTE_F64;
    }
    const int64_t count = tn_element_count(call->outputs[0]);
    binary_state state = {
        .walk = plan_rows(call->inputs, 2, call->outputs[0]),
        .is_whole = {tn_element_count(call->inputs[0]) == count,
                     tn_element_count(call->inputs[1]) == count},
        .row = binary_rows[function][type],
        .load = find_load(dtype, type),
        .store = find_store(type, dtype),
        .element_size = TN_DTYPE_SIZE(dtype),
        .grain = binary_grain(function),
        .is_product = function == BINARY_multiply,
    };
    state.gathers = state.walk.outer.rank > 0 && state.walk.row_length < SHORT_ROW;
    return keep_state(call, &state, sizeof state);
}

#define DEFINE_PREPARE_BINARY(FUNCTION)                                                            \
    tn_status prepare_binary_##FUNCTION(tn_prepare_call *call) {                                   \
        return prepare_binary(call, BINARY_##FUNCTION);                                            \
    }
BINARY_ARITHMETIC_FUNCTIONS(DEFINE_PREPARE_BINARY)
BINARY_REAL_FUNCTIONS(DEFINE_PREPARE_BINARY)
