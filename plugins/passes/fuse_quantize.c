/*
 * The pass fuse-quantize: between integers that are made numbers (onnx.DequantizeLinear) and
 * numbers that are made integers (onnx.QuantizeLinear), convolutions and products of matrices
 * become those of integers, and what only moves or compares elements does so with integers.
 */
#include <math.h>

#include "passes.h"
#include "quantised_value.h"

enum { MAX_OPTIONS = 8, MAX_TEXT = 256, MAX_SPATIAL_AXES = 3, MAX_NAME = 1024 };

/* What gives its first input's elements, or the largest of some of them. */
static const char *const movers[] = {"onnx.Reshape", "Reshape",    "reshape",        "Flatten",
                                     "flatten",      "transpose",  "expand_dims",    "squeeze",
                                     "onnx.Squeeze", "onnx.Slice", "onnx.Unsqueeze", "_copy",
                                     "slice",        "slice_axis", "onnx.Flatten",   NULL};
static const char *const relus[] = {"relu", NULL};

/* Whether one node alone reads the value's node, by its first output. */
static int is_read_once(const pass_work *work, tn_value value) {
    use_facts facts;
    return value.node != TN_NO_NODE && value.output == 0 &&
           work_uses(work, value.node, &facts) == TN_OK && facts.count == 1 && !facts.is_output &&
           !facts.is_control;
}

/* Puts output 0 of `added` in the place of the QuantizeLinear, and takes out those of the old nodes
 * that nothing reads any more. */
static tn_status put(const pass_work *work, uint32_t quantize, uint32_t added, const uint32_t *old,
                     uint32_t old_count) {
    int done;
    TN_TRY(work_forward(work, quantize, (tn_value){added, 0}, &done));
    if (!done) {
        return work->graphs->remove_node(work->host, work->graph, added);
    }
    for (uint32_t i = 0; i < old_count; i++) {
        tn_node_info info;
        if (work_node(work, old[i], &info)) {
            TN_TRY(work_remove_unused(work, old[i]));
        }
    }
    return TN_OK;
}

/* A function of integers and their scales: QLinearConv or QLinearMatMul. */
typedef struct scaled_product {
    uint32_t node;     /* the Convolution or onnx.MatMul */
    uint32_t relu;     /* TN_NO_NODE: none */
    uint32_t quantize; /* the QuantizeLinear */
    quantised_value left, right, bias, output;
    int has_bias;
    uint32_t dequantized[3]; /* nodes that were read */
} scaled_product;

static tn_status put_product(const pass_work *work, const scaled_product *found, const char *op,
                             const tn_option *options, uint32_t option_count) {
    char stem[MAX_NAME];
    tn_node_info info;
    uint32_t added;
    tn_value inputs[9] = {
        found->left.data, found->left.scale,   {0, 0}, found->right.data, found->right.scale,
        {0, 0},           found->output.scale, {0, 0}, found->bias.data};
    if (!work_node(work, found->node, &info) || strlen(info.name) >= sizeof stem) {
        return TN_OK;
    }
    snprintf(stem, sizeof stem, "%s", info.name);
    TN_TRY(zero_point_input(work, &found->left, stem, &inputs[2]));
    TN_TRY(zero_point_input(work, &found->right, stem, &inputs[5]));
    TN_TRY(zero_point_input(work, &found->output, stem, &inputs[7]));
    TN_TRY(work->graphs->add_node(work->host, work->graph, op, NULL, options, option_count, inputs,
                                  found->has_bias ? 9 : 8, &added));
    const uint32_t old[] = {found->relu, found->node, found->dequantized[0], found->dequantized[1],
                            found->dequantized[2]};
    return put(work, found->quantize, added, old, found->has_bias ? 5 : 4);
}

/* A bias of int32 whose unit is that of the sums of products. */
static int bias_fits(const pass_work *work, const scaled_product *found) {
    const int64_t count = quantised_scale_count(work, &found->bias);
    const int64_t filters = quantised_scale_count(work, &found->right);
    int fits = found->bias.dtype == TN_I32 && has_no_zero_point(work, &found->bias) &&
               (count == 1 || filters == 1 || count == filters);
    for (int64_t i = 0; fits && i < (count > filters ? count : filters); i++) {
        const float unit =
            quantised_scale(work, &found->left, 0) * quantised_scale(work, &found->right, i);
        fits = fabsf(quantised_scale(work, &found->bias, i) - unit) <= 1e-5F * fabsf(unit);
    }
    return fits;
}

static int read_operands(const pass_work *work, const tn_node_info *info, scaled_product *found) {
    found->dequantized[0] = info->inputs[0].node;
    found->dequantized[1] = info->inputs[1].node;
    if (!read_dequantized(work, info->inputs[0], 0, &found->left) ||
        !read_dequantized(work, info->inputs[1], 0, &found->right)) {
        return 0;
    }
    found->has_bias = info->input_count > 2 && info->inputs[2].node != TN_NO_NODE;
    if (found->has_bias) {
        found->dequantized[2] = info->inputs[2].node;
        if (!read_dequantized(work, info->inputs[2], 1, &found->bias) || !bias_fits(work, found)) {
            return 0;
        }
    }
    return quantised_scale_count(work, &found->left) == 1 &&
           quantised_scale_count(work, &found->output) == 1;
}

/* `pads` in front of every axis, then behind every one. */
static int pads_text(const char *pad, int32_t rank, char *text) {
    int64_t values[2 * MAX_SPATIAL_AXES];
    int32_t count = read_integers(pad, values, 2 * MAX_SPATIAL_AXES);
    size_t length = 0;
    if (count < 0 || (count != 0 && count != rank && count != 2 * rank)) {
        return 0;
    }
    for (int32_t i = 0; count > 0 && i < 2 * rank; i++) {
        length += (size_t)snprintf(text + length, MAX_TEXT - length, "%s%lld", i == 0 ? "(" : ",",
                                   (long long)values[count == rank ? i % rank : i]);
    }
    snprintf(text + length, MAX_TEXT - length, "%s", count > 0 ? ")" : "()");
    return 1;
}

static const char *auto_pad_text(const char *auto_pad) {
    return strcmp(auto_pad, "same_upper") == 0   ? "SAME_UPPER"
           : strcmp(auto_pad, "same_lower") == 0 ? "SAME_LOWER"
                                                 : "NOTSET";
}

static tn_status fuse_convolution_product(const pass_work *work, const tn_node_info *info,
                                          const scaled_product *found) {
    char kernel[MAX_TEXT], strides[MAX_TEXT], dilations[MAX_TEXT], pads[MAX_TEXT], group[MAX_TEXT];
    int64_t extents[MAX_SPATIAL_AXES];
    const char *layout = node_attribute(info, "layout", "None");
    const int32_t rank =
        read_integers(node_attribute(info, "kernel", "()"), extents, MAX_SPATIAL_AXES);
    if (rank < 1 || (strcmp(layout, "None") != 0 && strncmp(layout, "NC", 2) != 0) ||
        (quantised_scale_count(work, &found->right) > 1 && found->right.axis != 0) ||
        !pads_text(node_attribute(info, "pad", "()"), rank, pads)) {
        return TN_OK;
    }
    snprintf(kernel, sizeof kernel, "%s", node_attribute(info, "kernel", "()"));
    snprintf(strides, sizeof strides, "%s", node_attribute(info, "stride", "()"));
    snprintf(dilations, sizeof dilations, "%s", node_attribute(info, "dilate", "()"));
    snprintf(group, sizeof group, "%s", node_attribute(info, "num_group", "1"));
    const tn_option options[] = {
        {"kernel_shape", kernel},
        {"strides", strides},
        {"dilations", dilations},
        {"pads", pads},
        {"group", group},
        {"auto_pad", auto_pad_text(node_attribute(info, "auto_pad", "None"))},
    };
    return put_product(work, found, "onnx.QLinearConv", options, 6);
}

/* The right operand has a scale for each column, if it has several. */
static tn_status fuse_matrix_product(const pass_work *work, const scaled_product *found) {
    const int32_t rank = work_type(work, found->right.data).shape.rank;
    const int fits = quantised_scale_count(work, &found->right) == 1 ||
                     (rank == 2 && (found->right.axis == 1 || found->right.axis == -1));
    return fits ? put_product(work, found, "onnx.QLinearMatMul", NULL, 0) : TN_OK;
}

static int is_relu(const tn_node_info *info) {
    return node_is(info, relus) || (info->op != NULL && strcmp(info->op, "Activation") == 0 &&
                                    strcmp(node_attribute(info, "act_type", ""), "relu") == 0);
}

/* What is made integers: behind a relu that the range of the integers makes by itself. */
static tn_status fuse_product(const pass_work *work, uint32_t number,
                              const quantised_value *output) {
    scaled_product found = {.relu = TN_NO_NODE, .quantize = number, .output = *output};
    tn_node_info info;
    tn_value source = output->data;
    if (!is_read_once(work, source) || !work_node(work, source.node, &info)) {
        return TN_OK;
    }
    if (is_relu(&info) && begins_at_zero_point(work, output)) {
        found.relu = source.node;
        source = info.inputs[0];
        if (!is_read_once(work, source) || !work_node(work, source.node, &info)) {
            return TN_OK;
        }
    }
    found.node = source.node;
    const int is_convolution = info.op != NULL && strcmp(info.op, "Convolution") == 0;
    const int is_matrix_product = info.op != NULL && strcmp(info.op, "onnx.MatMul") == 0;
    if ((!is_convolution && !is_matrix_product) || !node_is_pure(work, source.node, &info) ||
        !read_operands(work, &info, &found)) {
        return TN_OK;
    }
    return is_convolution ? fuse_convolution_product(work, &info, &found)
                          : fuse_matrix_product(work, &found);
}

static int moves_elements(const tn_node_info *info) {
    return node_is(info, movers) || (info->op != NULL && strcmp(info->op, "Pooling") == 0 &&
                                     strcmp(node_attribute(info, "pool_type", "max"), "max") == 0);
}

/* A node that moves elements, between integers of the same meaning: reads them itself. */
static tn_status fuse_mover(const pass_work *work, uint32_t number, const quantised_value *output) {
    tn_node_info info;
    quantised_value input;
    if (!is_read_once(work, output->data) || !work_node(work, output->data.node, &info) ||
        !moves_elements(&info) || info.visible_output_count != 1 ||
        !node_is_pure(work, output->data.node, &info) ||
        !read_dequantized(work, info.inputs[0], 0, &input) ||
        !mean_the_same(work, &input, output)) {
        return TN_OK;
    }
    const uint32_t mover = output->data.node, dequantized = info.inputs[0].node;
    TN_TRY(work->graphs->set_input(work->host, work->graph, mover, 0, input.data));
    return put(work, number, mover, &dequantized, 1);
}

/* Integers that are made numbers and integers of the same meaning again. */
static tn_status remove_pair(const pass_work *work, uint32_t number,
                             const quantised_value *output) {
    quantised_value input;
    int done;
    if (!read_dequantized(work, output->data, 0, &input) || !mean_the_same(work, &input, output)) {
        return TN_OK;
    }
    TN_TRY(work_forward(work, number, input.data, &done));
    return done ? work_remove_unused(work, output->data.node) : TN_OK;
}

static tn_status fuse_from(const pass_work *work, uint32_t number, const void *context) {
    static tn_status (*const ways[])(const pass_work *, uint32_t, const quantised_value *) = {
        fuse_product, fuse_mover, remove_pair};
    (void)context;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        quantised_value output;
        if (read_quantized(work, number, &output)) {
            TN_TRY(ways[i](work, number, &output));
        }
    }
    return TN_OK;
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, fuse_from, NULL);
}

const tn_pass fuse_quantize = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Makes onnx.QLinearConv and onnx.QLinearMatMul of a Convolution or onnx.MatMul between "
           "onnx.DequantizeLinear and onnx.QuantizeLinear, and has reshapes, transposes, slices "
           "and largest elements between the same two work on the integers. Sums are exact, so "
           "that a result that is half-way between two integers may become the other one. Needs "
           "scales and zero points to be parameters, and dtypes to be known.",
    .run = run,
};
