/* Element by element: arithmetic and functions of one number. */
#include <float.h>
#include <math.h>

#include "families.h"

/* `to` is called dtype; the others concern element types that there are not. */
static tn_status cast(struct onnx_node *node) {
    tn_dtype dtype;
    tn_value data;
    onnx_ignore(node, "saturate");
    onnx_ignore(node, "round_mode");
    TN_TRY(onnx_dtype(node, "to", &dtype));
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_text(&options, "dtype", tn_dtype_name(dtype));
    return onnx_finish(node, "Cast", &options, &data, 1);
}

/* Where the bounds contradict each other, the higher one holds. */
static tn_status finish_clip(struct onnx_node *node, tn_value data, double lowest, double highest) {
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "a_min", lowest < highest ? lowest : highest);
    onnx_option_float(&options, "a_max", highest);
    return onnx_finish(node, "clip", &options, &data, 1);
}

static tn_status clip_6(struct onnx_node *node) {
    double lowest, highest;
    tn_value data;
    onnx_ignore(node, "consumed_inputs");
    TN_TRY(onnx_float(node, "min", -FLT_MAX, &lowest));
    TN_TRY(onnx_float(node, "max", FLT_MAX, &highest));
    TN_TRY(onnx_input(node, 0, &data));
    return finish_clip(node, data, lowest, highest);
}

/* A bound that is a constant float; the other dtypes might not fit a float attribute. */
static int constant_bound(const struct onnx_node *node, uint32_t index, double absent,
                          double *out_bound) {
    const tn_view *view = onnx_constant(node, index);
    *out_bound = absent;
    if (!onnx_has_input(node, index)) {
        return 1;
    }
    if (view == NULL || view->dtype != TN_F32 || tn_element_count(view) != 1) {
        return 0;
    }
    *out_bound = (double)*(const float *)tn_data(view);
    return 1;
}

/* The bounds are inputs: the higher of the element and the lower bound, and the lower of that and
 * the higher one. */
static tn_status clip(struct onnx_node *node) {
    double lowest, highest;
    tn_value inputs[2], bound;
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    const int has_bound = onnx_has_input(node, 1) || onnx_has_input(node, 2);
    if (has_bound && constant_bound(node, 1, -INFINITY, &lowest) &&
        constant_bound(node, 2, INFINITY, &highest)) {
        return finish_clip(node, inputs[0], lowest, highest);
    }
    for (uint32_t i = 1; i <= 2; i++) {
        TN_TRY(onnx_optional_input(node, i, &bound));
        if (bound.node != TN_NO_NODE) {
            inputs[1] = bound;
            TN_TRY(onnx_add(node, i == 1 ? "broadcast_maximum" : "broadcast_minimum", NULL, inputs,
                            2, &inputs[0]));
        }
    }
    return has_bound ? onnx_set_output(node, 0, inputs[0])
                     : onnx_finish(node, "_copy", NULL, inputs, 1);
}

/* Any number of tensors, taken together two by two. */
static tn_status fold_inputs(struct onnx_node *node, const char *op, tn_value *out_value) {
    tn_value pair[2];
    onnx_ignore(node, "consumed_inputs");
    TN_TRY(onnx_input(node, 0, &pair[0]));
    if (onnx_input_count(node) == 1) {
        return onnx_add(node, "_copy", NULL, pair, 1, out_value);
    }
    for (uint32_t i = 1; i < onnx_input_count(node); i++) {
        TN_TRY(onnx_input(node, i, &pair[1]));
        TN_TRY(onnx_add(node, op, NULL, pair, 2, &pair[0]));
    }
    *out_value = pair[0];
    return TN_OK;
}

static tn_status maximum(struct onnx_node *node) {
    tn_value value;
    TN_TRY(fold_inputs(node, "broadcast_maximum", &value));
    return onnx_set_output(node, 0, value);
}

static tn_status minimum(struct onnx_node *node) {
    tn_value value;
    TN_TRY(fold_inputs(node, "broadcast_minimum", &value));
    return onnx_set_output(node, 0, value);
}

static tn_status sum(struct onnx_node *node) {
    tn_value value;
    TN_TRY(fold_inputs(node, "broadcast_add", &value));
    return onnx_set_output(node, 0, value);
}

static tn_status mean(struct onnx_node *node) {
    tn_value value;
    TN_TRY(fold_inputs(node, "broadcast_add", &value));
    struct onnx_options options = onnx_options(node);
    onnx_option_float(&options, "scalar", onnx_input_count(node));
    return onnx_finish(node, "_div_scalar", &options, &value, 1);
}

/* A square is a product; any other exponent is left to the function. */
static tn_status power(struct onnx_node *node) {
    const tn_view *exponent = onnx_constant(node, 1);
    tn_value data;
    if (exponent == NULL || exponent->rank != 0 || exponent->dtype != TN_F32 ||
        *(const float *)tn_data(exponent) != 2) {
        return onnx_same(node);
    }
    TN_TRY(onnx_input(node, 0, &data));
    return onnx_finish(node, "square", NULL, &data, 1);
}

/* Nothing is dropped where nothing is trained; in newer operator sets the run tells. */
static tn_status dropout(struct onnx_node *node) {
    tn_value data;
    onnx_ignore(node, "ratio");
    onnx_ignore(node, "is_test");
    onnx_ignore(node, "consumed_inputs");
    if (onnx_has_input(node, 2) || onnx_has_output(node, 1)) {
        return onnx_same(node);
    }
    onnx_ignore(node, "seed");
    TN_TRY(onnx_input(node, 0, &data));
    return onnx_finish(node, "_copy", NULL, &data, 1);
}

const struct onnx_mapping elementwise_mappings[] = {
    /* op, since, translate, target, inputs */
    {"Abs", 6, onnx_same, "abs", 1},
    {"Acos", 7, onnx_same, "arccos", 1},
    {"Acosh", 9, onnx_same, "arccosh", 1},
    {"Add", 7, onnx_same, "broadcast_add", 2},
    {"And", 7, onnx_same, NULL, 2},
    {"Asin", 7, onnx_same, "arcsin", 1},
    {"Asinh", 9, onnx_same, "arcsinh", 1},
    {"Atan", 7, onnx_same, "arctan", 1},
    {"Atanh", 9, onnx_same, "arctanh", 1},
    {"BitShift", 11, onnx_same, NULL, 2},
    {"BitwiseAnd", 18, onnx_same, NULL, 2},
    {"BitwiseNot", 18, onnx_same, NULL, 1},
    {"BitwiseOr", 18, onnx_same, NULL, 2},
    {"BitwiseXor", 18, onnx_same, NULL, 2},
    {"Cast", 6, cast, NULL, 0},
    {"CastLike", 15, onnx_same, NULL, 2},
    {"Ceil", 6, onnx_same, "ceil", 1},
    {"Celu", 12, onnx_same, NULL, 1},
    {"Clip", 1, clip_6, NULL, 0},
    {"Clip", 11, clip, NULL, 0},
    {"Cos", 7, onnx_same, "cos", 1},
    {"Cosh", 9, onnx_same, "cosh", 1},
    {"Div", 7, onnx_same, "broadcast_div", 2},
    {"Dropout", 1, dropout, NULL, 3},
    {"Elu", 6, onnx_same, NULL, 1},
    {"Equal", 7, onnx_same, NULL, 2},
    {"Erf", 9, onnx_same, "erf", 1},
    {"Exp", 6, onnx_same, "exp", 1},
    {"Floor", 6, onnx_same, "floor", 1},
    {"Gelu", 20, onnx_same, NULL, 1},
    {"Greater", 7, onnx_same, NULL, 2},
    {"GreaterOrEqual", 12, onnx_same, NULL, 2},
    {"HardSigmoid", 6, onnx_same, NULL, 1},
    {"HardSwish", 14, onnx_same, NULL, 1},
    {"Identity", 1, onnx_same, "_copy", 1},
    {"IsInf", 10, onnx_same, NULL, 1},
    {"IsNaN", 9, onnx_same, NULL, 1},
    {"LeakyRelu", 6, onnx_same, NULL, 1},
    {"Less", 7, onnx_same, NULL, 2},
    {"LessOrEqual", 12, onnx_same, NULL, 2},
    {"Log", 6, onnx_same, "log", 1},
    {"Max", 1, maximum, NULL, 0},
    {"Mean", 1, mean, NULL, 0},
    {"Min", 1, minimum, NULL, 0},
    {"Mish", 18, onnx_same, NULL, 1},
    {"Mod", 10, onnx_same, NULL, 2},
    {"Mul", 7, onnx_same, "broadcast_mul", 2},
    {"Neg", 6, onnx_same, "negative", 1},
    {"Not", 1, onnx_same, "logical_not", 1},
    {"Or", 7, onnx_same, NULL, 2},
    {"PRelu", 7, onnx_same, NULL, 2},
    {"Pow", 7, power, NULL, 2},
    {"Reciprocal", 6, onnx_same, "reciprocal", 1},
    {"Relu", 6, onnx_same, "relu", 1},
    {"Round", 11, onnx_same, NULL, 1},
    {"Selu", 6, onnx_same, NULL, 1},
    {"Shrink", 9, onnx_same, NULL, 1},
    {"Sigmoid", 6, onnx_same, "sigmoid", 1},
    {"Sign", 9, onnx_same, NULL, 1},
    {"Sin", 7, onnx_same, "sin", 1},
    {"Sinh", 9, onnx_same, "sinh", 1},
    {"Softplus", 1, onnx_same, NULL, 1},
    {"Softsign", 1, onnx_same, "softsign", 1},
    {"Sqrt", 6, onnx_same, "sqrt", 1},
    {"Sub", 7, onnx_same, "broadcast_sub", 2},
    {"Sum", 1, sum, NULL, 0},
    {"Swish", 24, onnx_same, NULL, 1},
    {"Tan", 7, onnx_same, "tan", 1},
    {"Tanh", 6, onnx_same, "tanh", 1},
    {"ThresholdedRelu", 10, onnx_same, NULL, 1},
    {"Xor", 7, onnx_same, NULL, 2},
    {0},
};
