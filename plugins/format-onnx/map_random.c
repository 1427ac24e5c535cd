/* Numbers at random. */
#include "families.h"

const struct onnx_mapping random_mappings[] = {
    {"Bernoulli", 15, onnx_same, NULL, 1},
    {"Multinomial", 7, onnx_same, NULL, 1},
    {"RandomNormal", 1, onnx_same, NULL, 0},
    {"RandomNormalLike", 1, onnx_same, NULL, 1},
    {"RandomUniform", 1, onnx_same, NULL, 0},
    {"RandomUniformLike", 1, onnx_same, NULL, 1},
    {0},
};
