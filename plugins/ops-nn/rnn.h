/* What the parts of the operator RNN share: attributes and sizes. */
#ifndef OPS_NN_RNN_H
#define OPS_NN_RNN_H

#include <tenon/plugin.h>

#define RNN_MODES "gru|lstm|rnn_relu|rnn_tanh"

enum { RNN_GRU, RNN_LSTM, RNN_RELU, RNN_TANH };

typedef struct rnn_attributes {
    int64_t state_size;
    int64_t num_layers;
    int32_t bidirectional;
    int32_t mode;
    double p;
    int32_t state_outputs;
    int64_t projection_size;
    double lstm_state_clip_min;
    double lstm_state_clip_max;
    int32_t lstm_state_clip_nan;
    int32_t use_sequence_length;
} rnn_attributes;

enum { RNN_DATA, RNN_PARAMETERS, RNN_STATE, RNN_STATE_CELL };

static inline int rnn_clips_state(const rnn_attributes *given) {
    return given->lstm_state_clip_min == given->lstm_state_clip_min;
}

/* The index of the input sequence_length, which follows the states. */
static inline uint32_t rnn_length_input(const rnn_attributes *given) {
    return given->mode == RNN_LSTM ? RNN_STATE_CELL + 1 : RNN_STATE + 1;
}

static inline int64_t rnn_directions(const rnn_attributes *given) {
    return given->bidirectional ? 2 : 1;
}

/* The layers of one direction after another, as the states have them. */
static inline int64_t rnn_state_count(const rnn_attributes *given) {
    return given->num_layers * rnn_directions(given);
}

/* How many vectors of the state's size a cell computes from its inputs. */
static inline int64_t rnn_gate_count(const rnn_attributes *given) {
    switch (given->mode) {
    case RNN_LSTM: return 4;
    case RNN_GRU: return 3;
    default: return 1;
    }
}

#endif
