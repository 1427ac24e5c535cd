/* Normalisation, and the softmax of lines. */
#include "families.h"

/* Older operator sets take the axis and all behind it as one. */
static tn_status flattened(struct onnx_node *node) {
    char op[64];
    int64_t axis;
    tn_value data;
    snprintf(op, sizeof op, "onnx.%s", node->mapping->op);
    TN_TRY(onnx_int(node, "axis", 1, &axis));
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", axis);
    onnx_option_text(&options, "flatten", "True");
    return onnx_finish(node, op, &options, &data, 1);
}

/* One axis: the tuned operators have it so. */
static tn_status along_axis(struct onnx_node *node) {
    int64_t axis;
    tn_value data;
    TN_TRY(onnx_int(node, "axis", -1, &axis));
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", axis);
    return onnx_finish(node, node->mapping->target, &options, &data, 1);
}

/* Before operator set 21 scale and bias have an element for each group. */
static tn_status group_normalization_18(struct onnx_node *node) {
    double epsilon;
    int64_t groups;
    tn_value inputs[3];
    TN_TRY(onnx_float(node, "epsilon", 1e-5, &epsilon));
    TN_TRY(onnx_int(node, "num_groups", 1, &groups));
    TN_TRY(onnx_inputs(node, inputs, 3));
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "epsilon", epsilon);
    onnx_option_int(&options, "num_groups", groups);
    onnx_option_text(&options, "factors_of_groups", "True");
    return onnx_finish(node, "onnx.GroupNormalization", &options, inputs, 3);
}

/* BatchNorm is the tuned operator: its statistics are parameters of the graph. */
static tn_status batch_normalization(struct onnx_node *node) {
    double epsilon;
    tn_value inputs[5];
    onnx_ignore(node, "spatial");
    onnx_ignore(node, "consumed_inputs");
    onnx_ignore(node, "is_test");
    int is_plain = !onnx_has_output(node, 1) && !onnx_has_attribute(node, "training_mode");
    for (uint32_t i = 1; i < 5; i++) {
        const tn_view *view = onnx_constant(node, i);
        is_plain &= view != NULL && view->dtype == TN_F32;
    }
    if (!is_plain) {
        return onnx_same(node);
    }
    onnx_ignore(node, "momentum");
    TN_TRY(onnx_float(node, "epsilon", 1e-5, &epsilon));
    TN_TRY(onnx_inputs(node, inputs, 5));
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "eps", epsilon);
    onnx_option_text(&options, "fix_gamma", "False");
    return onnx_finish(node, "BatchNorm", &options, inputs, 5);
}

/* (x - mean) / (deviation + 1e-9) over some axes, as the standard's function has it. */
static tn_status mean_variance_normalization(struct onnx_node *node) {
    static const int64_t usual[] = {0, 2, 3};
    const int64_t *axes;
    uint32_t count;
    tn_value pair[2], squares, mean_of_squares;
    TN_TRY(onnx_input(node, 0, &pair[0]));
    TN_TRY(onnx_ints(node, "axes", &axes, &count));
    axes = count > 0 ? axes : usual;
    const int64_t extent = count > 0 ? count : 3;
    tn_value reduced[2] = {pair[0], {0}};
    TN_TRY(onnx_add_constant(node, TN_I64, 1, &extent, axes, &reduced[1]));
    TN_TRY(onnx_add(node, "onnx.ReduceMean", NULL, reduced, 2, &pair[1]));
    TN_TRY(onnx_add(node, "broadcast_sub", NULL, pair, 2, &pair[0]));
    TN_TRY(onnx_add(node, "square", NULL, pair, 1, &squares));
    reduced[0] = squares;
    TN_TRY(onnx_add(node, "onnx.ReduceMean", NULL, reduced, 2, &mean_of_squares));
    TN_TRY(onnx_add(node, "sqrt", NULL, &mean_of_squares, 1, &pair[1]));
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "scalar", 1e-9);
    TN_TRY(onnx_add(node, "_plus_scalar", &options, &pair[1], 1, &pair[1]));
    return onnx_finish(node, "broadcast_div", NULL, pair, 2);
}

static tn_status instance_normalization_1(struct onnx_node *node) {
    onnx_ignore(node, "consumed_inputs");
    return onnx_same(node);
}

static tn_status lrn(struct onnx_node *node) {
    double alpha, beta, bias;
    int64_t size;
    tn_value data;
    TN_TRY(onnx_float(node, "alpha", 1e-4, &alpha));
    TN_TRY(onnx_float(node, "beta", 0.75, &beta));
    TN_TRY(onnx_float(node, "bias", 1, &bias));
    TN_TRY(onnx_int(node, "size", 1, &size));
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "alpha", alpha);
    onnx_option_float(&options, "beta", beta);
    onnx_option_float(&options, "knorm", bias);
    onnx_option_int(&options, "nsize", size);
    return onnx_finish(node, "LRN", &options, &data, 1);
}

/* The loss of the logarithm of the softmax, which is an output too. */
static tn_status softmax_cross_entropy_loss(struct onnx_node *node) {
    int64_t ignored;
    char reduction[16];
    tn_value inputs[3], logarithms;
    const int ignores = onnx_has_attribute(node, "ignore_index");
    TN_TRY(onnx_int(node, "ignore_index", 0, &ignored));
    TN_TRY(onnx_text(node, "reduction", "mean", reduction, sizeof reduction));
    TN_TRY(onnx_inputs(node, inputs, 3));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", 1);
    TN_TRY(onnx_add(node, "onnx.LogSoftmax", &options, inputs, 1, &logarithms));
    TN_TRY(onnx_set_output(node, 1, logarithms));
    inputs[0] = logarithms;
    options = onnx_options(node);
    onnx_option_text(&options, "reduction", reduction);
    if (ignores) {
        onnx_option_int(&options, "ignore_index", ignored);
    }
    return onnx_finish(node, "onnx.NegativeLogLikelihoodLoss", &options, inputs, 3);
}

const struct onnx_mapping normalisation_mappings[] = {
    {"BatchNormalization", 1, batch_normalization, NULL, 5},
    {"GroupNormalization", 18, group_normalization_18, NULL, 0},
    {"GroupNormalization", 21, onnx_same, NULL, 3},
    {"InstanceNormalization", 1, instance_normalization_1, NULL, 3},
    {"InstanceNormalization", 6, onnx_same, NULL, 3},
    {"LayerNormalization", 17, onnx_same, NULL, 3},
    {"LogSoftmax", 1, flattened, NULL, 0},
    {"LogSoftmax", 13, along_axis, "log_softmax", 0},
    {"LpNormalization", 1, onnx_same, NULL, 1},
    {"LRN", 1, lrn, NULL, 1},
    {"MeanVarianceNormalization", 9, mean_variance_normalization, NULL, 0},
    {"NegativeLogLikelihoodLoss", 12, onnx_same, NULL, 3},
    {"RMSNormalization", 23, onnx_same, NULL, 2},
    {"Softmax", 1, flattened, NULL, 0},
    {"Softmax", 13, along_axis, "softmax", 0},
    {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy_loss, NULL, 0},
    {0},
};
