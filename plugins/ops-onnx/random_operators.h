/* Tensors of numbers at random: X(operator, name). */
#ifndef OPS_ONNX_RANDOM_OPERATORS_H
#define OPS_ONNX_RANDOM_OPERATORS_H

#include <tenon/plugin.h>

#define RANDOM_OPERATORS(X)                                                                        \
    X(bernoulli, "onnx.Bernoulli")                                                                 \
    X(multinomial, "onnx.Multinomial")                                                             \
    X(random_normal, "onnx.RandomNormal")                                                          \
    X(random_normal_like, "onnx.RandomNormalLike")                                                 \
    X(random_uniform, "onnx.RandomUniform")                                                        \
    X(random_uniform_like, "onnx.RandomUniformLike")

#endif
