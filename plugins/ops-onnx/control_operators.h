/* Operators that hold graphs: X(operator, name). */
#ifndef OPS_ONNX_CONTROL_OPERATORS_H
#define OPS_ONNX_CONTROL_OPERATORS_H

#include <tenon/plugin.h>

#define CONTROL_OPERATORS(X)                                                                       \
    X(if, "onnx.If")                                                                               \
    X(loop, "onnx.Loop")                                                                           \
    X(scan, "onnx.Scan")

#endif
