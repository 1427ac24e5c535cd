#include "write_rules.h"

/* All inputs in their order, one output, no attributes. */
static tn_status write_same(struct written_node *node) {
    char output[ONNX_NAME_SIZE];
    void *memory;
    const uint32_t count = node->info->input_count;
    TN_TRY(tn_allocate(node->writer->host, (uint64_t)count + 1, ONNX_NAME_SIZE, &memory));
    char *names = memory;
    void *list = NULL;
    const tn_status status =
        tn_allocate(node->writer->host, (uint64_t)count + 1, sizeof(char *), &list);
    if (status == TN_OK) {
        const char **inputs = (const char **)list;
        for (uint32_t i = 0; i < count; i++) {
            inputs[i] = input_value(node, i, names + (size_t)i * ONNX_NAME_SIZE);
        }
        write_plain(node, node->rule->target, inputs, output_value(node, 0, output));
    }
    tn_free(node->writer->host, list);
    tn_free(node->writer->host, memory);
    return status;
}

struct scalar_attributes {
    double scalar;
};

static const tn_attribute scalar_table[] = {
    TN_FIELD(struct scalar_attributes, scalar, FLOAT, "1", NULL, "The number."),
};

static tn_status write_with_scalar(struct written_node *node, int is_reversed) {
    struct scalar_attributes given;
    char data[ONNX_NAME_SIZE], number[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, scalar_table, 1, &given, sizeof given));
    input_value(node, 0, data);
    constant_like(node, given.scalar, node->info->inputs[0], number);
    const char *const inputs[] = {is_reversed ? number : data, is_reversed ? data : number, NULL};
    write_plain(node, node->rule->target, inputs, output_value(node, 0, output));
    return TN_OK;
}

static tn_status write_scalar(struct written_node *node) {
    return write_with_scalar(node, 0);
}

static tn_status write_reversed_scalar(struct written_node *node) {
    return write_with_scalar(node, 1);
}

static tn_status write_square(struct written_node *node) {
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    const char *const factors[] = {input_value(node, 0, data), data, NULL};
    write_plain(node, node->rule->target, factors, output_value(node, 0, output));
    return TN_OK;
}

static const struct write_rule rules[] = {
    {"Activation", write_activation, NULL},
    {"BatchNorm", write_batch_norm, NULL},
    {"BlockGrad", write_same, "Identity"},
    {"Cast", write_cast, NULL},
    {"Concat", write_concat, NULL},
    {"Convolution", write_convolution, NULL},
    {"Crop", write_crop, NULL},
    {"Deconvolution", write_deconvolution, NULL},
    {"Dropout", write_same, "Identity"},
    {"Embedding", write_embedding, NULL},
    {"Flatten", write_flatten, NULL},
    {"FullyConnected", write_fully_connected, NULL},
    {"InstanceNorm", write_instance_norm, NULL},
    {"LRN", write_lrn, NULL},
    {"LayerNorm", write_layer_norm, NULL},
    {"LeakyReLU", write_leaky_relu, NULL},
    {"Pad", write_pad, NULL},
    {"Pooling", write_pooling, NULL},
    {"Reshape", write_reshape, NULL},
    {"SliceChannel", write_slice_channel, NULL},
    {"Softmax", write_softmax_output, NULL},
    {"SoftmaxActivation", write_softmax_activation, NULL},
    {"SoftmaxOutput", write_softmax_output, NULL},
    {"UpSampling", write_up_sampling, NULL},
    {"WarpCTC", write_step_softmax, NULL},
    {"_Div", write_same, "Div"},
    {"_Mul", write_same, "Mul"},
    {"_add", write_same, "Add"},
    {"_copy", write_same, "Identity"},
    {"_div_scalar", write_scalar, "Div"},
    {"_div", write_same, "Div"},
    {"_minus", write_same, "Sub"},
    {"_maximum", write_same, "Max"},
    {"_minimum", write_same, "Min"},
    {"_mul", write_same, "Mul"},
    {"_plus", write_same, "Add"},
    {"_sub", write_same, "Sub"},
    {"_minus_scalar", write_scalar, "Sub"},
    {"_mul_scalar", write_scalar, "Mul"},
    {"_plus_scalar", write_scalar, "Add"},
    {"_power_scalar", write_scalar, "Pow"},
    {"_rdiv_scalar", write_reversed_scalar, "Div"},
    {"_rminus_scalar", write_reversed_scalar, "Sub"},
    {"abs", write_same, "Abs"},
    {"add_n", write_same, "Sum"},
    {"arccos", write_same, "Acos"},
    {"arcsin", write_same, "Asin"},
    {"arctan", write_same, "Atan"},
    {"broadcast_add", write_same, "Add"},
    {"broadcast_div", write_same, "Div"},
    {"broadcast_maximum", write_same, "Max"},
    {"broadcast_minimum", write_same, "Min"},
    {"broadcast_mul", write_same, "Mul"},
    {"broadcast_power", write_same, "Pow"},
    {"broadcast_sub", write_same, "Sub"},
    {"ceil", write_same, "Ceil"},
    {"clip", write_clip, NULL},
    {"concat", write_concat, NULL},
    {"cos", write_same, "Cos"},
    {"elemwise_add", write_same, "Add"},
    {"elemwise_div", write_same, "Div"},
    {"elemwise_mul", write_same, "Mul"},
    {"elemwise_sub", write_same, "Sub"},
    {"erf", write_same, "Erf"},
    {"exp", write_same, "Exp"},
    {"expand_dims", write_expand_dims, NULL},
    {"flatten", write_flatten, NULL},
    {"floor", write_same, "Floor"},
    {"identity", write_same, "Identity"},
    {"log", write_same, "Log"},
    {"log_softmax", write_softmax, "LogSoftmax"},
    {"max", write_reduction, "ReduceMax"},
    {"mean", write_reduction, "ReduceMean"},
    {"min", write_reduction, "ReduceMin"},
    {"negative", write_same, "Neg"},
    {"pad", write_pad, NULL},
    {"prod", write_reduction, "ReduceProd"},
    {"reciprocal", write_same, "Reciprocal"},
    {"relu", write_same, "Relu"},
    {"reshape", write_reshape, NULL},
    {"sigmoid", write_same, "Sigmoid"},
    {"sin", write_same, "Sin"},
    {"slice_axis", write_slice_axis, NULL},
    {"softmax", write_softmax, "Softmax"},
    {"softsign", write_same, "Softsign"},
    {"split", write_slice_channel, NULL},
    {"sqrt", write_same, "Sqrt"},
    {"square", write_square, "Mul"},
    {"stop_gradient", write_same, "Identity"},
    {"sum", write_reduction, "ReduceSum"},
    {"tan", write_same, "Tan"},
    {"tanh", write_same, "Tanh"},
    {"transpose", write_transpose, NULL},
};

const struct write_rule *find_write_rule(const char *op) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].op, op) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}
