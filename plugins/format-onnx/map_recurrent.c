/* Recurrent layers. */
#include "families.h"

/* In old operator sets a flag says which outputs there are, which their names say too. */
static tn_status recurrent(struct onnx_node *node) {
    onnx_ignore(node, "output_sequence");
    return onnx_same(node);
}

const struct onnx_mapping recurrent_mappings[] = {
    {"GRU", 1, recurrent, NULL, 6},
    {"LSTM", 1, recurrent, NULL, 8},
    {"RNN", 1, recurrent, NULL, 6},
    {0},
};
