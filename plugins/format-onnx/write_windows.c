/* Windows that move over data: convolution and pooling. */
#include "write_rules.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* An attribute for each spatial axis, where it is given. */
static void put_ints(struct bytes_out *made, const char *name, const tn_ints *list) {
    if (list->count > 0) {
        attribute_ints(made, name, list->values, (uint32_t)list->count);
    }
}

/* A list with both sides as it is, any other before and behind. */
static void put_pads(struct bytes_out *made, const tn_ints *pad, const tn_ints *kernel) {
    int64_t pads[2 * TN_MAX_RANK];
    if (pad->count == 2 * kernel->count) {
        put_ints(made, "pads", pad);
    } else if (pad->count > 0 && pad->count <= TN_MAX_RANK) {
        memcpy(pads, pad->values, (size_t)pad->count * sizeof *pads);
        memcpy(pads + pad->count, pad->values, (size_t)pad->count * sizeof *pads);
        attribute_ints(made, "pads", pads, (uint32_t)pad->count * 2);
    }
}

struct convolution_attributes {
    tn_ints kernel, stride, dilate, pad;
    int64_t num_group;
    int32_t layout;
    int32_t auto_pad;
};

enum { AUTO_PAD_NONE, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER };

#define LAYOUTS "None|NCW|NCHW|NCDHW|NWC|NHWC|NDHWC"
enum { LAST_CHANNELS_FIRST = 3 };

static const tn_attribute convolution_table[] = {
    TN_FIELD(struct convolution_attributes, kernel, INTS, "()", NULL, ""),
    TN_FIELD(struct convolution_attributes, stride, INTS, "()", NULL, ""),
    TN_FIELD(struct convolution_attributes, dilate, INTS, "()", NULL, ""),
    TN_FIELD(struct convolution_attributes, pad, INTS, "()", NULL, ""),
    TN_FIELD(struct convolution_attributes, num_group, INT, "1", NULL, ""),
    TN_FIELD_CHOICE(struct convolution_attributes, layout, "None", LAYOUTS, ""),
    TN_FIELD_CHOICE(struct convolution_attributes, auto_pad, "None", "None|same_upper|same_lower",
                    ""),
};

tn_status write_convolution(struct written_node *node) {
    struct convolution_attributes given;
    char data[ONNX_NAME_SIZE], weight[ONNX_NAME_SIZE], bias[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, convolution_table, COUNT_OF(convolution_table), &given,
                            sizeof given));
    if (given.layout > LAST_CHANNELS_FIRST) {
        release_attributes(node, convolution_table, COUNT_OF(convolution_table), &given);
        return write_fail(node, TN_UNSUPPORTED, "ONNX has channels first alone");
    }
    const char *const inputs[] = {input_value(node, 0, data), input_value(node, 1, weight),
                                  node->info->input_count > 2 ? input_value(node, 2, bias) : NULL,
                                  NULL};
    struct bytes_out made = begin_node(node, "Conv", inputs, output_value(node, 0, output));
    put_ints(&made, "kernel_shape", &given.kernel);
    put_ints(&made, "strides", &given.stride);
    put_ints(&made, "dilations", &given.dilate);
    put_pads(&made, &given.pad, &given.kernel);
    if (given.auto_pad != AUTO_PAD_NONE) {
        attribute_text(&made, "auto_pad",
                       given.auto_pad == AUTO_PAD_SAME_UPPER ? "SAME_UPPER" : "SAME_LOWER");
    }
    attribute_int(&made, "group", given.num_group);
    end_node(node, &made);
    release_attributes(node, convolution_table, COUNT_OF(convolution_table), &given);
    return TN_OK;
}

/* Besides those that it shares with Convolution. */
struct deconvolution_attributes {
    tn_ints adj, target_shape;
};

static const tn_attribute deconvolution_table[] = {
    TN_FIELD(struct deconvolution_attributes, adj, INTS, "()", NULL, ""),
    TN_FIELD(struct deconvolution_attributes, target_shape, INTS, "()", NULL, ""),
};

static void put_deconvolution(struct written_node *node,
                              const struct convolution_attributes *window, const tn_ints *adj) {
    char data[ONNX_NAME_SIZE], weight[ONNX_NAME_SIZE], bias[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    const char *const inputs[] = {input_value(node, 0, data), input_value(node, 1, weight),
                                  node->info->input_count > 2 ? input_value(node, 2, bias) : NULL,
                                  NULL};
    struct bytes_out made =
        begin_node(node, "ConvTranspose", inputs, output_value(node, 0, output));
    put_ints(&made, "kernel_shape", &window->kernel);
    put_ints(&made, "strides", &window->stride);
    put_ints(&made, "dilations", &window->dilate);
    put_ints(&made, "output_padding", adj);
    put_pads(&made, &window->pad, &window->kernel);
    attribute_int(&made, "group", window->num_group);
    end_node(node, &made);
}

tn_status write_deconvolution(struct written_node *node) {
    struct convolution_attributes window;
    struct deconvolution_attributes given;
    TN_TRY(parse_attributes(node, convolution_table, COUNT_OF(convolution_table), &window,
                            sizeof window));
    tn_status status = parse_attributes(node, deconvolution_table, COUNT_OF(deconvolution_table),
                                        &given, sizeof given);
    if (status == TN_OK) {
        if (window.layout > LAST_CHANNELS_FIRST || given.target_shape.count > 0) {
            status = write_fail(node, TN_UNSUPPORTED,
                                "ONNX has channels first alone, and no target_shape");
        } else {
            put_deconvolution(node, &window, &given.adj);
        }
        release_attributes(node, deconvolution_table, COUNT_OF(deconvolution_table), &given);
    }
    release_attributes(node, convolution_table, COUNT_OF(convolution_table), &window);
    return status;
}

struct pooling_attributes {
    tn_ints kernel, stride, pad;
    int32_t pool_type, global_pool, pooling_convention, count_include_pad, layout;
};

static const tn_attribute pooling_table[] = {
    TN_FIELD(struct pooling_attributes, kernel, INTS, "()", NULL, ""),
    TN_FIELD(struct pooling_attributes, stride, INTS, "()", NULL, ""),
    TN_FIELD(struct pooling_attributes, pad, INTS, "()", NULL, ""),
    TN_FIELD_CHOICE(struct pooling_attributes, pool_type, "max", "max|avg|sum|lp", ""),
    TN_FIELD(struct pooling_attributes, global_pool, BOOL, "False", NULL, ""),
    TN_FIELD_CHOICE(struct pooling_attributes, pooling_convention, "valid", "valid|full|same", ""),
    TN_FIELD_CHOICE(struct pooling_attributes, count_include_pad, "None",
                    "None|True|False|true|false|1|0", ""),
    TN_FIELD_CHOICE(struct pooling_attributes, layout, "None", LAYOUTS, ""),
};

enum { CONVENTION_VALID, CONVENTION_FULL, CONVENTION_SAME };

/* The last window may reach out of the data; ONNX leaves it out where it would begin behind the
 * data, which one that is long enough never does. */
static int full_agrees(const struct pooling_attributes *given) {
    int agrees = 1;
    for (int64_t i = 0; i < given->kernel.count; i++) {
        const int64_t behind =
            given->pad.count == 2 * given->kernel.count ? given->kernel.count : 0;
        const int64_t stride = given->stride.count > 0 ? given->stride.values[i] : 1;
        const int64_t pad = given->pad.count > 0 ? given->pad.values[behind + i] : 0;
        agrees = agrees && stride + pad <= given->kernel.values[i];
    }
    return agrees;
}

static void put_pooling(struct written_node *node, const struct pooling_attributes *given) {
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    const int is_average = given->pool_type == 1;
    const int is_excluding = given->count_include_pad == 2 || given->count_include_pad == 4 ||
                             given->count_include_pad == 6;
    output_value(node, 0, output);
    if (given->global_pool) {
        write_plain(node, is_average ? "GlobalAveragePool" : "GlobalMaxPool", inputs, output);
        return;
    }
    struct bytes_out made =
        begin_node(node, is_average ? "AveragePool" : "MaxPool", inputs, output);
    put_ints(&made, "kernel_shape", &given->kernel);
    put_ints(&made, "strides", &given->stride);
    put_pads(&made, &given->pad, &given->kernel);
    if (given->pooling_convention == CONVENTION_FULL) {
        attribute_int(&made, "ceil_mode", 1);
    }
    if (given->pooling_convention == CONVENTION_SAME) {
        attribute_text(&made, "auto_pad", "SAME_UPPER");
    }
    if (is_average) {
        attribute_int(&made, "count_include_pad", !is_excluding);
    }
    end_node(node, &made);
}

tn_status write_pooling(struct written_node *node) {
    struct pooling_attributes given;
    TN_TRY(parse_attributes(node, pooling_table, COUNT_OF(pooling_table), &given, sizeof given));
    const int fits =
        given.pool_type <= 1 && given.layout <= LAST_CHANNELS_FIRST &&
        (given.global_pool || given.pooling_convention != CONVENTION_FULL || full_agrees(&given));
    if (fits) {
        put_pooling(node, &given);
    }
    release_attributes(node, pooling_table, COUNT_OF(pooling_table), &given);
    return fits ? TN_OK
                : write_fail(node, TN_UNSUPPORTED,
                             "only max and avg, channels first, agree with ONNX, and with "
                             "pooling_convention full only where kernel is at least stride + pad");
}
