/* What cuts parts out, adds margins, or picks rows. */
#include "write_rules.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

struct slice_axis_attributes {
    int64_t axis, begin, end;
};

static const tn_attribute slice_axis_table[] = {
    TN_FIELD(struct slice_axis_attributes, axis, INT, NULL, NULL, ""),
    TN_FIELD(struct slice_axis_attributes, begin, INT, NULL, NULL, ""),
    TN_FIELD_OR_NONE(struct slice_axis_attributes, end, INT, NULL, NULL, ""),
};

tn_status write_slice_axis(struct written_node *node) {
    struct slice_axis_attributes given;
    char data[ONNX_NAME_SIZE], begin[ONNX_NAME_SIZE], end[ONNX_NAME_SIZE], axis[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    TN_TRY(
        parse_attributes(node, slice_axis_table, COUNT_OF(slice_axis_table), &given, sizeof given));
    const int64_t last = given.end == TN_NONE ? INT64_MAX : given.end;
    const char *const inputs[] = {
        input_value(node, 0, data), constant_ints(node, &given.begin, 1, begin),
        constant_ints(node, &last, 1, end), constant_ints(node, &given.axis, 1, axis), NULL};
    write_plain(node, "Slice", inputs, output_value(node, 0, output));
    return TN_OK;
}

struct crop_attributes {
    tn_ints offset, h_w;
    int32_t center_crop;
};

static const tn_attribute crop_table[] = {
    TN_FIELD(struct crop_attributes, offset, INTS, "(0, 0)", NULL, ""),
    TN_FIELD(struct crop_attributes, h_w, INTS, "(0, 0)", NULL, ""),
    TN_FIELD(struct crop_attributes, center_crop, BOOL, "False", NULL, ""),
};

static const int64_t spatial_axes[] = {2, 3};

/* The height and width of an input, as a vector. */
static const char *spatial_extents(struct written_node *node, uint32_t input, char *name) {
    static const int64_t first = 2, end = 4;
    char value[ONNX_NAME_SIZE], shape[ONNX_NAME_SIZE], from[ONNX_NAME_SIZE], to[ONNX_NAME_SIZE];
    const char *const values[] = {input_value(node, input, value), NULL};
    write_plain(node, "Shape", values, between_value(node, shape));
    const char *const parts[] = {shape, constant_ints(node, &first, 1, from),
                                 constant_ints(node, &end, 1, to), NULL};
    write_plain(node, "Slice", parts, between_value(node, name));
    return name;
}

/* Half of what is left over around what is cut out. */
static const char *middle_offset(struct written_node *node, const char *size, char *name) {
    static const int64_t two[] = {2};
    char whole[ONNX_NAME_SIZE], rest[ONNX_NAME_SIZE], divisor[ONNX_NAME_SIZE];
    const char *const terms[] = {spatial_extents(node, 0, whole), size, NULL};
    write_plain(node, "Sub", terms, between_value(node, rest));
    const char *const factors[] = {rest, constant_ints(node, two, 1, divisor), NULL};
    write_plain(node, "Div", factors, between_value(node, name));
    return name;
}

tn_status write_crop(struct written_node *node) {
    struct crop_attributes given;
    char data[ONNX_NAME_SIZE], size[ONNX_NAME_SIZE], begin[ONNX_NAME_SIZE], end[ONNX_NAME_SIZE],
        axes[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, crop_table, COUNT_OF(crop_table), &given, sizeof given));
    const int fits = given.offset.count == 2 && given.h_w.count == 2;
    if (fits && node->info->input_count > 1) {
        spatial_extents(node, 1, size);
    } else if (fits) {
        constant_ints(node, given.h_w.values, 2, size);
    }
    if (fits && given.center_crop) {
        middle_offset(node, size, begin);
    } else if (fits) {
        constant_ints(node, given.offset.values, 2, begin);
    }
    release_attributes(node, crop_table, COUNT_OF(crop_table), &given);
    if (!fits) {
        return write_fail(node, TN_INVALID_ARGUMENT, "offset and h_w are two numbers each");
    }
    const char *const terms[] = {begin, size, NULL};
    write_plain(node, "Add", terms, between_value(node, end));
    const char *const inputs[] = {input_value(node, 0, data), begin, end,
                                  constant_ints(node, spatial_axes, 2, axes), NULL};
    write_plain(node, "Slice", inputs, output_value(node, 0, output));
    return TN_OK;
}

struct pad_attributes {
    tn_ints pad_width;
    double constant_value;
    const char *mode;
};

static const tn_attribute pad_table[] = {
    TN_FIELD(struct pad_attributes, pad_width, INTS, NULL, NULL, ""),
    TN_FIELD(struct pad_attributes, constant_value, FLOAT, "0", NULL, ""),
    TN_FIELD(struct pad_attributes, mode, STRING, NULL, NULL, ""),
};

/* ONNX lists all margins in front, then all behind. */
tn_status write_pad(struct written_node *node) {
    struct pad_attributes given;
    int64_t pads[2 * TN_MAX_RANK];
    char data[ONNX_NAME_SIZE], widths[ONNX_NAME_SIZE], value[ONNX_NAME_SIZE],
        output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, pad_table, COUNT_OF(pad_table), &given, sizeof given));
    const int64_t count = given.pad_width.count;
    if (count % 2 != 0 || count > 2 * TN_MAX_RANK) {
        release_attributes(node, pad_table, COUNT_OF(pad_table), &given);
        return write_fail(node, TN_INVALID_ARGUMENT, "pad_width has %lld numbers",
                          (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        pads[i % 2 * (count / 2) + i / 2] = given.pad_width.values[i];
    }
    const char *const inputs[] = {
        input_value(node, 0, data), constant_ints(node, pads, (uint32_t)count, widths),
        constant_like(node, given.constant_value, node->info->inputs[0], value), NULL};
    struct bytes_out made = begin_node(node, "Pad", inputs, output_value(node, 0, output));
    attribute_text(&made, "mode", given.mode);
    end_node(node, &made);
    release_attributes(node, pad_table, COUNT_OF(pad_table), &given);
    return TN_OK;
}

struct embedding_attributes {
    int64_t input_dim;
};

static const tn_attribute embedding_table[] = {
    TN_FIELD(struct embedding_attributes, input_dim, INT, NULL, NULL, ""),
};

static const char *number(struct written_node *node, int64_t value, char *name) {
    const tn_view view = {.data = &value, .dtype = TN_I64};
    return constant_view(node, &view, name);
}

/* Indices are floats that are cut off, and those beyond the rows mean the nearest one. */
tn_status write_embedding(struct written_node *node) {
    enum { ONNX_INT64 = 7 };
    struct embedding_attributes given;
    char data[ONNX_NAME_SIZE], whole[ONNX_NAME_SIZE], kept[ONNX_NAME_SIZE], low[ONNX_NAME_SIZE],
        high[ONNX_NAME_SIZE], weight[ONNX_NAME_SIZE], output[ONNX_NAME_SIZE];
    TN_TRY(parse_attributes(node, embedding_table, 1, &given, sizeof given));
    const char *const inputs[] = {input_value(node, 0, data), NULL};
    struct bytes_out cast = begin_node(node, "Cast", inputs, between_value(node, whole));
    attribute_int(&cast, "to", ONNX_INT64);
    end_node(node, &cast);
    const char *const bounds[] = {whole, number(node, 0, low),
                                  number(node, given.input_dim - 1, high), NULL};
    write_plain(node, "Clip", bounds, between_value(node, kept));
    const char *const rows[] = {input_value(node, 1, weight), kept, NULL};
    write_plain(node, "Gather", rows, output_value(node, 0, output));
    return TN_OK;
}
