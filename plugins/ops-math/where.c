#include "where.h"

#include "element.h"
#include "state.h"

enum { CONDITION, CHOSEN, OTHER };

static const char *const input_names[] = {"condition", "x", "y"};
static const char *const output_names[] = {"output"};

enum { DATA_COUNT = 3 };
static const char *const data_names[DATA_COUNT] = {"x", "y", "output"};

/* A condition of rank 1 chooses whole rows of tensors of a higher rank; any other has the shape of
 * the data. */
static tn_status infer_condition(tn_infer_call *call, tn_tensor_type *const data[DATA_COUNT]) {
    tn_shape *condition = &call->inputs[CONDITION].shape;
    const tn_shape *shape = &data[0]->shape;
    if (condition->rank == 1 && shape->rank > 1) {
        const tn_shape rows = tn_shape_of(1, shape->extents);
        return tn_infer_shape(call->host, "condition", condition, &rows);
    }
    if (condition->rank < 0 || shape->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_infer_shape(call->host, "condition", condition, shape));
    for (int i = 0; i < DATA_COUNT; i++) {
        TN_TRY(tn_infer_shape(call->host, data_names[i], &data[i]->shape, condition));
    }
    return TN_OK;
}

static tn_status infer_where(tn_infer_call *call) {
    tn_tensor_type *const data[DATA_COUNT] = {&call->inputs[CHOSEN], &call->inputs[OTHER],
                                              &call->outputs[0]};
    /* Once around to gather what is known, and on to hand it out. */
    for (int step = 0; step < DATA_COUNT + 1; step++) {
        const tn_tensor_type *from = data[step % DATA_COUNT];
        const int next = (step + 1) % DATA_COUNT;
        const char *name = data_names[next];
        TN_TRY(tn_infer_dtype(call->host, name, &data[next]->dtype, from->dtype));
        TN_TRY(tn_infer_shape(call->host, name, &data[next]->shape, &from->shape));
    }
    return infer_condition(call, data);
}

/* output[i] = flags[i] ? chosen[i] : other[i]. Either may be the output's memory. */
typedef void (*choose_function)(const uint8_t *flags, const void *chosen, const void *other,
                                void *output, int64_t count);

#define DEFINE_CHOOSE(NAME, TYPE)                                                                  \
    static void choose_##NAME(const uint8_t *flags, const void *chosen, const void *other,         \
                              void *output, int64_t count) {                                       \
        const TYPE *xs = chosen;                                                                   \
        const TYPE *ys = other;                                                                    \
        TYPE *outputs = output;                                                                    \
        INDEPENDENT_ITERATIONS                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const TYPE x = xs[i];                                                                  \
            const TYPE y = ys[i];                                                                  \
            outputs[i] = flags[i] ? x : y;                                                         \
        }                                                                                          \
    }
DEFINE_CHOOSE(f32, float)
DEFINE_CHOOSE(f64, double)
DEFINE_CHOOSE(u8, uint8_t)
DEFINE_CHOOSE(u16, uint16_t)
DEFINE_CHOOSE(u32, uint32_t)
DEFINE_CHOOSE(u64, uint64_t)

static choose_function find_choose(tn_dtype dtype) {
    if (dtype == TN_F32 || dtype == TN_F64) {
        return dtype == TN_F32 ? choose_f32 : choose_f64;
    }
    switch (TN_DTYPE_SIZE(dtype)) {
    case 1: return choose_u8;
    case 2: return choose_u16;
    case 4: return choose_u32;
    default: return choose_u64;
    }
}

typedef struct where_state {
    convert_function load; /* NULL: the condition has a compute type already */
    convert_function is_true;
    size_t condition_size;
    size_t choice_size;     /* bytes that one element of the condition decides about */
    choose_function choose; /* NULL: they are rows */
    int64_t grain;
} where_state;

typedef struct where_work {
    const where_state *state;
    const char *condition;
    const char *chosen;
    const char *other;
    char *output;
} where_work;

tn_status prepare_where(tn_prepare_call *call) {
    const tn_view *condition = call->inputs[CONDITION];
    const tn_view *output = call->outputs[0];
    const compute_type type = compute_type_of(condition->dtype);
    const size_t size = TN_DTYPE_SIZE(output->dtype);
    const int has_rows = condition->rank < output->rank;
    const int64_t row = has_rows ? tn_extent_product(output->shape, 1, output->rank) : 1;
    const where_state state = {
        .load = find_load(condition->dtype, type),
        .is_true = find_store(type, TN_BOOL),
        .condition_size = TN_DTYPE_SIZE(condition->dtype),
        .choice_size = (size_t)row * size,
        .choose = has_rows ? NULL : find_choose(output->dtype),
        .grain = 1 + 32768 / (row > 0 ? row : 1),
    };
    return keep_state(call, &state, sizeof state);
}

static void load_flags(const where_state *state, const void *condition, uint8_t *flags,
                       int64_t count) {
    compute_block loaded;
    if (state->load != NULL) {
        state->load(condition, &loaded, count);
        condition = &loaded;
    }
    state->is_true(condition, flags, count);
}

static void choose_rows(const uint8_t *flags, const char *chosen, const char *other, char *output,
                        int64_t count, size_t size) {
    for (int64_t i = 0; i < count; i++) {
        const size_t offset = (size_t)i * size;
        memmove(output + offset, (flags[i] ? chosen : other) + offset, size);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const where_work *work = context;
    const where_state *state = work->state;
    uint8_t flags[BLOCK_LENGTH];
    for (; begin < end; begin += BLOCK_LENGTH) {
        const int64_t count = smaller(end - begin, BLOCK_LENGTH);
        const size_t offset = (size_t)begin * state->choice_size;
        const char *chosen = work->chosen + offset;
        const char *other = work->other + offset;
        char *output = work->output + offset;
        load_flags(state, work->condition + (size_t)begin * state->condition_size, flags, count);
        if (state->choose != NULL) {
            state->choose(flags, chosen, other, output, count);
        } else {
            choose_rows(flags, chosen, other, output, count, state->choice_size);
        }
    }
}

tn_status where_run(const tn_run_call *call) {
    const where_state *state = call->state;
    where_work work = {state, tn_data(call->inputs[CONDITION]), tn_data(call->inputs[CHOSEN]),
                       tn_data(call->inputs[OTHER]), tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->inputs[CONDITION]), state->grain, run_range,
                    &work);
    return TN_OK;
}

const tn_op where_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Takes each element from x where the condition is not 0, and from y where it is. A "
           "condition with one axis chooses between whole rows of x and y.",
    .input_names = input_names,
    .output_names = output_names,
    .input_name_count = 3,
    .output_name_count = 1,
    .infer = infer_where,
};
