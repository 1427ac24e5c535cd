/*
 * LSTM, GRU and RNN of ONNX. What the inputs of all steps add to the gates is one matrix product,
 * what the state adds is another one for each step. All is computed in float32: a float16 node's
 * inputs are widened first, and its outputs narrowed at the end.
 */
#include "dense/product.h"
#include "entries_onnx.h"
#include "recurrent_activations.h"

enum { SEQUENCE, WEIGHTS, RECURRENCE, BIASES, LENGTHS, FIRST_STATE, FIRST_CELL, PEEPHOLES, INPUTS };
enum { CELL_RNN, CELL_GRU, CELL_LSTM, CELL_GRU_RESET, CELL_GRU_CANDIDATE };
enum { DIRECTION_FORWARD, DIRECTION_REVERSE, DIRECTION_BIDIRECTIONAL };
enum { MAX_FUNCTIONS = 3 };

typedef struct recurrent_attributes {
    const char *activations;
    tn_floats activation_alpha;
    tn_floats activation_beta;
    double clip; /* NaN: none */
    int32_t direction;
    int32_t layout;
    int32_t linear_before_reset;
    int32_t input_forget;
} recurrent_attributes;

#define RECURRENT_FIELDS                                                                           \
    TN_FIELD(recurrent_attributes, activations, STRING, "", NULL, "The activations."),             \
        TN_FIELD(recurrent_attributes, activation_alpha, FLOATS, "()", NULL, "Their alphas."),     \
        TN_FIELD(recurrent_attributes, activation_beta, FLOATS, "()", NULL, "Their betas."),       \
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

static uint32_t functions_of(uint32_t cell) {
    return cell == CELL_LSTM ? 3 : cell == CELL_GRU ? 2 : 1;
}

static int32_t find_activations(const recurrent_attributes *given, uint32_t cell,
                                recurrent_activation *activations) {
    static const char *const usual[] = {"Tanh|Tanh", "Sigmoid|Tanh|Sigmoid|Tanh",
                                        "Sigmoid|Tanh|Tanh|Sigmoid|Tanh|Tanh"};
    const uint32_t directions = given->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    return recurrent_activations(given->activations, usual[cell], &given->activation_alpha,
                                 &given->activation_beta, directions * functions_of(cell),
                                 activations);
}

/* A node with more launches than this is better off where steps cost less. */
#define MOST_STEPS 16384

static int32_t supports(const tn_kernel_query *query, uint32_t cell) {
    const recurrent_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[SEQUENCE].shape;
    const int64_t hidden = query->inputs[RECURRENCE].shape.extents[2];
    recurrent_activation activations[2 * MAX_FUNCTIONS];
    for (uint32_t i = 0; i < query->input_count; i++) {
        const tn_dtype dtype = query->inputs[i].dtype;
        if (dtype != 0 && dtype != (i == LENGTHS ? TN_I32 : query->inputs[SEQUENCE].dtype)) {
            return 0;
        }
    }
    return is_float_dtype(query->inputs[SEQUENCE].dtype) && supports_sizes(query) &&
           find_activations(given, cell, activations) &&
           data->extents[given->layout] <= MOST_STEPS && data->extents[2] <= PRODUCT_MAX_TERMS &&
           hidden <= PRODUCT_MAX_TERMS &&
           data->extents[0] * data->extents[1] < MAX_ELEMENTS / (gates_of(cell) * (hidden + 1));
}

typedef struct recurrent_build {
    device_program *program;
    const tn_prepare_call *call;
    const recurrent_attributes *given;
    uint32_t cell;
    int64_t steps, batch, features, hidden, directions, gates;
    recurrent_activation activations[2 * MAX_FUNCTIONS];
    program_binding inputs[INPUTS]; /* in float32; of no bytes when absent */
    program_binding outputs[3];     /* likewise */
    program_binding input_gates, state_gates, state, cells;
    /* What goes through the weights behind the reset gate, and what comes out. */
    program_binding reset_state, candidates;
} recurrent_build;

static program_binding reserve_floats(device_program *program, int64_t count) {
    return program_reserve(program, (uint64_t)larger(1, count) * sizeof(float));
}

/* Elements of one floating type as another. */
static void add_conversion(device_program *program, const shader_code *shader, program_binding from,
                           program_binding to, int64_t count) {
    const struct {
        uint32_t count;
        uint32_t first;
        uint32_t to_first;
    } push = {(uint32_t)count, 0, 0};
    program_add(program, &(program_launch){.shader = shader,
                                           .invocations = push.count,
                                           .bindings = {from, to},
                                           PROGRAM_PUSH(push)});
}

static void bind_all(recurrent_build *build) {
    const tn_prepare_call *call = build->call;
    const program_binding none = {0, 0, 0, 0};
    for (uint32_t i = 0; i < INPUTS; i++) {
        build->inputs[i] = i < call->input_count ? bind_input_or(call, i, none) : none;
        if (build->inputs[i].size > 0 && call->inputs[i]->dtype == TN_F16) {
            const int64_t count = tn_element_count(call->inputs[i]);
            const program_binding half = build->inputs[i];
            build->inputs[i] = reserve_floats(build->program, count);
            add_conversion(build->program, &shader_widen, half, build->inputs[i], count);
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        build->outputs[i] =
            call->outputs[i]->dtype == TN_F32
                ? bind_output(call, i)
                : reserve_floats(build->program, tn_element_count(call->outputs[i]));
    }
}

static void narrow_outputs(const recurrent_build *build) {
    for (uint32_t i = 0; i < build->call->output_count; i++) {
        if (build->call->outputs[i]->dtype == TN_F16) {
            add_conversion(build->program, &shader_narrow, build->outputs[i],
                           bind_output(build->call, i), tn_element_count(build->call->outputs[i]));
        }
    }
}

/* Where a direction's states are in a tensor of states, and from sample to sample. */
typedef struct state_place {
    uint32_t first, step;
} state_place;

static state_place place_of_states(const recurrent_build *build, int64_t direction) {
    return build->given->layout
               ? (state_place){(uint32_t)(direction * build->hidden),
                               (uint32_t)(build->directions * build->hidden)}
               : (state_place){(uint32_t)(direction * build->batch * build->hidden),
                               (uint32_t)build->hidden};
}

static void add_rows(const recurrent_build *build, program_binding from, state_place from_place,
                     program_binding to, state_place to_place) {
    const struct {
        uint32_t count, width;
        state_place from, to;
    } push = {(uint32_t)(build->batch * build->hidden), (uint32_t)build->hidden, from_place,
              to_place};
    program_add(build->program, &(program_launch){.shader = &shader_copy_rows,
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
    if (build->inputs[input].size > 0) {
        add_rows(build, build->inputs[input], place_of_states(build, direction), state,
                 (state_place){0, (uint32_t)build->hidden});
    } else {
        program_add(build->program, &(program_launch){.shader = &shader_fill_f32,
                                                      .invocations = push.count,
                                                      .bindings = {state},
                                                      PROGRAM_PUSH(push)});
    }
}

/* Some of a direction's gates: from number `first` on, so many rows of the weights. */
typedef struct gate_range {
    int64_t first, count;
} gate_range;

/* Rows of `left` times the transposed weights of a direction, with half of its biases. */
static void add_gates(const recurrent_build *build, program_binding left, int64_t rows,
                      int64_t terms, uint32_t weights, int64_t direction, gate_range range,
                      program_binding result) {
    const int is_recurrence = weights == RECURRENCE;
    add_product(build->program,
                &(matrix_product){.dtype = TN_F32,
                                  .left = left,
                                  .right = build->inputs[weights],
                                  .bias = build->inputs[BIASES],
                                  .result = result,
                                  .rows = rows,
                                  .columns = range.count,
                                  .terms = terms,
                                  .batches = 1,
                                  .left_stride = terms,
                                  .left_term_stride = 1,
                                  .right_stride = terms,
                                  .right_term_stride = 1,
                                  .right_first = (direction * build->gates + range.first) * terms,
                                  .bias_first = (2 * direction + is_recurrence) * build->gates +
                                                range.first});
}

static void add_cell(const recurrent_build *build, uint32_t cell, int64_t direction, int64_t step,
                     program_binding cells) {
    const recurrent_attributes *given = build->given;
    const int has_peepholes = build->cell == CELL_LSTM && build->inputs[PEEPHOLES].size > 0;
    const int has_lengths = build->inputs[LENGTHS].size > 0;
    const int64_t gates = build->gates, hidden = build->hidden;
    const recurrent_activation *own = build->activations + direction * functions_of(build->cell);
    const recurrent_activation last = own[functions_of(build->cell) - 1];
    const recurrent_activation second = functions_of(build->cell) > 1 ? own[1] : last;
    const struct {
        uint32_t batch, size;
        uint32_t first_gate, gate_step;
        uint32_t first_output, output_step;
        uint32_t first_peephole;
        uint32_t step;
    } push = {(uint32_t)build->batch,
              (uint32_t)hidden,
              (uint32_t)(given->layout ? step * gates : step * build->batch * gates),
              (uint32_t)(given->layout ? build->steps * gates : gates),
              (uint32_t)((step * build->directions + direction) *
                         (given->layout ? hidden : build->batch * hidden)),
              (uint32_t)(given->layout ? build->steps * build->directions * hidden : hidden),
              (uint32_t)(direction * 3 * hidden),
              (uint32_t)step};
    const tn_specialization constants[] = {
        {0, cell},
        {1, (uint32_t)has_peepholes},
        {2, (uint32_t)has_lengths},
        {3, (uint32_t)given->input_forget},
        {4, given->clip == given->clip},
        {5, bits_of(given->clip == given->clip ? given->clip : 0)},
        {6, own[0].function},
        {7, second.function},
        {8, last.function},
        {9, bits_of((double)own[0].alpha)},
        {10, bits_of((double)second.alpha)},
        {11, bits_of((double)last.alpha)},
        {12, bits_of((double)own[0].beta)},
        {13, bits_of((double)second.beta)},
        {14, bits_of((double)last.beta)}};
    program_add(build->program,
                &(program_launch){
                    .shader = &shader_recurrent_cell,
                    .invocations = (uint64_t)(build->batch * hidden),
                    .bindings = {build->input_gates, build->state_gates, build->state, cells,
                                 has_peepholes ? build->inputs[PEEPHOLES] : build->input_gates,
                                 build->outputs[0],
                                 has_lengths ? build->inputs[LENGTHS] : build->input_gates},
                    PROGRAM_PUSH(push),
                    PROGRAM_CONSTANTS(constants)});
}

/* The reset gate acts in front of the weights: the candidate's gate waits for it. */
static void add_reset_first_step(const recurrent_build *build, int64_t direction, int64_t step) {
    const gate_range first = {0, 2 * build->hidden}, last = {2 * build->hidden, build->hidden};
    add_gates(build, build->state, build->batch, build->hidden, RECURRENCE, direction, first,
              build->state_gates);
    add_cell(build, CELL_GRU_RESET, direction, step, build->reset_state);
    add_gates(build, build->reset_state, build->batch, build->hidden, RECURRENCE, direction, last,
              build->candidates);
    add_cell(build, CELL_GRU_CANDIDATE, direction, step, build->candidates);
}

static void add_direction(const recurrent_build *build, int64_t direction) {
    const recurrent_attributes *given = build->given;
    const gate_range all = {0, build->gates};
    const int is_backwards = given->direction == DIRECTION_REVERSE || direction == 1;
    add_gates(build, build->inputs[SEQUENCE], build->steps * build->batch, build->features, WEIGHTS,
              direction, all, build->input_gates);
    begin_state(build, FIRST_STATE, direction, build->state);
    if (build->cell == CELL_LSTM) {
        begin_state(build, FIRST_CELL, direction, build->cells);
    }
    for (int64_t i = 0; i < build->steps; i++) {
        const int64_t step = is_backwards ? build->steps - 1 - i : i;
        if (build->cell == CELL_GRU && !given->linear_before_reset) {
            add_reset_first_step(build, direction, step);
        } else {
            add_gates(build, build->state, build->batch, build->hidden, RECURRENCE, direction, all,
                      build->state_gates);
            add_cell(build, build->cell, direction, step, build->cells);
        }
    }
    for (uint32_t i = 1; i < build->call->output_count; i++) {
        add_rows(build, i == 1 ? build->state : build->cells,
                 (state_place){0, (uint32_t)build->hidden}, build->outputs[i],
                 place_of_states(build, direction));
    }
}

static tn_status prepare(tn_prepare_call *call, uint32_t cell) {
    const recurrent_attributes *given = call->attributes;
    const tn_view *data = call->inputs[SEQUENCE];
    const int64_t hidden = call->inputs[RECURRENCE]->shape[2];
    recurrent_build build = {.call = call,
                             .given = given,
                             .cell = cell,
                             .steps = data->shape[given->layout],
                             .batch = data->shape[!given->layout],
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
    find_activations(given, cell, build.activations);
    bind_all(&build);
    build.input_gates = reserve_floats(build.program, build.steps * build.batch * build.gates);
    build.state_gates = reserve_floats(build.program, build.batch * build.gates);
    build.state = reserve_floats(build.program, build.batch * hidden);
    build.cells = reserve_floats(build.program, build.batch * hidden);
    build.reset_state = reserve_floats(build.program, build.batch * hidden);
    build.candidates = reserve_floats(build.program, build.batch * hidden);
    for (int64_t direction = 0; direction < build.directions; direction++) {
        add_direction(&build, direction);
    }
    narrow_outputs(&build);
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
