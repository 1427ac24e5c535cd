/* What moves, joins, cuts, reduces or converts elements. */
#include "dtype.h"
#include "write_rules.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

struct concat_attributes {
    int64_t dim;
};

static const tn_attribute concat_table[] = {
    TN_FIELD(struct concat_attributes, dim, INT, "1", NULL, ""),
};

tn_status write_concat(struct written_node *node) {
    struct concat_attributes given;
    char name[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    static const char *const none[] = {NULL};
    TN_TRY(parse_attributes(node, concat_table, 1, &given, sizeof given));
    struct bytes_out made = begin_node(node, "Concat", none, output_value(node, 0, output));
    for (uint32_t i = 0; i < node->info->input_count; i++) {
        put_text(&made, 1, input_value(node, i, name)); /* NodeProto.input */
    }
    attribute_int(&made, "axis", given.dim);
    end_node(node, &made);
    return TN_OK;
}

tn_status write_flatten(struct written_node *node) {
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out made = begin_node(node, "Flatten", inputs, output_value(node, 0, output));
    attribute_int(&made, "axis", 1);
    end_node(node, &made);
    return TN_OK;
}

struct reshape_attributes {
    tn_ints shape, target_shape;
    int32_t reverse;
};

static const tn_attribute reshape_table[] = {
    TN_FIELD(struct reshape_attributes, shape, INTS, "()", NULL, ""),
    TN_FIELD(struct reshape_attributes, target_shape, INTS, "()", NULL, ""),
    TN_FIELD(struct reshape_attributes, reverse, BOOL, "False", NULL, ""),
};

static int has_plain_codes(const struct reshape_attributes *given) {
    int fits = !given->reverse && (given->shape.count > 0 || given->target_shape.count == 0);
    for (int64_t i = 0; i < given->shape.count; i++) {
        fits = fits && given->shape.values[i] >= -1;
    }
    return fits;
}

tn_status write_reshape(struct written_node *node) {
    struct reshape_attributes given;
    char data[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, reshape_table, COUNT_OF(reshape_table), &given, sizeof given));
    const int fits = has_plain_codes(&given);
    if (fits) {
        const char *const inputs[] = {
            input_value(node, 0, data),
            constant_ints(node, given.shape.values, (uint32_t)given.shape.count, shape), NULL};
        write_plain(node, "Reshape", inputs, output_value(node, 0, output));
    }
    release_attributes(node, reshape_table, COUNT_OF(reshape_table), &given);
    return fits ? TN_OK
                : write_fail(node, TN_UNSUPPORTED,
                             "ONNX knows the codes 0 and -1 alone, matched from the left");
}

struct axes_attributes {
    tn_ints axes;
};

static const tn_attribute transpose_table[] = {
    TN_FIELD(struct axes_attributes, axes, INTS, "()", NULL, ""),
};

tn_status write_transpose(struct written_node *node) {
    struct axes_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, transpose_table, 1, &given, sizeof given));
    int fits = 1;
    for (int64_t i = 0; i < given.axes.count; i++) {
        fits = fits && given.axes.values[i] >= 0;
    }
    if (fits) {
        const char *const inputs[] = {input_value(node, 0, data), NULL};
        struct bytes_out made =
            begin_node(node, "Transpose", inputs, output_value(node, 0, output));
        if (given.axes.count > 0) {
            attribute_ints(&made, "perm", given.axes.values, (uint32_t)given.axes.count);
        }
        end_node(node, &made);
    }
    release_attributes(node, transpose_table, 1, &given);
    return fits ? TN_OK : write_fail(node, TN_UNSUPPORTED, "ONNX has no negative axes here");
}

struct axis_attributes {
    int64_t axis;
};

static const tn_attribute expand_dims_table[] = {
    TN_FIELD(struct axis_attributes, axis, INT, NULL, NULL, ""),
};

tn_status write_expand_dims(struct written_node *node) {
    struct axis_attributes given;
    char data[ONNX_NAME_SIZE], axes[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, expand_dims_table, 1, &given, sizeof given));
    const char *const inputs[] = {input_value(node, 0, data),
                                  constant_ints(node, &given.axis, 1, axes), NULL};
    write_plain(node, "Unsqueeze", inputs, output_value(node, 0, output));
    return TN_OK;
}

struct reduction_attributes {
    tn_ints axis;
    int32_t keepdims, exclude;
};

static const tn_attribute reduction_table[] = {
    TN_FIELD_OR_NONE(struct reduction_attributes, axis, INTS, "None", NULL, ""),
    TN_FIELD(struct reduction_attributes, keepdims, BOOL, "False", NULL, ""),
    TN_FIELD(struct reduction_attributes, exclude, BOOL, "False", NULL, ""),
};

/* Whether all axes go: what is left has one then, not none as in ONNX. */
static int leaves_one_axis(const struct written_node *node,
                           const struct reduction_attributes *given) {
    const int32_t rank = known_type(node->writer, node->info->inputs[0]).shape.rank;
    return !given->keepdims && (given->axis.count <= 0 || given->axis.count == rank);
}

/* The axes of a sum are an input from operator set 13 on, those of others an attribute until 18. */
static void put_reduction(struct written_node *node, const struct reduction_attributes *given) {
    static const int64_t one[] = {1};
    char data[ONNX_NAME_SIZE], axes[ONNX_NAME_SIZE], scalar[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    const int is_scalar = leaves_one_axis(node, given);
    const int is_sum = strcmp(node->rule->target, "ReduceSum") == 0;
    const uint32_t count = given->axis.count > 0 ? (uint32_t)given->axis.count : 0;
    const char *const inputs[] = {
        input_value(node, 0, data),
        is_sum && count > 0 ? constant_ints(node, given->axis.values, count, axes) : NULL, NULL};
    output_value(node, 0, output);
    struct bytes_out made = begin_node(node, node->rule->target, inputs,
                                       is_scalar ? between_value(node, scalar) : output);
    if (!is_sum && count > 0) {
        attribute_ints(&made, "axes", given->axis.values, count);
    }
    attribute_int(&made, "keepdims", given->keepdims);
    end_node(node, &made);
    if (is_scalar) {
        const char *const shaped[] = {scalar, constant_ints(node, one, 1, shape), NULL};
        write_plain(node, "Reshape", shaped, output);
    }
}

tn_status write_reduction(struct written_node *node) {
    struct reduction_attributes given;
    TN_TRY(
        parse_attributes(node, reduction_table, COUNT_OF(reduction_table), &given, sizeof given));
    const int fits = !given.exclude;
    if (fits) {
        put_reduction(node, &given);
    }
    release_attributes(node, reduction_table, COUNT_OF(reduction_table), &given);
    return fits ? TN_OK : write_fail(node, TN_UNSUPPORTED, "ONNX names the axes that are reduced");
}

struct slice_channel_attributes {
    int64_t axis;
    int32_t squeeze_axis;
};

static const tn_attribute slice_channel_table[] = {
    TN_FIELD(struct slice_channel_attributes, axis, INT, "1", NULL, ""),
    TN_FIELD(struct slice_channel_attributes, squeeze_axis, BOOL, "False", NULL, ""),
};

/* Parts of more than one row keep the axis, also where it is to go. */
static int loses_axis(const struct written_node *node) {
    const tn_shape whole = known_type(node->writer, node->info->inputs[0]).shape;
    const tn_shape part = known_type(node->writer, (tn_value){node->number, 0}).shape;
    return whole.rank < 0 || part.rank < whole.rank;
}

tn_status write_slice_channel(struct written_node *node) {
    struct slice_channel_attributes given;
    char data[ONNX_NAME_SIZE], axes[ONNX_NAME_SIZE], name[ONNX_NAME_SIZE], part[ONNX_NAME_SIZE];
    const uint32_t first = node->made, count = node->info->output_count;
    TN_TRY(parse_attributes(node, slice_channel_table, COUNT_OF(slice_channel_table), &given,
                            sizeof given));
    given.squeeze_axis = given.squeeze_axis && loses_axis(node);
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out made =
        begin_node(node, "Split", inputs,
                   given.squeeze_axis ? between_value(node, name) : output_value(node, 0, name));
    for (uint32_t i = 1; i < count; i++) {
        add_output(&made,
                   given.squeeze_axis ? between_value(node, name) : output_value(node, i, name));
    }
    attribute_int(&made, "axis", given.axis);
    end_node(node, &made);
    if (!given.squeeze_axis) {
        return TN_OK;
    }
    constant_ints(node, &given.axis, 1, axes);
    const uint32_t last = node->made;
    for (uint32_t i = 0; i < count; i++) {
        node->made = first + i;
        const char *const whole[] = {between_value(node, part), axes, NULL};
        write_plain(node, "Squeeze", whole, output_value(node, i, name));
    }
    node->made = last;
    return TN_OK;
}

struct cast_attributes {
    tn_dtype dtype;
};

static const tn_attribute cast_table[] = {
    TN_FIELD(struct cast_attributes, dtype, DTYPE, NULL, NULL, ""),
};

tn_status write_cast(struct written_node *node) {
    struct cast_attributes given;
    char data[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, cast_table, 1, &given, sizeof given));
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out made = begin_node(node, "Cast", inputs, output_value(node, 0, output));
    attribute_int(&made, "to", dtype_to_onnx(given.dtype));
    end_node(node, &made);
    return TN_OK;
}

struct clip_attributes {
    double a_min, a_max;
};

static const tn_attribute clip_table[] = {
    TN_FIELD(struct clip_attributes, a_min, FLOAT, NULL, NULL, ""),
    TN_FIELD(struct clip_attributes, a_max, FLOAT, NULL, NULL, ""),
};

/* A bound that is no number bounds nothing. */
static const char *bound(struct written_node *node, double value, char *name) {
    return value == value ? constant_like(node, value, node->info->inputs[0], name) : "";
}

tn_status write_clip(struct written_node *node) {
    struct clip_attributes given;
    char data[ONNX_NAME_SIZE], low[ONNX_NAME_SIZE], high[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, clip_table, COUNT_OF(clip_table), &given, sizeof given));
    input_value(node, 0, data);
    const char *const inputs[] = {data, bound(node, given.a_min, low),
                                  bound(node, given.a_max, high), NULL};
    write_plain(node, "Clip", inputs, output_value(node, 0, output));
    return TN_OK;
}
