/* Windows that move over data. */
#include "families.h"

enum { MAX_SPATIAL_AXES = 3 };

struct convolution {
    const int64_t *strides, *dilations, *pads;
    uint32_t stride_count, dilation_count, pad_count;
    int64_t group;
};

/* Whether the padding is the same on both ends of each axis, which Convolution asks for. */
static int is_symmetric(const struct convolution *given) {
    const uint32_t rank = given->pad_count / 2;
    for (uint32_t i = 0; i < rank; i++) {
        if (given->pads[i] != given->pads[rank + i] || given->pads[i] < 0) {
            return 0;
        }
    }
    return 1;
}

static tn_status add_convolution(struct onnx_node *node, const struct convolution *given,
                                 const tn_view *weight) {
    const uint32_t rank = (uint32_t)weight->rank - 2;
    const int has_bias = onnx_has_input(node, 2);
    tn_value inputs[3];
    TN_TRY(onnx_inputs(node, inputs, has_bias ? 3 : 2));
    struct onnx_options options = onnx_options(node);
    onnx_option_ints(&options, "kernel", weight->shape + 2, rank);
    onnx_option_int(&options, "num_filter", weight->shape[0]);
    onnx_option_int(&options, "num_group", given->group);
    onnx_option_text(&options, "no_bias", has_bias ? "False" : "True");
    if (given->stride_count > 0) {
        onnx_option_ints(&options, "stride", given->strides, given->stride_count);
    }
    if (given->dilation_count > 0) {
        onnx_option_ints(&options, "dilate", given->dilations, given->dilation_count);
    }
    if (given->pad_count > 0) {
        onnx_option_ints(&options, "pad", given->pads, rank);
    }
    return onnx_finish(node, "Convolution", &options, inputs, has_bias ? 3 : 2);
}

static tn_status add_plain(struct onnx_node *node, const struct convolution *given,
                           const tn_view *weight) {
    static const char *const names[] = {"strides",      "dilations", "pads",
                                        "kernel_shape", "group",     "auto_pad"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        onnx_ignore(node, names[i]);
    }
    return add_convolution(node, given, weight);
}

/* Convolution is the tuned operator: it asks for a weight of known extents and equal padding on
 * both ends. */
static tn_status conv(struct onnx_node *node) {
    struct convolution given;
    char auto_pad[16];
    const tn_view *weight = onnx_constant(node, 1);
    const int64_t *kernel;
    uint32_t kernel_count;
    if (weight == NULL || weight->rank < 3 || weight->rank > 2 + MAX_SPATIAL_AXES) {
        return onnx_same(node);
    }
    TN_TRY(onnx_ints(node, "strides", &given.strides, &given.stride_count));
    TN_TRY(onnx_ints(node, "dilations", &given.dilations, &given.dilation_count));
    TN_TRY(onnx_ints(node, "pads", &given.pads, &given.pad_count));
    TN_TRY(onnx_ints(node, "kernel_shape", &kernel, &kernel_count));
    TN_TRY(onnx_int(node, "group", 1, &given.group));
    TN_TRY(onnx_text(node, "auto_pad", "NOTSET", auto_pad, sizeof auto_pad));
    int is_plain = strcmp(auto_pad, "NOTSET") == 0 && is_symmetric(&given) &&
                   (given.pad_count == 0 || (int32_t)given.pad_count == 2 * (weight->rank - 2));
    for (uint32_t i = 0; i < kernel_count; i++) {
        is_plain &= (int32_t)kernel_count == weight->rank - 2 && kernel[i] == weight->shape[2 + i];
    }
    memset(node->is_read, 0, node->proto->n_attribute); /* whoever builds the node reads them */
    return is_plain ? add_plain(node, &given, weight) : onnx_same(node);
}

/* A window as large as the data. */
static tn_status global_pool(struct onnx_node *node, const char *type) {
    tn_value data;
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    onnx_option_text(&options, "pool_type", type);
    onnx_option_text(&options, "global_pool", "True");
    return onnx_finish(node, "Pooling", &options, &data, 1);
}

static tn_status global_average_pool(struct onnx_node *node) {
    return global_pool(node, "avg");
}

static tn_status global_max_pool(struct onnx_node *node) {
    return global_pool(node, "max");
}

const struct onnx_mapping window_mappings[] = {
    {"AveragePool", 1, onnx_same, NULL, 1},
    {"Col2Im", 18, onnx_same, NULL, 3},
    {"Conv", 1, conv, NULL, 3},
    {"ConvTranspose", 1, onnx_same, NULL, 3},
    {"GlobalAveragePool", 1, global_average_pool, NULL, 0},
    {"GlobalMaxPool", 1, global_max_pool, NULL, 0},
    {"LpPool", 2, onnx_same, NULL, 1},
    {"MaxPool", 1, onnx_same, NULL, 1},
    {"MaxUnpool", 9, onnx_same, NULL, 3},
    {0},
};
