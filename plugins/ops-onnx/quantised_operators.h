/* Quantised numbers: X(operator, name). */
#ifndef OPS_ONNX_QUANTISED_OPERATORS_H
#define OPS_ONNX_QUANTISED_OPERATORS_H

#include <tenon/plugin.h>

#define QUANTISED_OPERATORS(X)                                                                     \
    X(quantize_linear, "onnx.QuantizeLinear")                                                      \
    X(dequantize_linear, "onnx.DequantizeLinear")                                                  \
    X(dynamic_quantize_linear, "onnx.DynamicQuantizeLinear")                                       \
    X(matmul_integer, "onnx.MatMulInteger")                                                        \
    X(qlinear_matmul, "onnx.QLinearMatMul")                                                        \
    X(conv_integer, "onnx.ConvInteger")                                                            \
    X(qlinear_conv, "onnx.QLinearConv")

#endif
