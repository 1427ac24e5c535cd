/* Products of matrices, and attention. */
#include "families.h"

static tn_status gemm(struct onnx_node *node) {
    onnx_ignore(node, "broadcast"); /* of old operator sets: C is stretched in any case */
    return onnx_same(node);
}

const struct onnx_mapping matrix_mappings[] = {
    {"Attention", 23, onnx_same, NULL, 7},
    {"Det", 11, onnx_same, NULL, 1},
    {"Gemm", 1, gemm, NULL, 3},
    {"LinearAttention", 27, onnx_same, NULL, 6},
    {"MatMul", 1, onnx_same, NULL, 2},
    {"RotaryEmbedding", 23, onnx_same, NULL, 4},
    {0},
};
