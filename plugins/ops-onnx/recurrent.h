/* Attributes, inputs and activations of RNN, GRU and LSTM. */
#ifndef OPS_ONNX_RECURRENT_H
#define OPS_ONNX_RECURRENT_H

#include <tenon/plugin.h>

enum { DIRECTION_FORWARD, DIRECTION_REVERSE, DIRECTION_BIDIRECTIONAL };

typedef struct recurrent_attributes {
    tn_floats activation_alpha;
    tn_floats activation_beta;
    const char *activations;
    double clip; /* NaN: none */
    int64_t hidden_size;
    int32_t direction;
    int32_t layout;
    int32_t linear_before_reset;
    int32_t input_forget;
} recurrent_attributes;

enum { SEQUENCE, WEIGHTS, RECURRENCE, BIASES, LENGTHS, FIRST_STATE, FIRST_CELL, PEEPHOLES };

typedef enum recurrent_cell { CELL_RNN, CELL_GRU, CELL_LSTM } recurrent_cell;

/* Gates, and activations for each direction. */
TN_INLINE_ int64_t cell_gates(recurrent_cell cell) {
    return cell == CELL_LSTM ? 4 : cell == CELL_GRU ? 3 : 1;
}
TN_INLINE_ int cell_activations(recurrent_cell cell) {
    return cell == CELL_LSTM ? 3 : cell == CELL_GRU ? 2 : 1;
}

enum {
    ACTIVATION_Affine,
    ACTIVATION_Elu,
    ACTIVATION_HardSigmoid,
    ACTIVATION_LeakyRelu,
    ACTIVATION_Relu,
    ACTIVATION_ScaledTanh,
    ACTIVATION_Sigmoid,
    ACTIVATION_Softplus,
    ACTIVATION_Softsign,
    ACTIVATION_Tanh,
    ACTIVATION_ThresholdedRelu,
    ACTIVATION_COUNT
};

typedef struct recurrent_activation {
    int32_t function;
    double alpha, beta;
} recurrent_activation;

enum { MAX_ACTIVATIONS = 6 };

/* Fills in the functions of all directions, the usual ones where none are named. */
tn_status find_activations(const tn_host *host, const recurrent_attributes *own,
                           recurrent_cell cell, recurrent_activation *out_activations);

double apply_activation(const recurrent_activation *activation, double x);

#endif
