/*
 * LSTM, GRU and RNN of ONNX in float32, with the usual activations. What the inputs of all steps
 * add to the gates is one matrix product, what the state adds is another one for each step.
 */
#include "dense/product.h"
#include "entries_onnx.h"

enum { SEQUENCE, WEIGHTS, RECURRENCE, BIASES, LENGTHS, FIRST_STATE, FIRST_CELL, PEEPHOLES };
enum { CELL_RNN, CELL_GRU, CELL_LSTM };
enum { DIRECTION_FORWARD, DIRECTION_REVERSE, DIRECTION_BIDIRECTIONAL };

typedef struct recurrent_attributes {
    const char *activations;
    double clip; /* NaN: none */
    int32_t direction;
    int32_t layout;
    int32_t linear_before_reset;
    int32_t input_forget;
} recurrent_attributes;

#define RECURRENT_FIELDS                                                                           \
    TN_FIELD(recurrent_attributes, activations, STRING, "", NULL, "The activations."),             \
        TN_FIELD_OR_NONE(recurrent_attributes, clip, FLOAT, "None", NULL, "A bound."),             \
        TN_FIELD_CHOICE(recurrent_attributes, direction, "forward",                                \
                        "forward|reverse|bidirectional", "Which way."),                            \
        TN_FIELD(recurrent_attributes, layout, BOOL, "False", NULL, "Samples come first.")

static const tn_attribute rnn_table[] = {RECURRENT_FIELDS};
static const tn_attribute gru_table[] = {
    RECURRENT_FIELDS,
    TN_FIELD(recurrent_attributes, linear_before_reset, BOOL, "False", NULL,
             "Whether reset acts behind the weights."),
};
static const tn_attribute lstm_table[] = {
    RECURRENT_FIELDS,
    TN_FIELD(recurrent_attributes, input_forget, BOOL, "False", NULL, "Couples two gates."),
};

static int64_t gates_of(uint32_t cell) {
    return cell == CELL_LSTM ? 4 : cell == CELL_GRU ? 3 : 1;
}

/* A node with more launches than this is better off where steps cost less. */
#define MOST_STEPS 16384

static int32_t supports(const tn_kernel_query *query, uint32_t cell) {
    const recurrent_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[SEQUENCE].shape;
    const int64_t hidden = query->inputs[RECURRENCE].shape.extents[2];
    for (uint32_t i = 0; i < query->input_count; i++) {
        if (query->inputs[i].dtype != 0 && query->inputs[i].dtype != TN_F32) {
            return 0;
        }
    }
    return supports_sizes(query) && query->inputs[LENGTHS].dtype == 0 &&
           given->activations[0] == '\0' && given->clip != given->clip && !given->layout &&
           !given->input_forget && (cell != CELL_GRU || given->linear_before_reset) &&
           data->extents[0] <= MOST_STEPS && data->extents[2] <= PRODUCT_MAX_TERMS &&
           data->extents[0] * data->extents[1] < MAX_ELEMENTS / (gates_of(cell) * (hidden + 1));
}

typedef struct recurrent_build {
    device_program *program;
    const tn_prepare_call *call;
    uint32_t cell;
    int64_t steps, batch, features, hidden, directions, gates;
    program_binding input_gates, state_gates, state, cells;
} recurrent_build;

static const program_binding none = {0, 0, 0, 0};

static int has_input(const tn_prepare_call *call, uint32_t input) {
    return input < call->input_count && call->inputs[input] != NULL;
}

static void add_words(const recurrent_build *build, program_binding from, int64_t first,
                      program_binding to, int64_t to_first) {
    const struct {
        uint32_t count;
        uint32_t first;
        uint32_t to_first;
    } push = {(uint32_t)(build->batch * build->hidden), (uint32_t)first, (uint32_t)to_first};
    program_add(build->program, &(program_launch){.shader = &shader_copy_u32,
                                                  .invocations = push.count,
                                                  .bindings = {from, to},
                                                  PROGRAM_PUSH(push)});
}

/* A state before the first step: as given, or zeros. */
static void begin_state(const recurrent_build *build, uint32_t input, int64_t direction,
                        program_binding state) {
    const struct {
        uint32_t count;
        float value;
    } push = {(uint32_t)(build->batch * build->hidden), 0};
    if (has_input(build->call, input)) {
        add_words(build, bind_input(build->call, input), direction * build->batch * build->hidden,
                  state, 0);
    } else {
        program_add(build->program, &(program_launch){.shader = &shader_fill_f32,
                                                      .invocations = push.count,
                                                      .bindings = {state},
                                                      PROGRAM_PUSH(push)});
    }
}

/* Rows of `left` times the transposed weights of a direction, with half of its biases. */
static void add_gates(const recurrent_build *build, program_binding left, int64_t rows,
                      int64_t terms, uint32_t weights, int64_t direction, program_binding result) {
    const int is_recurrence = weights == RECURRENCE;
    add_product(build->program,
                &(matrix_product){.dtype = TN_F32,
                                  .left = left,
                                  .right = bind_input(build->call, weights),
                                  .bias = bind_input_or(build->call, BIASES, none),
                                  .result = result,
                                  .rows = rows,
                                  .columns = build->gates,
                                  .terms = terms,
                                  .batches = 1,
                                  .left_stride = terms,
                                  .left_term_stride = 1,
                                  .right_stride = terms,
                                  .right_term_stride = 1,
                                  .right_first = direction * build->gates * terms,
                                  .bias_first = (2 * direction + is_recurrence) * build->gates});
}

static void add_cell(const recurrent_build *build, int64_t direction, int64_t step) {
    const int64_t size = build->batch * build->hidden;
    const int has_peepholes = build->cell == CELL_LSTM && has_input(build->call, PEEPHOLES);
    const struct {
        uint32_t batch;
        uint32_t size;
        uint32_t first_gate;
        uint32_t first_output;
        uint32_t first_peephole;
    } push = {(uint32_t)build->batch, (uint32_t)build->hidden,
              (uint32_t)(step * build->batch * build->gates),
              (uint32_t)((step * build->directions + direction) * size),
              (uint32_t)(direction * 3 * build->hidden)};
    const tn_specialization constants[] = {{0, build->cell}, {1, (uint32_t)has_peepholes}};
    program_add(
        build->program,
        &(program_launch){
            .shader = &shader_recurrent_cell,
            .invocations = (uint64_t)size,
            .bindings = {build->input_gates, build->state_gates, build->state, build->cells,
                         has_peepholes ? bind_input(build->call, PEEPHOLES) : build->state_gates,
                         bind_output(build->call, 0)},
            PROGRAM_PUSH(push),
            PROGRAM_CONSTANTS(constants)});
}

static void add_direction(const recurrent_build *build, int64_t direction) {
    const recurrent_attributes *given = build->call->attributes;
    const int64_t size = build->batch * build->hidden;
    const int is_backwards = given->direction == DIRECTION_REVERSE || direction == 1;
    add_gates(build, bind_input(build->call, SEQUENCE), build->steps * build->batch,
              build->features, WEIGHTS, direction, build->input_gates);
    begin_state(build, FIRST_STATE, direction, build->state);
    if (build->cell == CELL_LSTM) {
        begin_state(build, FIRST_CELL, direction, build->cells);
    }
    for (int64_t i = 0; i < build->steps; i++) {
        add_gates(build, build->state, build->batch, build->hidden, RECURRENCE, direction,
                  build->state_gates);
        add_cell(build, direction, is_backwards ? build->steps - 1 - i : i);
    }
    for (uint32_t i = 1; i < build->call->output_count; i++) {
        add_words(build, i == 1 ? build->state : build->cells, 0, bind_output(build->call, i),
                  direction * size);
    }
}

static program_binding reserve_floats(device_program *program, int64_t count) {
    return program_reserve(program, (uint64_t)larger(1, count) * sizeof(float));
}

static tn_status prepare(tn_prepare_call *call, uint32_t cell) {
    const recurrent_attributes *given = call->attributes;
    const tn_view *data = call->inputs[SEQUENCE];
    const int64_t hidden = call->inputs[RECURRENCE]->shape[2];
    recurrent_build build = {.call = call,
                             .cell = cell,
                             .steps = data->shape[0],
                             .batch = data->shape[1],
                             .features = data->shape[2],
                             .hidden = hidden,
                             .directions = given->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1,
                             .gates = gates_of(cell) * hidden};
    TN_TRY(program_create(call, &build.program));
    if (build.batch * hidden == 0 || build.steps == 0 || build.features == 0) {
        program_fail(build.program,
                     tn_fail(call->host, TN_UNSUPPORTED,
                             "%s: sequences without elements are the CPU's", call->op));
        return program_finish(build.program, call);
    }
    build.input_gates = reserve_floats(build.program, build.steps * build.batch * build.gates);
    build.state_gates = reserve_floats(build.program, build.batch * build.gates);
    build.state = reserve_floats(build.program, build.batch * hidden);
    build.cells = reserve_floats(build.program, build.batch * hidden);
    for (int64_t direction = 0; direction < build.directions; direction++) {
        add_direction(&build, direction);
    }
    return program_finish(build.program, call);
}

#define RECURRENT_KERNEL(KERNEL, NAME, CELL, TABLE)                                                \
    static int32_t supports_##KERNEL(const tn_kernel_query *query) {                               \
        return supports(query, CELL);                                                              \
    }                                                                                              \
    static tn_status prepare_##KERNEL(tn_prepare_call *call) {                                     \
        return prepare(call, CELL);                                                                \
    }                                                                                              \
    const tn_kernel onnx_##KERNEL##_kernel = {                                                     \
        SPIRV_KERNEL("onnx." NAME, supports_##KERNEL, prepare_##KERNEL),                           \
        KERNEL_ATTRIBUTES(TABLE, recurrent_attributes),                                            \
    };
RECURRENT_KERNEL(rnn, "RNN", CELL_RNN, rnn_table)
RECURRENT_KERNEL(gru, "GRU", CELL_GRU, gru_table)
RECURRENT_KERNEL(lstm, "LSTM", CELL_LSTM, lstm_table)
