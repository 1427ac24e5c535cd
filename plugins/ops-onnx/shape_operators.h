/* Operators that make shapes, or make other shapes of tensors: X(operator, name). */
#ifndef OPS_ONNX_SHAPE_OPERATORS_H
#define OPS_ONNX_SHAPE_OPERATORS_H

#include <tenon/plugin.h>

#define SHAPE_OPERATORS(X)                                                                         \
    X(align_axis, "onnx.AlignAxis")                                                                \
    X(bit_cast, "onnx.BitCast")                                                                    \
    X(reshape, "onnx.Reshape")                                                                     \
    X(shape, "onnx.Shape")                                                                         \
    X(size, "onnx.Size")

#endif
