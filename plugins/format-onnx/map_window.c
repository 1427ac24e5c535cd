/* Windows that move over data. */
#include "families.h"

enum { MAX_SPATIAL_AXES = 3 };

struct window {
    const int64_t *kernel, *strides, *dilations, *pads;
    uint32_t rank; /* of kernel; 0: it is not given */
    uint32_t stride_count, dilation_count, pad_count;
    char auto_pad[16];
};

/* What most window operators have. */
static tn_status read_window(struct onnx_node *node, struct window *window) {
    TN_TRY(onnx_ints(node, "kernel_shape", &window->kernel, &window->rank));
    TN_TRY(onnx_ints(node, "strides", &window->strides, &window->stride_count));
    TN_TRY(onnx_ints(node, "dilations", &window->dilations, &window->dilation_count));
    TN_TRY(onnx_ints(node, "pads", &window->pads, &window->pad_count));
    return onnx_text(node, "auto_pad", "NOTSET", window->auto_pad, sizeof window->auto_pad);
}

static int pads_itself(const struct window *window) {
    return strncmp(window->auto_pad, "SAME_", 5) == 0;
}

/* Whether the tuned operators take the window: they have up to three axes, and pad but do not
 * crop. */
static int is_usual(const struct window *window) {
    int usual = window->rank >= 1 && window->rank <= MAX_SPATIAL_AXES;
    usual &= window->pad_count == 0 || window->pad_count == 2 * window->rank;
    for (uint32_t i = 0; i < window->pad_count; i++) {
        usual &= window->pads[i] >= 0;
    }
    return usual;
}

static void put_window(struct onnx_options *options, const struct window *window) {
    onnx_option_ints(options, "kernel", window->kernel, window->rank);
    if (window->stride_count > 0) {
        onnx_option_ints(options, "stride", window->strides, window->stride_count);
    }
    if (window->pad_count > 0 && strcmp(window->auto_pad, "NOTSET") == 0) {
        onnx_option_ints(options, "pad", window->pads, window->pad_count);
    }
}

/* Whoever builds the node reads its attributes. */
static tn_status as_it_is(struct onnx_node *node) {
    memset(node->is_read, 0, node->proto->n_attribute);
    return onnx_same(node);
}

static tn_status finish_convolution(struct onnx_node *node, const char *op,
                                    struct onnx_options *options, const struct window *window,
                                    int64_t group) {
    const int has_bias = onnx_has_input(node, 2);
    tn_value inputs[3];
    tn_status status = onnx_inputs(node, inputs, has_bias ? 3 : 2);
    if (status != TN_OK) {
        onnx_options_finish(options);
        return status;
    }
    put_window(options, window);
    if (window->dilation_count > 0) {
        onnx_option_ints(options, "dilate", window->dilations, window->dilation_count);
    }
    onnx_option_int(options, "num_group", group);
    onnx_option_text(options, "no_bias", has_bias ? "False" : "True");
    return onnx_finish(node, op, options, inputs, has_bias ? 3 : 2);
}

/* A weight whose extents are known: it is a constant, or the numbers of a quantised one. */
static const tn_view *known_weight(const struct onnx_node *node) {
    const tn_view *weight = onnx_constant(node, 1);
    tn_value value;
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    if (weight != NULL || onnx_input(node, 1, &value) != TN_OK ||
        TN_SERVICE(node->host, graph)
                ->node_info(node->host, node->scope->graph, value.node, &info) != TN_OK) {
        return weight;
    }
    return info.op != NULL && strcmp(info.op, "onnx.DequantizeLinear") == 0
               ? onnx_value_view(node->scope, info.inputs[0])
               : NULL;
}

/* Convolution is the tuned operator: it asks for the kernel's extents. */
static tn_status conv(struct onnx_node *node) {
    struct window window;
    int64_t group;
    const tn_view *weight = known_weight(node);
    TN_TRY(read_window(node, &window));
    TN_TRY(onnx_int(node, "group", 1, &group));
    if (window.rank == 0 && weight != NULL && weight->rank > 2) {
        window.kernel = weight->shape + 2;
        window.rank = (uint32_t)weight->rank - 2;
    }
    if (!is_usual(&window) || group < 1) {
        return as_it_is(node);
    }
    struct onnx_options options = onnx_options(node);
    if (pads_itself(&window)) {
        onnx_option_text(&options, "auto_pad",
                         strcmp(window.auto_pad, "SAME_UPPER") == 0 ? "same_upper" : "same_lower");
    }
    return finish_convolution(node, "Convolution", &options, &window, group);
}

/* Deconvolution lengthens the output by less than a stride, and does not choose its padding. */
static tn_status conv_transpose(struct onnx_node *node) {
    struct window window;
    const int64_t *behind, *shape;
    uint32_t behind_count, shape_count;
    int64_t group;
    TN_TRY(read_window(node, &window));
    TN_TRY(onnx_int(node, "group", 1, &group));
    TN_TRY(onnx_ints(node, "output_padding", &behind, &behind_count));
    TN_TRY(onnx_ints(node, "output_shape", &shape, &shape_count));
    int fits = is_usual(&window) && group >= 1 && !pads_itself(&window) && shape_count == 0 &&
               (behind_count == 0 || behind_count == window.rank);
    for (uint32_t i = 0; fits && i < behind_count; i++) {
        fits = behind[i] < (window.stride_count == window.rank ? window.strides[i] : 1);
    }
    if (!fits) {
        return as_it_is(node);
    }
    struct onnx_options options = onnx_options(node);
    if (behind_count > 0) {
        onnx_option_ints(&options, "adj", behind, behind_count);
    }
    return finish_convolution(node, "Deconvolution", &options, &window, group);
}

/* Pooling's convention "full" keeps a last place that lies behind the data; where the window is
 * long enough there is none. */
static int full_agrees(const struct window *window) {
    int agrees = 1;
    for (uint32_t i = 0; i < window->rank; i++) {
        const int64_t stride = window->stride_count == window->rank ? window->strides[i] : 1;
        const int64_t behind = window->pad_count > 0 ? window->pads[window->rank + i] : 0;
        agrees &= stride <= window->kernel[i] - behind;
    }
    return agrees;
}

static int is_dilated(const struct window *window) {
    for (uint32_t i = 0; i < window->dilation_count; i++) {
        if (window->dilations[i] != 1) {
            return 1;
        }
    }
    return 0;
}

static tn_status pool(struct onnx_node *node, const char *type) {
    struct window window;
    tn_value data;
    int64_t ceil_mode, counts_padding, ignored;
    TN_TRY(read_window(node, &window));
    TN_TRY(onnx_int(node, "ceil_mode", 0, &ceil_mode));
    TN_TRY(onnx_int(node, "count_include_pad", 0, &counts_padding));
    TN_TRY(onnx_int(node, "storage_order", 0, &ignored)); /* of the indices */
    if (!is_usual(&window) || onnx_has_output(node, 1) || is_dilated(&window) ||
        strcmp(window.auto_pad, "SAME_LOWER") == 0 || (ceil_mode && !full_agrees(&window))) {
        return as_it_is(node);
    }
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    put_window(&options, &window);
    onnx_option_text(&options, "pool_type", type);
    onnx_option_text(&options, "pooling_convention",
                     pads_itself(&window) ? "same"
                     : ceil_mode          ? "full"
                                          : "valid");
    onnx_option_text(&options, "count_include_pad", counts_padding ? "True" : "False");
    return onnx_finish(node, "Pooling", &options, &data, 1);
}

static tn_status average_pool(struct onnx_node *node) {
    return pool(node, "avg");
}

static tn_status max_pool(struct onnx_node *node) {
    return pool(node, "max");
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

static tn_status max_roi_pool(struct onnx_node *node) {
    const int64_t *extents;
    uint32_t count;
    double scale;
    tn_value inputs[2];
    TN_TRY(onnx_ints(node, "pooled_shape", &extents, &count));
    TN_TRY(onnx_float(node, "spatial_scale", 1, &scale));
    TN_TRY(onnx_inputs(node, inputs, 2));
    struct onnx_options options = onnx_options(node);
    onnx_option_ints(&options, "pooled_size", extents, count);
    onnx_option_float(&options, "spatial_scale", scale);
    return onnx_finish(node, "ROIPooling", &options, inputs, 2);
}

const struct onnx_mapping window_mappings[] = {
    {"AveragePool", 1, average_pool, NULL, 1},
    {"CausalConvWithState", 27, onnx_same, NULL, 4},
    {"Col2Im", 18, onnx_same, NULL, 3},
    {"Conv", 1, conv, NULL, 3},
    {"ConvTranspose", 1, conv_transpose, NULL, 3},
    {"DeformConv", 19, onnx_same, NULL, 5},
    {"GlobalAveragePool", 1, global_average_pool, NULL, 0},
    {"GlobalLpPool", 1, onnx_same, "onnx.LpPool", 1},
    {"GlobalMaxPool", 1, global_max_pool, NULL, 0},
    {"LpPool", 1, onnx_same, NULL, 1},
    {"MaxPool", 1, max_pool, NULL, 1},
    {"MaxRoiPool", 1, max_roi_pool, NULL, 0},
    {"MaxUnpool", 9, onnx_same, NULL, 3},
    {0},
};
