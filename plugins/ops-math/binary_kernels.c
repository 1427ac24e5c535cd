#include "binary_kernels.h"

#include "rows.h"
#include "state.h"

typedef struct binary_state {
    row_walk walk;
    int32_t gathers; /* whether the rows are short */
    int32_t is_product;
    int32_t is_whole[WALK_OPERANDS]; /* whether the operand is not stretched at all */
    binary_row row;
    convert_function loads[WALK_OPERANDS]; /* NULL: the memory holds the compute type */
    convert_function store;
    size_t sizes[WALK_OPERANDS]; /* bytes of an operand's element */
    size_t output_size;
    int64_t grain;
} binary_state;

typedef struct binary_work {
    const binary_state *state;
    const char *left;
    const char *right;
    char *output;
} binary_work;

/* A block of an operand as the compute type holds it, loaded into `buffer` if need be. A constant
 * operand, with step 0, is loaded with the first block. */
static const void *load_operand(const binary_state *state, int operand, const char *elements,
                                int64_t step, int64_t begin, int64_t count, compute_block *buffer) {
    const char *first = elements + (size_t)(begin * step) * state->sizes[operand];
    if (state->loads[operand] == NULL) {
        return first;
    }
    if (step == 1 || begin == 0) {
        state->loads[operand](first, buffer, step == 1 ? count : 1);
    }
    return buffer;
}

/* A row by way of the compute type, in blocks. */
static void run_converted_row(const binary_state *state, const char *left, int64_t left_step,
                              const char *right, int64_t right_step, char *output, int64_t count) {
    compute_block lefts, rights, outputs;
    for (int64_t begin = 0; begin < count; begin += BLOCK_LENGTH) {
        const int64_t block = smaller(count - begin, BLOCK_LENGTH);
        char *target = output + (size_t)begin * state->output_size;
        void *results = state->store != NULL ? (void *)&outputs : target;
        state->row(load_operand(state, 0, left, left_step, begin, block, &lefts), left_step,
                   load_operand(state, 1, right, right_step, begin, block, &rights), right_step,
                   results, block);
        if (state->store != NULL) {
            state->store(&outputs, target, block);
        }
    }
}

static void run_row(const binary_state *state, const char *left, int64_t left_step,
                    const char *right, int64_t right_step, char *output, int64_t count) {
    if (state->loads[0] == NULL && state->loads[1] == NULL && state->store == NULL) {
        state->row(left, left_step, right, right_step, output, count);
    } else {
        run_converted_row(state, left, left_step, right, right_step, output, count);
    }
}

static void run_walked_row(void *context, int64_t begin, int64_t count,
                           const int64_t offsets[WALK_OPERANDS]) {
    const binary_work *work = context;
    const binary_state *state = work->state;
    run_row(state, work->left + (size_t)offsets[0] * state->sizes[0], state->walk.steps[0],
            work->right + (size_t)offsets[1] * state->sizes[1], state->walk.steps[1],
            work->output + (size_t)begin * state->output_size, count);
}

/* A block of one operand, in its own memory or gathered into `buffer`. */
static const char *gather_operand(const binary_state *state, int operand, const char *elements,
                                  int64_t begin, int64_t count, compute_block *buffer) {
    if (state->is_whole[operand]) {
        return elements + (size_t)begin * state->sizes[operand];
    }
    gather_rows(&state->walk, operand, elements, state->sizes[operand], begin, count,
                (char *)buffer);
    return (const char *)buffer;
}

static void run_short_rows(const binary_work *work, int64_t begin, int64_t end) {
    const binary_state *state = work->state;
    compute_block left_buffer, right_buffer;
    for (; begin < end; begin += BLOCK_LENGTH) {
        const int64_t count = smaller(end - begin, BLOCK_LENGTH);
        const char *left = gather_operand(state, 0, work->left, begin, count, &left_buffer);
        const char *right = gather_operand(state, 1, work->right, begin, count, &right_buffer);
        char *output = work->output + (size_t)begin * state->output_size;
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

/* What both operands are computed in: what holds both. */
static compute_type common_type(tn_dtype left, tn_dtype right) {
    const compute_type first = compute_type_of(left), second = compute_type_of(right);
    return first == second ? first : COMPUTE_F64;
}

tn_status prepare_binary(tn_prepare_call *call, binary_function function) {
    const tn_dtype dtypes[WALK_OPERANDS] = {call->inputs[0]->dtype, call->inputs[1]->dtype};
    const tn_dtype output = call->outputs[0]->dtype;
    compute_type type = common_type(dtypes[0], dtypes[1]);
    if (binary_rows[function][type] == NULL) {
        type = COMPUTE_F64;
    }
    const int64_t count = tn_element_count(call->outputs[0]);
    binary_state state = {
        .walk = plan_rows(call->inputs, 2, call->outputs[0]),
        .row = binary_rows[function][type],
        .store = find_store(type, output),
        .output_size = TN_DTYPE_SIZE(output),
        .grain = binary_grain(function),
        .is_product = function == BINARY_multiply,
    };
    for (int operand = 0; operand < WALK_OPERANDS; operand++) {
        state.is_whole[operand] = tn_element_count(call->inputs[operand]) == count;
        state.loads[operand] = find_load(dtypes[operand], type);
        state.sizes[operand] = TN_DTYPE_SIZE(dtypes[operand]);
    }
    state.gathers = state.walk.outer.rank > 0 && state.walk.row_length < SHORT_ROW;
    return keep_state(call, &state, sizeof state);
}

#define DEFINE_PREPARE_BINARY(FUNCTION)                                                            \
    tn_status prepare_binary_##FUNCTION(tn_prepare_call *call) {                                   \
        return prepare_binary(call, BINARY_##FUNCTION);                                            \
    }
BINARY_ARITHMETIC_FUNCTIONS(DEFINE_PREPARE_BINARY)
BINARY_INTEGER_FUNCTIONS(DEFINE_PREPARE_BINARY)
BINARY_REAL_FUNCTIONS(DEFINE_PREPARE_BINARY)
