/*
 * The vector of parameters of the operator RNN: weights, then biases. Both come layer by layer,
 * direction by direction, first those for the layer's input, then those for its state.
 */
#ifndef OPS_NN_RNN_PARAMETERS_H
#define OPS_NN_RNN_PARAMETERS_H

#include "rnn.h"

/* How many parameters there are for data with `features` features; TN_UNKNOWN when those are. */
tn_status rnn_parameter_count(const tn_host *host, const rnn_attributes *given, int64_t features,
                              int64_t *out_count);

/* The features that go into a layer. */
int64_t rnn_layer_features(const rnn_attributes *given, int64_t layer, int64_t features);

/* Where the parameters of one layer and direction begin. */
typedef struct rnn_parameters {
    int64_t input_weights; /* a matrix (gates * state_size, features of the layer) */
    int64_t state_weights; /* a matrix (gates * state_size, state_size) */
    int64_t input_biases;  /* gates * state_size */
    int64_t state_biases;
} rnn_parameters;

rnn_parameters rnn_parameters_of(const rnn_attributes *given, int64_t features, int64_t layer,
                                 int64_t direction);

#endif
