/* Elementwise operators as they were before operator sets 6 and 7. */
#include <ctype.h>

#include "dtype.h"
#include "families.h"

/* Operator sets before 6 say which inputs a node may overwrite. */
static tn_status unary_1(struct onnx_node *node) {
    onnx_ignore(node, "consumed_inputs");
    return onnx_same(node);
}

/* The second input is stretched to the first, from `axis` on or else at the end. */
static tn_status binary_1(struct onnx_node *node) {
    char op[64];
    int64_t broadcast, axis;
    tn_value inputs[2];
    onnx_ignore(node, "consumed_inputs");
    const int has_axis = onnx_has_attribute(node, "axis");
    TN_TRY(onnx_int(node, "broadcast", 0, &broadcast));
    TN_TRY(onnx_int(node, "axis", 0, &axis));
    TN_TRY(onnx_inputs(node, inputs, 2));
    if (broadcast && has_axis) {
        const tn_value pair[] = {inputs[1], inputs[0]};
        struct onnx_options options = onnx_options(node);
        onnx_option_int(&options, "axis", axis);
        TN_TRY(onnx_add(node, "onnx.AlignAxis", &options, pair, 2, &inputs[1]));
    }
    snprintf(op, sizeof op, "onnx.%s", node->mapping->op);
    return onnx_finish(node, node->mapping->target != NULL ? node->mapping->target : op, NULL,
                       inputs, 2);
}

/* A slope for each channel, or one for all. */
static tn_status prelu_1(struct onnx_node *node) {
    tn_value inputs[2];
    onnx_ignore(node, "consumed_inputs");
    TN_TRY(onnx_inputs(node, inputs, 2));
    const tn_value pair[] = {inputs[1], inputs[0]};
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", 1);
    TN_TRY(onnx_add(node, "onnx.AlignAxis", &options, pair, 2, &inputs[1]));
    return onnx_finish(node, "onnx.PRelu", NULL, inputs, 2);
}

/* The element type is a text then. */
static tn_status cast_1(struct onnx_node *node) {
    char name[32];
    tn_dtype dtype = 0;
    tn_value data;
    TN_TRY(onnx_text(node, "to", "", name, sizeof name));
    for (char *c = name; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    for (int64_t number = 1; strcmp(onnx_dtype_name(number), "?") != 0; number++) {
        if (strcmp(onnx_dtype_name(number), name) == 0) {
            dtype = dtype_from_onnx(number);
        }
    }
    if (dtype == 0) {
        return onnx_fail(node, TN_UNSUPPORTED, "attribute 'to': element type '%s'", name);
    }
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_text(&options, "dtype", tn_dtype_name(dtype));
    return onnx_finish(node, "Cast", &options, &data, 1);
}

const struct onnx_mapping old_elementwise_mappings[] = {
    /* op, since, translate, target, inputs */
    {"Abs", 1, unary_1, "abs", 1},
    {"Add", 1, binary_1, "broadcast_add", 2},
    {"And", 1, binary_1, NULL, 2},
    {"Cast", 1, cast_1, NULL, 0},
    {"Ceil", 1, unary_1, "ceil", 1},
    {"Div", 1, binary_1, "broadcast_div", 2},
    {"Elu", 1, unary_1, NULL, 1},
    {"Equal", 1, binary_1, NULL, 2},
    {"Exp", 1, unary_1, "exp", 1},
    {"Floor", 1, unary_1, "floor", 1},
    {"Greater", 1, binary_1, NULL, 2},
    {"HardSigmoid", 1, unary_1, NULL, 1},
    {"LeakyRelu", 1, unary_1, NULL, 1},
    {"Less", 1, binary_1, NULL, 2},
    {"Log", 1, unary_1, "log", 1},
    {"Mul", 1, binary_1, "broadcast_mul", 2},
    {"Neg", 1, unary_1, "negative", 1},
    {"Or", 1, binary_1, NULL, 2},
    {"PRelu", 1, prelu_1, NULL, 0},
    {"Pow", 1, binary_1, NULL, 2},
    {"Reciprocal", 1, unary_1, "reciprocal", 1},
    {"Relu", 1, unary_1, "relu", 1},
    {"Selu", 1, unary_1, NULL, 1},
    {"Sigmoid", 1, unary_1, "sigmoid", 1},
    {"Sqrt", 1, unary_1, "sqrt", 1},
    {"Sub", 1, binary_1, "broadcast_sub", 2},
    {"Tanh", 1, unary_1, "tanh", 1},
    {"Xor", 1, binary_1, NULL, 2},
    {0},
};
