/* Recurrent layers: X(operator, name). */
#ifndef OPS_ONNX_RECURRENT_OPERATORS_H
#define OPS_ONNX_RECURRENT_OPERATORS_H

#include <tenon/plugin.h>

#define RECURRENT_OPERATORS(X)                                                                     \
    X(gru, "onnx.GRU")                                                                             \
    X(lstm, "onnx.LSTM")                                                                           \
    X(rnn, "onnx.RNN")

#endif
