#include "rnn_parameters.h"

#include "size.h"

/* The rows of all matrices of a layer and direction. */
static int64_t row_count(const rnn_attributes *given) {
    return rnn_gate_count(given) * given->state_size;
}

int64_t rnn_layer_features(const rnn_attributes *given, int64_t layer, int64_t features) {
    return layer == 0 ? features : given->state_size * rnn_directions(given);
}

tn_status rnn_parameter_count(const tn_host *host, const rnn_attributes *given, int64_t features,
                              int64_t *out_count) {
    *out_count = TN_UNKNOWN;
    if (features < 0) {
        return TN_OK;
    }
    /* A row has weights for the layer's features, weights for its state and two biases. */
    const uint64_t state_part = (uint64_t)given->state_size + 2;
    const uint64_t first_row = size_add((uint64_t)features, state_part);
    const uint64_t other_row = (uint64_t)rnn_layer_features(given, 1, features) + state_part;
    const uint64_t rows_length =
        size_add(first_row, size_multiply((uint64_t)given->num_layers - 1, other_row));
    const uint64_t count = size_multiply(
        size_multiply((uint64_t)row_count(given), (uint64_t)rnn_directions(given)), rows_length);
    if (count > INT64_MAX) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "state_size=%lld and num_layers=%lld make too many parameters",
                       (long long)given->state_size, (long long)given->num_layers);
    }
    *out_count = (int64_t)count;
    return TN_OK;
}

/* The weights of all layers before `layer`. */
static int64_t weights_before(const rnn_attributes *given, int64_t features, int64_t layer) {
    if (layer == 0) {
        return 0;
    }
    const int64_t first_row = features + given->state_size;
    const int64_t other_row = rnn_layer_features(given, 1, features) + given->state_size;
    return row_count(given) * rnn_directions(given) * (first_row + (layer - 1) * other_row);
}

rnn_parameters rnn_parameters_of(const rnn_attributes *given, int64_t features, int64_t layer,
                                 int64_t direction) {
    const int64_t rows = row_count(given);
    const int64_t layer_features = rnn_layer_features(given, layer, features);
    const int64_t index = layer * rnn_directions(given) + direction;
    rnn_parameters parameters;
    parameters.input_weights = weights_before(given, features, layer) +
                               direction * rows * (layer_features + given->state_size);
    parameters.state_weights = parameters.input_weights + rows * layer_features;
    parameters.input_biases = weights_before(given, features, given->num_layers) + 2 * index * rows;
    parameters.state_biases = parameters.input_biases + rows;
    return parameters;
}
