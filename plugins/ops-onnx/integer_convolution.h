/* What ConvInteger and QLinearConv have in common. */
#ifndef OPS_ONNX_INTEGER_CONVOLUTION_H
#define OPS_ONNX_INTEGER_CONVOLUTION_H

#include "window.h"

typedef struct integer_convolution_attributes {
    window_attributes window;
    int64_t group;
} integer_convolution_attributes;

/* Where the operators have their tensors; -1: not. */
typedef struct integer_convolution_inputs {
    int32_t data, data_scale, data_zero, weight, weight_scale, weight_zero, scale, zero, bias;
} integer_convolution_inputs;

extern const integer_convolution_inputs conv_integer_inputs, qlinear_conv_inputs;

#endif
