#include "reduction_kernel.h"

#include <math.h>

#include "rows.h"
#include "state.h"

/* Two nested walks: the outer one over the output, the inner one over what each part of it is
 * folded from. Where the data's innermost axis is reduced, a part is one output element, folded
 * from whole rows of data; elsewhere it is a row of output elements, folded from equal rows. */
typedef struct fold_state {
    row_walk outputs;
    axis_list rows;     /* the reduced axes, without the innermost axis of the data */
    int64_t row_count;  /* steps of that walk */
    int64_t row_length; /* when rows are folded into one element, otherwise 0 */
    int64_t reduced_count;
    int32_t folds_rows;
    reduction_finish finish;
    fold fold;
    compute_type accumulator;
    convert_function load;
    convert_function store;
    size_t data_size; /* bytes of an element */
    size_t output_size;
    int64_t grain;
} fold_state;

typedef struct fold_work {
    const fold_state *state;
    const char *data;
    char *output;
} fold_work;

static void fold_elements(const fold_state *state, const char *data, int64_t count,
                          compute_block *accumulators) {
    void (*take)(void *, const void *, int64_t) =
        state->folds_rows ? state->fold.into_one : state->fold.into_each;
    if (state->load == NULL) {
        take(accumulators, data, count);
        return;
    }
    compute_block loaded;
    for (int64_t begin = 0; begin < count; begin += BLOCK_LENGTH) {
        const int64_t block = smaller(count - begin, BLOCK_LENGTH);
        state->load(data + (size_t)begin * state->data_size, &loaded, block);
        take(accumulators, &loaded, block);
    }
}

static void start_accumulators(const fold_state *state, compute_block *accumulators,
                               int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        switch (state->accumulator) {
        case COMPUTE_F64: accumulators->f64[i] = state->fold.start.f64; break;
        case COMPUTE_U64: accumulators->u64[i] = state->fold.start.u64; break;
        default: accumulators->i64[i] = state->fold.start.i64; break;
        }
    }
}

/* The mean of no integers is 0. */
static void divide_accumulators(const fold_state *state, compute_block *accumulators,
                                int64_t count) {
    const int64_t divisor = state->reduced_count > 0 ? state->reduced_count : 1;
    for (int64_t i = 0; i < count; i++) {
        switch (state->accumulator) {
        case COMPUTE_F64: accumulators->f64[i] /= (double)state->reduced_count; break;
        case COMPUTE_U64: accumulators->u64[i] /= (uint64_t)divisor; break;
        default: accumulators->i64[i] /= divisor; break;
        }
    }
}

static void finish_accumulators(const fold_state *state, compute_block *accumulators,
                                int64_t count) {
    if (state->finish == FINISH_MEAN) {
        divide_accumulators(state, accumulators, count);
    } else if (state->finish == FINISH_SQUARE_ROOT) {
        for (int64_t i = 0; i < count; i++) {
            accumulators->f64[i] = sqrt(accumulators->f64[i]);
        }
    } else if (state->finish == FINISH_LOGARITHM) {
        for (int64_t i = 0; i < count; i++) {
            accumulators->f64[i] = log(accumulators->f64[i]);
        }
    }
}

/* At most one block of output elements. */
static void fold_block(const fold_state *state, const char *data, char *output, int64_t count) {
    compute_block accumulators;
    axis_position position = {{0}, {0}};
    start_accumulators(state, &accumulators, count);
    for (int64_t row = 0; row < state->row_count; row++) {
        fold_elements(state, data + (size_t)position.offsets[0] * state->data_size,
                      state->folds_rows ? state->row_length : count, &accumulators);
        advance_position(&state->rows, &position);
    }
    finish_accumulators(state, &accumulators, count);
    if (state->store != NULL) {
        state->store(&accumulators, output, count);
    } else {
        memcpy(output, &accumulators, (size_t)count * state->output_size);
    }
}

static void fold_row(void *context, int64_t begin, int64_t count,
                     const int64_t offsets[WALK_OPERANDS]) {
    const fold_work *work = context;
    const fold_state *state = work->state;
    const char *data = work->data + (size_t)offsets[0] * state->data_size;
    char *output = work->output + (size_t)begin * state->output_size;
    for (int64_t done = 0; done < count; done += BLOCK_LENGTH) {
        fold_block(state, data + (size_t)done * state->data_size,
                   output + (size_t)done * state->output_size, smaller(count - done, BLOCK_LENGTH));
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const fold_work *work = context;
    walk_rows(&work->state->outputs, begin, end, fold_row, context);
}

static void run_fold(const tn_run_call *call, const fold_state *state) {
    fold_work work = {state, tn_data(call->inputs[0]), tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), state->grain, run_range, &work);
}

tn_status fold_run(const tn_run_call *call) {
    run_fold(call, call->state);
    return TN_OK;
}

/* Sorts the axes into the two walks and takes the innermost one out of its walk as the row. */
static void plan_walks(fold_state *state, const tn_view *data, const reduced_axes *axes) {
    axis_list kept = {.rank = 0};
    int32_t innermost_is_reduced = 1;
    state->reduced_count = 1;
    for (int32_t axis = 0; axis < data->rank; axis++) {
        const int64_t stride = tn_extent_product(data->shape, axis + 1, data->rank);
        const int64_t strides[WALK_OPERANDS] = {stride, 0};
        append_axis(axes->is_reduced[axis] ? &state->rows : &kept, data->shape[axis], strides);
        if (axes->is_reduced[axis]) {
            state->reduced_count *= data->shape[axis];
        }
        if (data->shape[axis] != 1) {
            innermost_is_reduced = axes->is_reduced[axis];
        }
    }
    state->folds_rows = innermost_is_reduced;
    state->outputs = (row_walk){.row_length = 1, .steps = {1, 0}};
    if (!innermost_is_reduced) {
        state->outputs.row_length = kept.extents[--kept.rank];
        state->row_count = state->reduced_count;
    } else {
        state->row_length = state->rows.rank > 0 ? state->rows.extents[--state->rows.rank] : 1;
        state->row_count = state->row_length > 0 ? state->reduced_count / state->row_length : 0;
    }
    state->outputs.outer = kept;
}

/* An output element for each thread is too little where elements share cache lines of data. */
static int64_t fold_grain(const fold_state *state) {
    const int64_t outputs = 1 + 65536 / (state->reduced_count > 0 ? state->reduced_count : 1);
    const int64_t least = state->folds_rows ? 1 : 64;
    return outputs > least ? outputs : least;
}

/* What the maximum or minimum of nothing is among the data's own numbers, where those that are
 * accumulated reach further. */
static void narrow_start(compute_value *start, fold_kind kind, tn_dtype dtype) {
    const int32_t bits = 8 * (int32_t)TN_DTYPE_SIZE(dtype);
    const int is_highest = kind == FOLD_minimum;
    if ((kind != FOLD_maximum && kind != FOLD_minimum) || bits == 64) {
        return;
    }
    switch (dtype) {
    case TN_I8:
    case TN_I16:
    case TN_I32:
        start->i64 = is_highest ? ((int64_t)1 << (bits - 1)) - 1 : -((int64_t)1 << (bits - 1));
        break;
    case TN_U8:
    case TN_U16:
    case TN_U32: start->i64 = is_highest ? ((int64_t)1 << bits) - 1 : 0; break;
    case TN_BOOL: start->i64 = is_highest; break;
    default: break;
    }
}

static fold_state plan_fold(const tn_view *input, const tn_view *result, const reduced_axes *axes,
                            fold_kind kind, reduction_finish finish) {
    const tn_dtype data = input->dtype;
    const tn_dtype output = result->dtype;
    compute_type type = compute_type_of(data);
    if (folds[kind][type].into_one == NULL || finish == FINISH_LOGARITHM) {
        type = type == COMPUTE_F32 ? COMPUTE_F32 : COMPUTE_F64;
    }
    fold_state state = {
        .finish = finish,
        .fold = folds[kind][type],
        .accumulator = accumulator_type(type),
        .load = find_load(data, type),
        .store = find_store(accumulator_type(type), output),
        .data_size = TN_DTYPE_SIZE(data),
        .output_size = TN_DTYPE_SIZE(output),
    };
    narrow_start(&state.fold.start, kind, data);
    plan_walks(&state, input, axes);
    state.grain = fold_grain(&state);
    return state;
}

tn_status prepare_fold(tn_prepare_call *call, const reduced_axes *axes, fold_kind kind,
                       reduction_finish finish) {
    const fold_state state = plan_fold(call->inputs[0], call->outputs[0], axes, kind, finish);
    return keep_state(call, &state, sizeof state);
}

void run_unprepared_fold(const tn_run_call *call, const reduced_axes *axes, fold_kind kind,
                         reduction_finish finish) {
    const fold_state state = plan_fold(call->inputs[0], call->outputs[0], axes, kind, finish);
    run_fold(call, &state);
}
