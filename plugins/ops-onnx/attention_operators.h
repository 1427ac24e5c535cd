/* Attention: X(operator, name). */
#ifndef OPS_ONNX_ATTENTION_OPERATORS_H
#define OPS_ONNX_ATTENTION_OPERATORS_H

#include <tenon/plugin.h>

#define ATTENTION_OPERATORS(X)                                                                     \
    X(attention, "onnx.Attention")                                                                 \
    X(linear_attention, "onnx.LinearAttention")                                                    \
    X(rotary_embedding, "onnx.RotaryEmbedding")

#endif
