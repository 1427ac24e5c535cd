/* Attention: X(operator, name). */
#ifndef OPS_ONNX_ATTENTION_OPERATORS_H
#define OPS_ONNX_ATTENTION_OPERATORS_H

#include <tenon/plugin.h>

#define ATTENTION_OPERATORS(X)                                                                     \
    X(attention, "onnx.Attention")                                                                 \
    X(rotary_embedding, "onnx.RotaryEmbedding")

#endif
