/* Elements named by indices, and what runs along an axis. */
#include "families.h"

/* What older operator sets flatten: the axis and all behind it. */
static tn_status hardmax_1(struct onnx_node *node) {
    int64_t axis;
    tn_value data;
    TN_TRY(onnx_int(node, "axis", 1, &axis));
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", axis);
    onnx_option_text(&options, "flatten", "True");
    return onnx_finish(node, "onnx.Hardmax", &options, &data, 1);
}

const struct onnx_mapping index_mappings[] = {
    {"ArgMax", 1, onnx_same, NULL, 1},
    {"ArgMin", 1, onnx_same, NULL, 1},
    {"Compress", 9, onnx_same, NULL, 2},
    {"CumProd", 26, onnx_same, NULL, 2},
    {"CumSum", 11, onnx_same, NULL, 2},
    {"Einsum", 12, onnx_same, NULL, 0},
    {"Gather", 1, onnx_same, NULL, 2},
    {"GatherElements", 11, onnx_same, NULL, 2},
    {"GatherND", 11, onnx_same, NULL, 2},
    {"Hardmax", 1, hardmax_1, NULL, 0},
    {"Hardmax", 13, onnx_same, NULL, 1},
    {"NonMaxSuppression", 10, onnx_same, NULL, 5},
    {"NonZero", 9, onnx_same, NULL, 1},
    {"Scatter", 9, onnx_same, "onnx.ScatterElements", 3},
    {"ScatterElements", 11, onnx_same, NULL, 3},
    {"ScatterND", 11, onnx_same, NULL, 3},
    {"TensorScatter", 24, onnx_same, NULL, 3},
    {"TopK", 1, onnx_same, NULL, 2},
    {"Unique", 11, onnx_same, NULL, 1},
    {0},
};
