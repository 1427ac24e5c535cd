/* The operator RNN; its kernel is in rnn_kernel.c. */
#include "rnn.h"

#include "description.h"
#include "infer.h"
#include "operators_more.h"
#include "rnn_parameters.h"

static const tn_attribute attributes[] = {
    TN_FIELD(rnn_attributes, state_size, INT, NULL, "[1,4294967295]",
             "The elements of a layer's state."),
    TN_FIELD(rnn_attributes, num_layers, INT, NULL, "[1,4294967295]",
             "How many layers are stacked."),
    TN_FIELD(rnn_attributes, bidirectional, BOOL, "False", NULL,
             "Each layer runs over the steps in both directions, and the results are joined."),
    TN_FIELD_CHOICE(rnn_attributes, mode, NULL, RNN_MODES, "The kind of cell."),
    TN_FIELD(rnn_attributes, p, FLOAT, "0", "[0,1]",
             "The share of elements between layers that training sets to zero."),
    TN_FIELD(rnn_attributes, state_outputs, BOOL, "False", NULL,
             "Gives the states after the last step as outputs too."),
    TN_FIELD_OR_NONE(rnn_attributes, projection_size, INT, "None", NULL,
                     "The size that an LSTM's output is projected to; not supported."),
    TN_FIELD_OR_NONE(rnn_attributes, lstm_state_clip_min, FLOAT, "None", NULL,
                     "The least that an LSTM's cell state may become; needs the largest too."),
    TN_FIELD_OR_NONE(rnn_attributes, lstm_state_clip_max, FLOAT, "None", NULL,
                     "The largest that an LSTM's cell state may become; needs the least too."),
    TN_FIELD(rnn_attributes, lstm_state_clip_nan, BOOL, "False", NULL,
             "Where cell states are bounded, turns NaN into the least."),
    TN_FIELD(rnn_attributes, use_sequence_length, BOOL, "False", NULL,
             "Takes the input sequence_length, which says how many steps of each sequence count: "
             "the output of the others is 0, and the states stay as they are."),
};

static const char *const input_names[] = {"data", "parameters", "state", "state_cell",
                                          "sequence_length"};
static const char *const output_names[] = {"output", "state_output", "statecell_output"};

static tn_status check_attributes(const tn_host *host, const rnn_attributes *given) {
    if (given->projection_size != TN_NONE) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "projection_size=%lld, but projections are not supported",
                       (long long)given->projection_size);
    }
    const double least = given->lstm_state_clip_min;
    const double largest = given->lstm_state_clip_max;
    if ((least == least) != (largest == largest)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "lstm_state_clip_min and lstm_state_clip_max must be given together");
    }
    if (rnn_clips_state(given) && given->mode != RNN_LSTM) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "lstm_state_clip_min and lstm_state_clip_max are for mode=lstm only");
    }
    if (least > largest) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "lstm_state_clip_min=%g is above lstm_state_clip_max=%g", least, largest);
    }
    return TN_OK;
}

static tn_status arity(tn_arity_call *call) {
    const rnn_attributes *given = call->attributes;
    TN_TRY(check_attributes(call->host, given));
    call->input_count = rnn_length_input(given) + (given->use_sequence_length ? 1 : 0);
    call->output_count = given->state_outputs ? rnn_length_input(given) - RNN_STATE + 1 : 1;
    return TN_OK;
}

/* All have one dtype but for the lengths, which are counts. */
static tn_status infer_dtypes(tn_infer_call *call) {
    const uint32_t length_input = rnn_length_input(call->attributes);
    tn_infer_call floating = *call;
    floating.input_count = length_input < call->input_count ? length_input : call->input_count;
    return tn_infer_one_dtype(&floating);
}

/* data (steps, batch, features), output (steps, batch, directions * state_size). */
static tn_status infer_sequences(tn_infer_call *call) {
    const rnn_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[RNN_DATA].shape;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape fact = tn_shape_of_rank(3);
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    fact.extents[2] = given->state_size * rnn_directions(given);
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    TN_TRY(infer_same_extent(call->host, "the number of steps in data", &data->extents[0],
                             "that in output", &output->extents[0]));
    return infer_same_extent(call->host, "the batch of data", &data->extents[1], "that of output",
                             &output->extents[1]);
}

/* States (layers * directions, batch, state_size), lengths (batch). */
static tn_status infer_states(tn_infer_call *call) {
    const rnn_attributes *given = call->attributes;
    const uint32_t length_input = rnn_length_input(given);
    int64_t *batch = &call->inputs[RNN_DATA].shape.extents[1];
    tn_shape state = tn_shape_of_rank(3);
    state.extents[0] = rnn_state_count(given);
    state.extents[2] = given->state_size;
    for (uint32_t i = RNN_STATE; i < length_input; i++) {
        state.extents[1] = *batch;
        TN_TRY(tn_infer_shape(call->host, input_names[i], &call->inputs[i].shape, &state));
        *batch = call->inputs[i].shape.extents[1];
    }
    state.extents[1] = *batch;
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, output_names[i], &call->outputs[i].shape, &state));
    }
    if (!given->use_sequence_length) {
        return TN_OK;
    }
    const tn_shape lengths = tn_shape_of(1, batch);
    return tn_infer_shape(call->host, "sequence_length", &call->inputs[length_input].shape,
                          &lengths);
}

static tn_status infer(tn_infer_call *call) {
    TN_TRY(infer_dtypes(call));
    TN_TRY(infer_sequences(call));
    TN_TRY(infer_states(call));
    tn_shape parameters = tn_shape_of_rank(1);
    TN_TRY(rnn_parameter_count(call->host, call->attributes,
                               call->inputs[RNN_DATA].shape.extents[2], parameters.extents));
    return tn_infer_shape(call->host, "parameters", &call->inputs[RNN_PARAMETERS].shape,
                          &parameters);
}

const tn_op rnn_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Runs a batch of sequences through stacked recurrent layers. The parameters are one "
           "vector: for each layer and direction the weights of the input and of the state, gate "
           "by gate (lstm: input, forget, candidate, output; gru: reset, update, candidate), then "
           "in the same order the biases of both.",
    OP_ATTRIBUTES(attributes, rnn_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};
