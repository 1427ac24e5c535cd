/* The operators RNN, GRU and LSTM. */
#include "recurrent.h"

#include "families.h"
#include "operator.h"
#include "shapes.h"

#define RECURRENT_FIELDS                                                                           \
    TN_FIELD(recurrent_attributes, activation_alpha, FLOATS, "()", NULL,                           \
             "The first parameters of the activations."),                                          \
        TN_FIELD(recurrent_attributes, activation_beta, FLOATS, "()", NULL,                        \
                 "The second parameters of the activations."),                                     \
        TN_FIELD(recurrent_attributes, activations, STRING, "", NULL,                              \
                 "The activations of each direction, separated by |; empty: the usual ones."),     \
        TN_FIELD_OR_NONE(recurrent_attributes, clip, FLOAT, "None", NULL,                          \
                         "Keeps what activations take within this; None: does not."),              \
        TN_FIELD(recurrent_attributes, hidden_size, INT, "0", "[0,2147483647]",                    \
                 "The size of the state; 0: as the weights have it."),                             \
        TN_FIELD_CHOICE(recurrent_attributes, direction, "forward",                                \
                        "forward|reverse|bidirectional", "Which way steps are gone through."),     \
        TN_FIELD(recurrent_attributes, layout, BOOL, "False", NULL,                                \
                 "Whether the samples of the batch come first, otherwise the steps.")

static const tn_attribute rnn_table[] = {RECURRENT_FIELDS};
static const tn_attribute gru_table[] = {
    RECURRENT_FIELDS,
    TN_FIELD(recurrent_attributes, linear_before_reset, BOOL, "False", NULL,
             "Whether the reset gate acts behind the recurrence weights, otherwise before."),
};
static const tn_attribute lstm_table[] = {
    RECURRENT_FIELDS,
    TN_FIELD(recurrent_attributes, input_forget, BOOL, "False", NULL,
             "Whether the forget gate is 1 less the input gate."),
};

static const char *const input_names[] = {"X",         "W",         "R", "B", "sequence_lens",
                                          "initial_h", "initial_c", "P"};
static const char *const output_names[] = {"Y", "Y_h", "Y_c"};
static const uint32_t optional[] = {BIASES, LENGTHS, FIRST_STATE, FIRST_CELL, PEEPHOLES};

/* A state of all directions and samples. */
static tn_shape state_shape(const recurrent_attributes *own, int64_t directions, int64_t batch,
                            int64_t hidden) {
    const int64_t extents[] = {own->layout ? batch : directions, own->layout ? directions : batch,
                               hidden};
    return tn_shape_of(3, extents);
}

static tn_status infer_parameters(tn_infer_call *call, int64_t gates, int64_t directions,
                                  int64_t features, int64_t hidden) {
    const int64_t rows = hidden < 0 ? TN_UNKNOWN : gates * hidden;
    const int64_t extents[][3] = {{directions, rows, features},
                                  {directions, rows, hidden},
                                  {directions, rows < 0 ? TN_UNKNOWN : 2 * rows, 0}};
    for (uint32_t i = WEIGHTS; i <= BIASES; i++) {
        const tn_shape shape = tn_shape_of(i == BIASES ? 2 : 3, extents[i - WEIGHTS]);
        if (i != BIASES || call->inputs[i].shape.rank >= 0) {
            TN_TRY(tn_infer_shape(call->host, "a parameter", &call->inputs[i].shape, &shape));
        }
    }
    return TN_OK;
}

static tn_status infer_states(tn_infer_call *call, const tn_shape *state, int64_t batch,
                              int64_t directions, int64_t hidden) {
    const tn_shape lengths = tn_shape_of(1, &batch);
    const int64_t extents[] = {directions, hidden < 0 ? TN_UNKNOWN : 3 * hidden};
    const tn_shape peepholes = tn_shape_of(2, extents);
    for (uint32_t i = LENGTHS; i < call->input_count; i++) {
        const tn_shape *expected = i == LENGTHS ? &lengths : i == PEEPHOLES ? &peepholes : state;
        if (call->inputs[i].shape.rank >= 0) {
            TN_TRY(tn_infer_shape(call->host, "an input", &call->inputs[i].shape, expected));
        }
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, "a state", &call->outputs[i].shape, state));
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call, recurrent_cell cell) {
    const recurrent_attributes *own = call->attributes;
    const int64_t directions = own->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    const tn_shape sequences = tn_shape_of_rank(3);
    const tn_shape *weights = &call->inputs[RECURRENCE].shape;
    recurrent_activation activations[MAX_ACTIVATIONS];
    TN_TRY(find_activations(call->host, own, cell, activations));
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(tn_infer_dtype(call->host, "an output", &call->outputs[i].dtype,
                              call->inputs[SEQUENCE].dtype));
    }
    TN_TRY(tn_infer_shape(call->host, "X", &call->inputs[SEQUENCE].shape, &sequences));
    const tn_shape *data = &call->inputs[SEQUENCE].shape;
    const int64_t steps = data->extents[own->layout], batch = data->extents[!own->layout];
    int64_t hidden = own->hidden_size > 0 ? own->hidden_size
                     : weights->rank == 3 ? weights->extents[2]
                                          : TN_UNKNOWN;
    TN_TRY(infer_parameters(call, cell_gates(cell), directions, data->extents[2], hidden));
    const tn_shape state = state_shape(own, directions, batch, hidden);
    TN_TRY(infer_states(call, &state, batch, directions, hidden));
    const int64_t extents[] = {own->layout ? batch : steps, own->layout ? steps : directions,
                               own->layout ? directions : batch, hidden};
    const tn_shape result = tn_shape_of(4, extents);
    return tn_infer_shape(call->host, "Y", &call->outputs[0].shape, &result);
}

static tn_status infer_rnn(tn_infer_call *call) {
    return infer(call, CELL_RNN);
}

static tn_status infer_gru(tn_infer_call *call) {
    return infer(call, CELL_GRU);
}

static tn_status infer_lstm(tn_infer_call *call) {
    return infer(call, CELL_LSTM);
}

/* RNN and GRU have neither a cell nor peepholes. */
#define RECURRENT_OP(DOC, TABLE, INPUT_COUNT, OUTPUT_COUNT, OPTIONAL_COUNT, INFER)                 \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(TABLE, recurrent_attributes),         \
        .input_names = input_names, .input_name_count = INPUT_COUNT, .output_names = output_names, \
        .output_name_count = OUTPUT_COUNT, .optional_inputs = optional,                            \
        .optional_input_count = OPTIONAL_COUNT, .infer = INFER                                     \
    }

const tn_op rnn_op = RECURRENT_OP(
    "A recurrent layer whose state is an activation of the step's input and the last state.",
    rnn_table, 6, 2, 3, infer_rnn);
const tn_op gru_op = RECURRENT_OP("A layer of gated recurrent units, with gates in the order "
                                  "update, reset, hidden.",
                                  gru_table, 6, 2, 3, infer_gru);
const tn_op lstm_op =
    RECURRENT_OP("A layer of long short-term memory, with gates in the order input, output, "
                 "forget, cell, and peepholes of the first three.",
                 lstm_table, 8, 3, 5, infer_lstm);
