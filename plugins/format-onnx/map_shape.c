/* Constants, and what moves elements without computing with them. */
#include "families.h"

static tn_status add_numbers(struct onnx_node *node, tn_dtype dtype, int32_t rank, int64_t count,
                             const void *elements) {
    tn_value value;
    TN_TRY(onnx_add_constant(node, dtype, rank, &count, elements, &value));
    return onnx_set_output(node, 0, value);
}

static tn_status constant_tensor(struct onnx_node *node) {
    tn_tensor *tensor;
    TN_TRY(onnx_attribute_tensor(node, "value", &tensor));
    if (tensor == NULL) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "it has no value");
    }
    tn_value value;
    tn_status status = onnx_add_parameter(node->scope, node->name, tensor, &value);
    onnx_release_tensor(node, tensor);
    return status == TN_OK ? onnx_set_output(node, 0, value) : status;
}

static tn_status constant_strings(struct onnx_node *node) {
    const int is_list = onnx_has_attribute(node, "value_strings");
    const char **strings;
    uint32_t count;
    TN_TRY(onnx_strings(node, is_list ? "value_strings" : "value_string", &strings, &count));
    const tn_status status = add_numbers(node, TN_STRING, is_list, count, strings);
    free_items(node->host, (void *)strings);
    return status;
}

static tn_status constant(struct onnx_node *node) {
    if (onnx_has_attribute(node, "value_int")) {
        int64_t number;
        TN_TRY(onnx_int(node, "value_int", 0, &number));
        return add_numbers(node, TN_I64, 0, 1, &number);
    }
    if (onnx_has_attribute(node, "value_float")) {
        double number;
        TN_TRY(onnx_float(node, "value_float", 0, &number));
        return add_numbers(node, TN_F32, 0, 1, &(float){(float)number});
    }
    if (onnx_has_attribute(node, "value_ints")) {
        const int64_t *numbers;
        uint32_t count;
        TN_TRY(onnx_ints(node, "value_ints", &numbers, &count));
        return add_numbers(node, TN_I64, 1, count, numbers);
    }
    if (onnx_has_attribute(node, "value_floats")) {
        const float *numbers;
        uint32_t count;
        TN_TRY(onnx_floats(node, "value_floats", &numbers, &count));
        return add_numbers(node, TN_F32, 1, count, numbers);
    }
    if (onnx_has_attribute(node, "value_string") || onnx_has_attribute(node, "value_strings")) {
        return constant_strings(node);
    }
    return constant_tensor(node);
}

/* Before operator set 5 the shape is an attribute. */
static tn_status reshape_1(struct onnx_node *node) {
    const int64_t *shape;
    uint32_t count;
    tn_value inputs[2];
    onnx_ignore(node, "consumed_inputs");
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    TN_TRY(onnx_ints(node, "shape", &shape, &count));
    const int64_t extent = count;
    TN_TRY(onnx_add_constant(node, TN_I64, 1, &extent, shape, &inputs[1]));
    return onnx_finish(node, "onnx.Reshape", NULL, inputs, 2);
}

const struct onnx_mapping shape_mappings[] = {
    {"Constant", 1, constant, NULL, 0}, {"Reshape", 1, reshape_1, NULL, 0},
    {"Reshape", 5, onnx_same, NULL, 2}, {"Shape", 1, onnx_same, NULL, 1},
    {"Size", 1, onnx_same, NULL, 1},    {0},
};
