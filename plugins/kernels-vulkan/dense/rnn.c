/*
 * RNN. The inputs of a layer are all there before it starts, so what they add to the gates of all
 * steps is one matrix product; what the state adds is another one for each step. float16 is widened
 * first and narrowed at the end.
 */
#include "entries_dense.h"
#include "product.h"

enum { RNN_GRU, RNN_LSTM, RNN_RELU, RNN_TANH };
enum { RNN_DATA, RNN_PARAMETERS, RNN_STATE, RNN_STATE_CELL };
enum { LENGTHS_NONE, LENGTHS_FLOATS, LENGTHS_INTEGERS };

typedef struct rnn_attributes {
    int64_t state_size;
    int64_t num_layers;
    int32_t bidirectional;
    int32_t mode;
    int32_t state_outputs;
    double lstm_state_clip_min;
    double lstm_state_clip_max;
    int32_t lstm_state_clip_nan;
    int32_t use_sequence_length;
} rnn_attributes;

static const tn_attribute rnn_fields[] = {
    TN_FIELD(rnn_attributes, state_size, INT, NULL, "[1,4294967295]", "A state's elements."),
    TN_FIELD(rnn_attributes, num_layers, INT, NULL, "[1,4294967295]", "The layers."),
    TN_FIELD(rnn_attributes, bidirectional, BOOL, "False", NULL, "Runs in both directions."),
    TN_FIELD_CHOICE(rnn_attributes, mode, NULL, "gru|lstm|rnn_relu|rnn_tanh", "The cell."),
    TN_FIELD(rnn_attributes, state_outputs, BOOL, "False", NULL, "Gives the last states."),
    TN_FIELD_OR_NONE(rnn_attributes, lstm_state_clip_min, FLOAT, "None", NULL, "Least cell state."),
    TN_FIELD_OR_NONE(rnn_attributes, lstm_state_clip_max, FLOAT, "None", NULL,
                     "Largest cell state."),
    TN_FIELD(rnn_attributes, lstm_state_clip_nan, BOOL, "False", NULL, "Turns NaN into the least."),
    TN_FIELD(rnn_attributes, use_sequence_length, BOOL, "False", NULL, "Takes lengths."),
};

static uint32_t length_input(const rnn_attributes *given) {
    return given->mode == RNN_LSTM ? RNN_STATE_CELL + 1 : RNN_STATE + 1;
}

static int64_t gate_count(const rnn_attributes *given) {
    switch (given->mode) {
    case RNN_LSTM: return 4;
    case RNN_GRU: return 3;
    default: return 1;
    }
}

static uint32_t lengths_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return LENGTHS_FLOATS;
    case TN_I32: return LENGTHS_INTEGERS;
    default: return LENGTHS_NONE;
    }
}

/* A node with more launches than this is better off where steps cost less. */
#define MOST_LAUNCHES ((int64_t)1 << 17)

static int32_t supports(const tn_kernel_query *query) {
    const rnn_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[RNN_DATA].shape;
    const int64_t directions = given->bidirectional ? 2 : 1;
    const int64_t gates = gate_count(given) * given->state_size;
    return supports_float_data(query) && given->state_size < MAX_ELEMENTS / 8 &&
           given->num_layers < MOST_LAUNCHES && data->extents[0] < MOST_LAUNCHES &&
           data->extents[0] * given->num_layers * directions < MOST_LAUNCHES &&
           data->extents[0] * data->extents[1] < MAX_ELEMENTS / gates &&
           data->extents[2] <= PRODUCT_MAX_TERMS &&
           (!given->use_sequence_length ||
            lengths_of(query->inputs[length_input(given)].dtype) != LENGTHS_NONE);
}

typedef struct rnn_build {
    device_program *program;
    const tn_prepare_call *call;
    const rnn_attributes *given;
    int64_t steps;
    int64_t batch;
    int64_t features; /* of data */
    int64_t directions;
    int64_t gates; /* elements in the gates of one step of one sequence */
    int is_half;
    program_binding parameters; /* floats, as all that follows */
    program_binding input_gates;
    program_binding state_gates;
    program_binding state;
    program_binding cell;
    program_binding outputs[2]; /* of even and odd layers */
} rnn_build;

/* Where the parameters of one layer and direction begin. */
typedef struct rnn_parameters {
    int64_t input_weights;
    int64_t state_weights;
    int64_t input_biases;
    int64_t state_biases;
} rnn_parameters;

static int64_t layer_features(const rnn_build *build, int64_t layer) {
    return layer == 0 ? build->features : build->given->state_size * build->directions;
}

/* The weights of all layers before `layer`. */
static int64_t weights_before(const rnn_build *build, int64_t layer) {
    const int64_t first_row = build->features + build->given->state_size;
    const int64_t other_row = build->given->state_size * (build->directions + 1);
    return layer == 0 ? 0
                      : build->gates * build->directions * (first_row + (layer - 1) * other_row);
}

/* Weights come first, biases behind; both layer by layer, direction by direction, those for the
 * layer's input before those for its state. */
static rnn_parameters parameters_of(const rnn_build *build, int64_t layer, int64_t direction) {
    const int64_t features = layer_features(build, layer);
    const int64_t index = layer * build->directions + direction;
    rnn_parameters found;
    found.input_weights = weights_before(build, layer) +
                          direction * build->gates * (features + build->given->state_size);
    found.state_weights = found.input_weights + build->gates * features;
    found.input_biases = weights_before(build, build->given->num_layers) + 2 * index * build->gates;
    found.state_biases = found.input_biases + build->gates;
    return found;
}

/* `count` elements between an input or output and floats in the workspace. */
static void add_move(const rnn_build *build, program_binding from, int64_t first,
                     program_binding to, int64_t to_first, int64_t count) {
    const struct {
        uint32_t count;
        uint32_t first;
        uint32_t to_first;
    } push = {(uint32_t)count, (uint32_t)first, (uint32_t)to_first};
    const shader_code *shader = &shader_copy_u32;
    if (build->is_half) {
        shader = to.kind == BOUND_WORKSPACE ? &shader_widen : &shader_narrow;
    }
    program_add(build->program, &(program_launch){.shader = shader,
                                                  .invocations = push.count,
                                                  .bindings = {from, to},
                                                  PROGRAM_PUSH(push)});
}

static program_binding reserve_floats(const rnn_build *build, int64_t count) {
    return program_reserve(build->program, (uint64_t)larger(1, count) * sizeof(float));
}

static program_binding as_floats(const rnn_build *build, uint32_t input) {
    const program_binding from = bind_input(build->call, input);
    if (!build->is_half || from.size == 0) {
        return from;
    }
    const int64_t count = tn_element_count(build->call->inputs[input]);
    const program_binding to = reserve_floats(build, count);
    add_move(build, from, 0, to, 0, count);
    return to;
}

/* The rows of `left` times a matrix of weights, with a column for each gate's element. */
static matrix_product gate_product(const rnn_build *build, program_binding left, int64_t rows,
                                   int64_t terms) {
    return (matrix_product){.dtype = TN_F32,
                            .left = left,
                            .right = build->parameters,
                            .bias = build->parameters,
                            .rows = rows,
                            .columns = build->gates,
                            .terms = terms,
                            .batches = 1,
                            .left_stride = terms,
                            .left_term_stride = 1,
                            .right_stride = terms,
                            .right_term_stride = 1};
}

/* As in rnn_cell.comp. */
typedef struct cell_push {
    uint32_t batch;
    uint32_t size;
    uint32_t first_gate;
    uint32_t first_output;
    uint32_t output_stride;
    uint32_t step;
    float least;
    float largest;
} cell_push;

static void add_cell(const rnn_build *build, int64_t direction, int64_t step,
                     program_binding outputs) {
    const rnn_attributes *given = build->given;
    const int64_t row_length = given->state_size * build->directions;
    const int64_t row = step * build->batch;
    const int clips = given->lstm_state_clip_min == given->lstm_state_clip_min;
    const uint32_t lengths = given->use_sequence_length
                                 ? lengths_of(build->call->inputs[length_input(given)]->dtype)
                                 : LENGTHS_NONE;
    const cell_push push = {.batch = (uint32_t)build->batch,
                            .size = (uint32_t)given->state_size,
                            .first_gate = (uint32_t)(row * build->gates),
                            .first_output =
                                (uint32_t)(row * row_length + direction * given->state_size),
                            .output_stride = (uint32_t)row_length,
                            .step = (uint32_t)step,
                            .least = clips ? (float)given->lstm_state_clip_min : 0,
                            .largest = clips ? (float)given->lstm_state_clip_max : 0};
    const tn_specialization constants[] = {{0, (uint32_t)given->mode},
                                           {1, (uint32_t)clips},
                                           {2, (uint32_t)given->lstm_state_clip_nan},
                                           {3, lengths}};
    program_add(build->program,
                &(program_launch){.shader = &shader_rnn_cell,
                                  .invocations = (uint64_t)(build->batch * given->state_size),
                                  .bindings = {build->input_gates, build->state_gates, build->state,
                                               build->cell, outputs,
                                               lengths != LENGTHS_NONE
                                                   ? bind_input(build->call, length_input(given))
                                                   : build->state_gates},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
}

static void add_layer(const rnn_build *build, int64_t layer, int64_t direction,
                      program_binding values, program_binding outputs) {
    const rnn_attributes *given = build->given;
    const rnn_parameters parameters = parameters_of(build, layer, direction);
    const int64_t state_count = build->batch * given->state_size;
    const int64_t state_first = (layer * build->directions + direction) * state_count;
    const int has_cell = given->mode == RNN_LSTM;
    matrix_product product =
        gate_product(build, values, build->steps * build->batch, layer_features(build, layer));
    product.right_first = parameters.input_weights;
    product.bias_first = parameters.input_biases;
    product.result = build->input_gates;
    add_product(build->program, &product);
    for (uint32_t i = 0; i < (has_cell ? 2u : 1u); i++) {
        add_move(build, bind_input(build->call, RNN_STATE + i), state_first,
                 i == 0 ? build->state : build->cell, 0, state_count);
    }
    product = gate_product(build, build->state, build->batch, given->state_size);
    product.right_first = parameters.state_weights;
    product.bias_first = parameters.state_biases;
    product.result = build->state_gates;
    for (int64_t i = 0; i < build->steps; i++) {
        add_product(build->program, &product);
        add_cell(build, direction, direction == 0 ? i : build->steps - 1 - i, outputs);
    }
    for (uint32_t i = 0; given->state_outputs && i < (has_cell ? 2u : 1u); i++) {
        add_move(build, i == 0 ? build->state : build->cell, 0, bind_output(build->call, 1 + i),
                 state_first, state_count);
    }
}

static void reserve_parts(rnn_build *build) {
    const int64_t rows = build->steps * build->batch;
    const int64_t state = build->batch * build->given->state_size;
    build->parameters = as_floats(build, RNN_PARAMETERS);
    build->input_gates = reserve_floats(build, rows * build->gates);
    build->state_gates = reserve_floats(build, build->batch * build->gates);
    build->state = reserve_floats(build, state);
    build->cell = reserve_floats(build, state);
    for (int i = 0; i < 2; i++) {
        build->outputs[i] =
            reserve_floats(build, rows * build->given->state_size * build->directions);
    }
}

static tn_status prepare(tn_prepare_call *call) {
    const rnn_attributes *given = call->attributes;
    const tn_view *data = call->inputs[RNN_DATA];
    rnn_build build = {.call = call,
                       .given = given,
                       .steps = data->shape[0],
                       .batch = data->shape[1],
                       .features = data->shape[2],
                       .directions = given->bidirectional ? 2 : 1,
                       .gates = gate_count(given) * given->state_size,
                       .is_half = data->dtype == TN_F16};
    TN_TRY(program_create(call, &build.program));
    if (build.batch == 0) {
        return program_finish(build.program, call);
    }
    reserve_parts(&build);
    program_binding values = as_floats(&build, RNN_DATA);
    for (int64_t layer = 0; layer < given->num_layers; layer++) {
        for (int64_t direction = 0; direction < build.directions; direction++) {
            add_layer(&build, layer, direction, values, build.outputs[layer % 2]);
        }
        values = build.outputs[layer % 2];
    }
    add_move(&build, values, 0, bind_output(call, 0), 0, tn_element_count(call->outputs[0]));
    return program_finish(build.program, call);
}

const tn_kernel rnn_kernel = {
    SPIRV_KERNEL("RNN", supports, prepare),
    KERNEL_ATTRIBUTES(rnn_fields, rnn_attributes),
};
