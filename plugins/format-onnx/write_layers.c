/* Layers of networks: products, normalisation, activation. */
#include "write_rules.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

struct fully_connected_attributes {
    int32_t flatten;
};

static const tn_attribute fully_connected_table[] = {
    TN_FIELD(struct fully_connected_attributes, flatten, BOOL, "True", NULL, ""),
};

/* A matrix of features, by the transposed weights. */
static void write_gemm(struct written_node *node, const char *data, const char *weight,
                       const char *bias, const char *output) {
    char flat[ONNX_NAME_SIZE];
    const char *const rows[] = {data, NULL};
    struct bytes_out flatten = begin_node(node, "Flatten", rows, between_value(node, flat));
    attribute_int(&flatten, "axis", 1);
    end_node(node, &flatten);
    const char *const inputs[] = {flat, weight, bias, NULL};
    struct bytes_out made = begin_node(node, "Gemm", inputs, output);
    attribute_int(&made, "transB", 1);
    end_node(node, &made);
}

/* The last axis by the transposed weights. */
static void write_product(struct written_node *node, const char *data, const char *weight,
                          const char *bias, const char *output) {
    static const int64_t exchanged[] = {1, 0};
    char turned[ONNX_NAME_SIZE], product[ONNX_NAME_SIZE];
    const char *const weights[] = {weight, NULL};
    struct bytes_out made = begin_node(node, "Transpose", weights, between_value(node, turned));
    attribute_ints(&made, "perm", exchanged, 2);
    end_node(node, &made);
    const char *const factors[] = {data, turned, NULL};
    if (bias == NULL) {
        write_plain(node, "MatMul", factors, output);
        return;
    }
    write_plain(node, "MatMul", factors, between_value(node, product));
    const char *const terms[] = {product, bias, NULL};
    write_plain(node, "Add", terms, output);
}

tn_status write_fully_connected(struct written_node *node) {
    struct fully_connected_attributes given;
    char data[ONNX_NAME_SIZE], weight[ONNX_NAME_SIZE], bias[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, fully_connected_table, 1, &given, sizeof given));
    input_value(node, 0, data);
    input_value(node, 1, weight);
    output_value(node, 0, output);
    const char *third = node->info->input_count > 2 ? input_value(node, 2, bias) : NULL;
    if (given.flatten) {
        write_gemm(node, data, weight, third, output);
    } else {
        write_product(node, data, weight, third, output);
    }
    return TN_OK;
}

struct norm_attributes {
    double eps;
    int64_t axis;
    int32_t output_mean_var;
};

static const tn_attribute instance_norm_table[] = {
    TN_FIELD(struct norm_attributes, eps, FLOAT, "1e-3", NULL, ""),
};

static const tn_attribute layer_norm_table[] = {
    TN_FIELD(struct norm_attributes, eps, FLOAT, "1e-5", NULL, ""),
    TN_FIELD(struct norm_attributes, axis, INT, "-1", NULL, ""),
    TN_FIELD(struct norm_attributes, output_mean_var, BOOL, "False", NULL, ""),
};

static void put_norm(struct written_node *node, const char *op, double epsilon) {
    char data[ONNX_NAME_SIZE], gamma[ONNX_NAME_SIZE], beta[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    const char *const inputs[] = {input_value(node, 0, data), input_value(node, 1, gamma),
                                  input_value(node, 2, beta), NULL};
    struct bytes_out made = begin_node(node, op, inputs, output_value(node, 0, output));
    attribute_float(&made, "epsilon", epsilon);
    end_node(node, &made);
}

tn_status write_instance_norm(struct written_node *node) {
    struct norm_attributes given;
    TN_TRY(parse_attributes(node, instance_norm_table, 1, &given, sizeof given));
    put_norm(node, "InstanceNormalization", given.eps);
    return TN_OK;
}

tn_status write_layer_norm(struct written_node *node) {
    struct norm_attributes given;
    const int32_t rank = known_type(node->writer, node->info->inputs[0]).shape.rank;
    TN_TRY(
        parse_attributes(node, layer_norm_table, COUNT_OF(layer_norm_table), &given, sizeof given));
    if ((given.axis != -1 && given.axis != rank - 1) || given.output_mean_var) {
        return write_fail(node, TN_UNSUPPORTED,
                          "ONNX has one scale for each element of the last axes, and no such "
                          "moments");
    }
    put_norm(node, "LayerNormalization", given.eps);
    return TN_OK;
}

struct batch_norm_attributes {
    double eps;
    int32_t fix_gamma, output_mean_var;
    int64_t axis;
};

static const tn_attribute batch_norm_table[] = {
    TN_FIELD(struct batch_norm_attributes, eps, FLOAT, "1e-3", NULL, ""),
    TN_FIELD(struct batch_norm_attributes, fix_gamma, BOOL, "True", NULL, ""),
    TN_FIELD(struct batch_norm_attributes, output_mean_var, BOOL, "False", NULL, ""),
    TN_FIELD(struct batch_norm_attributes, axis, INT, "1", NULL, ""),
};

/* Ones in the shape of an input. */
static const char *ones_like(struct written_node *node, uint32_t input, char *name) {
    char like[ONNX_NAME_SIZE], one[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE];
    const char *const shaped[] = {input_value(node, input, like), NULL};
    constant_like(node, 1, node->info->inputs[input], one);
    write_plain(node, "Shape", shaped, between_value(node, shape));
    const char *const inputs[] = {one, shape, NULL};
    write_plain(node, "Expand", inputs, between_value(node, name));
    return name;
}

tn_status write_batch_norm(struct written_node *node) {
    struct batch_norm_attributes given;
    char names[5][ONNX_NAME_SIZE], ones[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(
        parse_attributes(node, batch_norm_table, COUNT_OF(batch_norm_table), &given, sizeof given));
    if (given.axis != 1 || given.output_mean_var) {
        return write_fail(node, TN_UNSUPPORTED,
                          "ONNX normalises along axis 1 and gives neither mean nor variance");
    }
    for (uint32_t i = 0; i < 5; i++) {
        input_value(node, i, names[i]);
    }
    const char *gamma = given.fix_gamma ? ones_like(node, 1, ones) : names[1];
    const char *const inputs[] = {names[0], gamma, names[2], names[3], names[4], NULL};
    struct bytes_out made =
        begin_node(node, "BatchNormalization", inputs, output_value(node, 0, output));
    attribute_float(&made, "epsilon", given.eps);
    end_node(node, &made);
    return TN_OK;
}

struct activation_attributes {
    int32_t act_type;
};

static const tn_attribute activation_table[] = {
    TN_FIELD_CHOICE(struct activation_attributes, act_type, "relu",
                    "relu|sigmoid|softrelu|softsign|tanh", ""),
};

tn_status write_activation(struct written_node *node) {
    static const char *const functions[] = {"Relu", "Sigmoid", "Softplus", "Softsign", "Tanh"};
    struct activation_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, activation_table, 1, &given, sizeof given));
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    write_plain(node, functions[given.act_type], inputs, output_value(node, 0, output));
    return TN_OK;
}

struct leaky_relu_attributes {
    int32_t act_type;
    double slope;
};

static const tn_attribute leaky_relu_table[] = {
    TN_FIELD_CHOICE(struct leaky_relu_attributes, act_type, "leaky",
                    "elu|gelu|leaky|prelu|rrelu|selu", ""),
    TN_FIELD(struct leaky_relu_attributes, slope, FLOAT, "0.25", NULL, ""),
};

/* PRelu stretches its slopes as other operators do: the channels' axis is the second. */
static tn_status write_prelu(struct written_node *node) {
    char data[ONNX_NAME_SIZE], slope[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE], wide[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    const tn_tensor_type type = known_type(node->writer, node->info->inputs[0]);
    int64_t extents[TN_MAX_RANK] = {-1};
    if (type.shape.rank < 2) {
        return write_fail(node, TN_UNSUPPORTED,
                          "the rank of its input does not follow from the graph: declare the "
                          "shapes of the graph's inputs");
    }
    for (int32_t axis = 2; axis < type.shape.rank; axis++) {
        extents[axis - 1] = 1;
    }
    const char *const shaped[] = {
        input_value(node, 1, slope),
        constant_ints(node, extents, (uint32_t)type.shape.rank - 1, shape), NULL};
    write_plain(node, "Reshape", shaped, between_value(node, wide));
    const char *const inputs[] = {input_value(node, 0, data), wide, NULL};
    write_plain(node, "PRelu", inputs, output_value(node, 0, output));
    return TN_OK;
}

enum { ACT_TYPE_PRELU = 3 };

tn_status write_leaky_relu(struct written_node *node) {
    static const char *const functions[] = {"Elu", NULL, "LeakyRelu", NULL, NULL, "Selu"};
    struct leaky_relu_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(
        parse_attributes(node, leaky_relu_table, COUNT_OF(leaky_relu_table), &given, sizeof given));
    if (given.act_type == ACT_TYPE_PRELU) {
        return write_prelu(node);
    }
    const char *function = functions[given.act_type];
    if (function == NULL) {
        return write_fail(node, TN_UNSUPPORTED, "operator set 17 has no such activation");
    }
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out made = begin_node(node, function, inputs, output_value(node, 0, output));
    if (strcmp(function, "Selu") != 0) {
        attribute_float(&made, "alpha", given.slope);
    }
    end_node(node, &made);
    return TN_OK;
}

struct softmax_attributes {
    int64_t axis;
    double temperature;
    int32_t use_length;
};

static const tn_attribute softmax_table[] = {
    TN_FIELD(struct softmax_attributes, axis, INT, "-1", NULL, ""),
    TN_FIELD_OR_NONE(struct softmax_attributes, temperature, FLOAT, "None", NULL, ""),
    TN_FIELD(struct softmax_attributes, use_length, BOOL, "False", NULL, ""),
};

static void put_softmax(struct written_node *node, const char *op, const char *data, int64_t axis,
                        const char *output) {
    const char *const inputs[] = {data, NULL};
    struct bytes_out made = begin_node(node, op, inputs, output);
    attribute_int(&made, "axis", axis);
    end_node(node, &made);
}

tn_status write_softmax(struct written_node *node) {
    struct softmax_attributes given;
    char data[ONNX_NAME_SIZE], divided[ONNX_NAME_SIZE], number[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, softmax_table, COUNT_OF(softmax_table), &given, sizeof given));
    if (given.use_length) {
        return write_fail(node, TN_UNSUPPORTED, "ONNX has no softmax of a given length");
    }
    const char *source = input_value(node, 0, data);
    if (given.temperature == given.temperature) { /* it is given */
        const char *const inputs[] = {
            data, constant_like(node, given.temperature, node->info->inputs[0], number), NULL};
        source = between_value(node, divided);
        write_plain(node, "Div", inputs, source);
    }
    put_softmax(node, node->rule->target, source, given.axis, output_value(node, 0, output));
    return TN_OK;
}

struct softmax_output_attributes {
    int32_t multi_output, preserve_shape;
};

static const tn_attribute softmax_output_table[] = {
    TN_FIELD(struct softmax_output_attributes, multi_output, BOOL, "False", NULL, ""),
    TN_FIELD(struct softmax_output_attributes, preserve_shape, BOOL, "False", NULL, ""),
};

/* Over all of a sample's elements, unless it says otherwise. */
/* Rows are steps of a sequence; the label is training's. */
tn_status write_step_softmax(struct written_node *node) {
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    put_softmax(node, "Softmax", input_value(node, 0, data), -1, output_value(node, 0, output));
    return TN_OK;
}

tn_status write_softmax_output(struct written_node *node) {
    struct softmax_output_attributes given;
    char data[ONNX_NAME_SIZE], flat[ONNX_NAME_SIZE], soft[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, softmax_output_table, COUNT_OF(softmax_output_table), &given,
                            sizeof given));
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    output_value(node, 0, output);
    if (given.multi_output || given.preserve_shape) {
        put_softmax(node, "Softmax", data, given.multi_output ? 1 : -1, output);
        return TN_OK;
    }
    struct bytes_out flatten = begin_node(node, "Flatten", inputs, between_value(node, flat));
    attribute_int(&flatten, "axis", 1);
    end_node(node, &flatten);
    put_softmax(node, "Softmax", flat, 1, between_value(node, soft));
    write_plain(node, "Shape", inputs, between_value(node, shape));
    const char *const shaped[] = {soft, shape, NULL};
    write_plain(node, "Reshape", shaped, output);
    return TN_OK;
}

struct softmax_activation_attributes {
    int32_t mode;
};

static const tn_attribute softmax_activation_table[] = {
    TN_FIELD_CHOICE(struct softmax_activation_attributes, mode, "instance", "channel|instance", ""),
};

tn_status write_softmax_activation(struct written_node *node) {
    struct softmax_activation_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, softmax_activation_table, 1, &given, sizeof given));
    put_softmax(node, "Softmax", input_value(node, 0, data), given.mode == 0 ? 1 : -1,
                output_value(node, 0, output));
    return TN_OK;
}

struct up_sampling_attributes {
    int64_t scale;
    int32_t sample_type;
};

static const tn_attribute up_sampling_table[] = {
    TN_FIELD(struct up_sampling_attributes, scale, INT, NULL, NULL, ""),
    TN_FIELD_CHOICE(struct up_sampling_attributes, sample_type, "nearest", "nearest|bilinear", ""),
};

/* Each element repeated: a Resize that rounds coordinates down. */
tn_status write_up_sampling(struct written_node *node) {
    struct up_sampling_attributes given;
    char data[ONNX_NAME_SIZE], scales[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, up_sampling_table, COUNT_OF(up_sampling_table), &given,
                            sizeof given));
    if (given.sample_type != 0 || node->info->input_count != 1) {
        return write_fail(node, TN_UNSUPPORTED, "only nearest, of one input, has a mapping");
    }
    const float values[] = {1, 1, (float)given.scale, (float)given.scale};
    const int64_t extent = COUNT_OF(values);
    const tn_view view = {
        .data = (void *)(uintptr_t)values, .rank = 1, .dtype = TN_F32, .shape = &extent};
    const char *const inputs[] = {input_value(node, 0, data), "",
                                  constant_view(node, &view, scales), NULL};
    struct bytes_out made = begin_node(node, "Resize", inputs, output_value(node, 0, output));
    attribute_text(&made, "mode", "nearest");
    attribute_text(&made, "coordinate_transformation_mode", "asymmetric");
    attribute_text(&made, "nearest_mode", "floor");
    end_node(node, &made);
    return TN_OK;
}

struct lrn_attributes {
    double alpha, beta, knorm;
    int64_t nsize;
};

static const tn_attribute lrn_table[] = {
    TN_FIELD(struct lrn_attributes, alpha, FLOAT, "0.0001", NULL, ""),
    TN_FIELD(struct lrn_attributes, beta, FLOAT, "0.75", NULL, ""),
    TN_FIELD(struct lrn_attributes, knorm, FLOAT, "2", NULL, ""),
    TN_FIELD(struct lrn_attributes, nsize, INT, NULL, NULL, ""),
};

tn_status write_lrn(struct written_node *node) {
    struct lrn_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, lrn_table, COUNT_OF(lrn_table), &given, sizeof given));
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out made = begin_node(node, "LRN", inputs, output_value(node, 0, output));
    attribute_float(&made, "alpha", given.alpha);
    attribute_float(&made, "beta", given.beta);
    attribute_float(&made, "bias", given.knorm);
    attribute_int(&made, "size", given.nsize);
    end_node(node, &made);
    return TN_OK;
}
