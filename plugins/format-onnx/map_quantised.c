/* Quantised numbers. */
#include "families.h"

const struct onnx_mapping quantised_mappings[] = {
    {"ConvInteger", 10, onnx_same, NULL, 4},           {"DequantizeLinear", 10, onnx_same, NULL, 3},
    {"DynamicQuantizeLinear", 11, onnx_same, NULL, 1}, {"MatMulInteger", 10, onnx_same, NULL, 4},
    {"QLinearConv", 10, onnx_same, NULL, 9},           {"QLinearMatMul", 10, onnx_same, NULL, 8},
    {"QuantizeLinear", 10, onnx_same, NULL, 3},        {0},
};
