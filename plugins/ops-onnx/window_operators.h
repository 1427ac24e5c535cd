/* Windows that move over data: X(operator, name). */
#ifndef OPS_ONNX_WINDOW_OPERATORS_H
#define OPS_ONNX_WINDOW_OPERATORS_H

#include <tenon/plugin.h>

#define WINDOW_OPERATORS(X)                                                                        \
    X(conv, "onnx.Conv")                                                                           \
    X(conv_transpose, "onnx.ConvTranspose")                                                        \
    X(deform_conv, "onnx.DeformConv")                                                              \
    X(causal_conv, "onnx.CausalConvWithState")                                                     \
    X(max_pool, "onnx.MaxPool")                                                                    \
    X(average_pool, "onnx.AveragePool")                                                            \
    X(lp_pool, "onnx.LpPool")                                                                      \
    X(col_to_im, "onnx.Col2Im")                                                                    \
    X(max_unpool, "onnx.MaxUnpool")

#endif
