/* Reductions. */
#include "families.h"

const struct onnx_mapping reduction_mappings[] = {
    {"ReduceL1", 1, onnx_same, NULL, 2},
    {"ReduceL2", 1, onnx_same, NULL, 2},
    {"ReduceLogSum", 1, onnx_same, NULL, 2},
    {"ReduceLogSumExp", 1, onnx_same, NULL, 2},
    {"ReduceMax", 1, onnx_same, NULL, 2},
    {"ReduceMean", 1, onnx_same, NULL, 2},
    {"ReduceMin", 1, onnx_same, NULL, 2},
    {"ReduceProd", 1, onnx_same, NULL, 2},
    {"ReduceSum", 1, onnx_same, NULL, 2},
    {"ReduceSumSquare", 1, onnx_same, NULL, 2},
    {0},
};
