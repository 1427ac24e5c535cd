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
        TN_TRY(onnx_attribute_sparse_tensor(node, "sparse_value", &tensor));
    }
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
    tn_free(node->host, (void *)strings);
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

/* Then `pads` was `paddings`. */
static tn_status pad_1(struct onnx_node *node) {
    const int64_t *pads;
    uint32_t count;
    tn_value inputs[4] = {{0}, {TN_NO_NODE, 0}, {TN_NO_NODE, 0}, {TN_NO_NODE, 0}};
    TN_TRY(onnx_ints(node, "paddings", &pads, &count));
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    struct onnx_options options = onnx_options(node);
    onnx_option_ints(&options, "pads", pads, count);
    const tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    return onnx_finish(node, "onnx.Pad", &options, inputs, 4);
}

/* The value is a tensor of one element, which the operator takes as an input. */
static tn_status constant_of_shape(struct onnx_node *node) {
    tn_tensor *tensor;
    tn_value inputs[2] = {{0}, {TN_NO_NODE, 0}};
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    TN_TRY(onnx_attribute_tensor(node, "value", &tensor));
    if (tensor != NULL) {
        const tn_status status = onnx_add_parameter(node->scope, node->name, tensor, &inputs[1]);
        onnx_release_tensor(node, tensor);
        TN_TRY(status);
    }
    return onnx_finish(node, "onnx.ConstantOfShape", NULL, inputs, 2);
}

/* As many parts as the node has outputs. */
static tn_status split(struct onnx_node *node) {
    const uint32_t count = onnx_output_count(node);
    const int64_t *parts;
    uint32_t part_count;
    int64_t axis, wanted;
    uint32_t number;
    tn_value inputs[2];
    TN_TRY(onnx_int(node, "axis", 0, &axis));
    TN_TRY(onnx_int(node, "num_outputs", count, &wanted));
    TN_TRY(onnx_ints(node, "split", &parts, &part_count));
    TN_TRY(onnx_inputs(node, inputs, 2));
    if (wanted != (int64_t)count) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "num_outputs is %lld, but it has %u outputs",
                         (long long)wanted, (unsigned)count);
    }
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", axis);
    onnx_option_int(&options, "num_outputs", wanted);
    if (part_count > 0) {
        onnx_option_ints(&options, "split", parts, part_count);
    }
    TN_TRY(onnx_add_node(node, "onnx.Split", &options, inputs, 2, &number));
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(onnx_set_output(node, i, (tn_value){number, i}));
    }
    return TN_OK;
}

/* As `axis` the operator calls it `dim`, of which the older sets have 1 as default. */
static tn_status concat(struct onnx_node *node) {
    const uint32_t count = onnx_input_count(node);
    int64_t axis;
    void *inputs;
    TN_TRY(onnx_int(node, "axis", 1, &axis));
    TN_TRY(tn_allocate(node->host, count, sizeof(tn_value), &inputs));
    tn_status status = onnx_inputs(node, inputs, count);
    if (status == TN_OK) {
        struct onnx_options options = onnx_options(node);
        onnx_option_int(&options, "dim", axis);
        status = onnx_finish(node, "Concat", &options, inputs, count);
    }
    tn_free(node->host, inputs);
    return status;
}

static int64_t whole_number(double x) {
    return x > -1e6 && x < 1e6 ? (int64_t)x : INT64_MAX;
}

/* A number that is a constant of any type that Tile had in operator set 1. */
static tn_status constant_number(const struct onnx_node *node, uint32_t index, int64_t *out_value) {
    const tn_view *view = onnx_constant(node, index);
    if (view == NULL || tn_element_count(view) != 1) {
        return onnx_fail(node, TN_UNSUPPORTED, "input %u is not one number that the model holds",
                         (unsigned)index);
    }
    const void *data = tn_data(view);
    switch (view->dtype) {
    case TN_F32: *out_value = whole_number((double)*(const float *)data); return TN_OK;
    case TN_F64: *out_value = whole_number(*(const double *)data); return TN_OK;
    case TN_I32: *out_value = *(const int32_t *)data; return TN_OK;
    case TN_I64: *out_value = *(const int64_t *)data; return TN_OK;
    default:
        return onnx_fail(node, TN_UNSUPPORTED, "input %u is %s", (unsigned)index,
                         tn_dtype_name(view->dtype));
    }
}

/* Then one axis is repeated: how often and which are inputs. */
static tn_status tile_1(struct onnx_node *node) {
    enum { MAX_TILES = 1024 };
    tn_value copies[MAX_TILES];
    int64_t count, axis;
    TN_TRY(constant_number(node, 1, &count));
    TN_TRY(constant_number(node, 2, &axis));
    if (count < 1 || count > MAX_TILES) {
        return onnx_fail(node, TN_UNSUPPORTED, "%lld tiles, expected 1 to %d", (long long)count,
                         MAX_TILES);
    }
    TN_TRY(onnx_input(node, 0, &copies[0]));
    for (int64_t i = 1; i < count; i++) {
        copies[i] = copies[0];
    }
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "dim", axis);
    return onnx_finish(node, "Concat", &options, copies, (uint32_t)count);
}

static tn_status transpose(struct onnx_node *node) {
    const int64_t *axes;
    uint32_t count;
    tn_value data;
    TN_TRY(onnx_input(node, 0, &data));
    TN_TRY(onnx_ints(node, "perm", &axes, &count));
    struct onnx_options options = onnx_options(node);
    if (count > 0) {
        onnx_option_ints(&options, "axes", axes, count);
    }
    return onnx_finish(node, "transpose", &options, &data, 1);
}

const struct onnx_mapping shape_mappings[] = {
    {"BitCast", 26, onnx_same, NULL, 1},
    {"CenterCropPad", 18, onnx_same, NULL, 2},
    {"Concat", 1, concat, NULL, 0},
    {"Constant", 1, constant, NULL, 0},
    {"ConstantOfShape", 9, constant_of_shape, NULL, 0},
    {"DepthToSpace", 1, onnx_same, NULL, 1},
    {"Expand", 8, onnx_same, NULL, 2},
    {"EyeLike", 9, onnx_same, NULL, 1},
    {"Flatten", 1, onnx_same, NULL, 1},
    {"OneHot", 9, onnx_same, NULL, 3},
    {"Pad", 1, pad_1, NULL, 0},
    {"Pad", 2, onnx_same, NULL, 4},
    {"Range", 11, onnx_same, NULL, 3},
    {"Reshape", 1, reshape_1, NULL, 0},
    {"Reshape", 5, onnx_same, NULL, 2},
    {"ReverseSequence", 10, onnx_same, NULL, 2},
    {"Shape", 1, onnx_same, NULL, 1},
    {"Size", 1, onnx_same, NULL, 1},
    {"Slice", 1, onnx_same, NULL, 5},
    {"SpaceToDepth", 1, onnx_same, NULL, 1},
    {"Split", 1, split, NULL, 0},
    {"Squeeze", 1, onnx_same, NULL, 2},
    {"Tile", 1, tile_1, NULL, 0},
    {"Tile", 6, onnx_same, NULL, 2},
    {"Transpose", 1, transpose, NULL, 0},
    {"Trilu", 14, onnx_same, NULL, 2},
    {"Unsqueeze", 1, onnx_same, NULL, 2},
    {"Where", 9, onnx_same, NULL, 3},
    {0},
};
