/* Resampling of images, and spectra of signals. */
#include "families.h"

/* The forms before operator set 11: places are scaled as they are. */
static tn_status add_resize(struct onnx_node *node, tn_value data, tn_value scales) {
    const tn_value absent = {TN_NO_NODE, 0};
    const tn_value inputs[] = {data, absent, scales, absent};
    char mode[16];
    TN_TRY(onnx_text(node, "mode", "nearest", mode, sizeof mode));
    struct onnx_options options = onnx_options(node);
    onnx_option_text(&options, "mode", strcmp(mode, "bilinear") == 0 ? "linear" : mode);
    onnx_option_text(&options, "coordinate_transformation_mode", "asymmetric");
    onnx_option_text(&options, "nearest_mode", "simple");
    return onnx_finish(node, "onnx.Resize", &options, inputs, 4);
}

static tn_status resize_10(struct onnx_node *node) {
    tn_value data, scales;
    TN_TRY(onnx_input(node, 0, &data));
    TN_TRY(onnx_input(node, 1, &scales));
    return add_resize(node, data, scales);
}

static tn_status upsample_7(struct onnx_node *node) {
    const float *factors;
    uint32_t count;
    tn_value data, scales;
    TN_TRY(onnx_input(node, 0, &data));
    TN_TRY(onnx_floats(node, "scales", &factors, &count));
    const int64_t extent = count;
    TN_TRY(onnx_add_constant(node, TN_F32, 1, &extent, factors, &scales));
    return add_resize(node, data, scales);
}

/* Images alone, by two factors. */
static tn_status upsample_1(struct onnx_node *node) {
    static const int64_t extent = 4;
    double height, width;
    tn_value data, scales;
    TN_TRY(onnx_float(node, "height_scale", 1, &height));
    TN_TRY(onnx_float(node, "width_scale", 1, &width));
    TN_TRY(onnx_input(node, 0, &data));
    const float factors[] = {1, 1, (float)height, (float)width};
    TN_TRY(onnx_add_constant(node, TN_F32, 1, &extent, factors, &scales));
    return add_resize(node, data, scales);
}

/* Before operator set 16 regions are not shifted. */
static tn_status roi_align_10(struct onnx_node *node) {
    tn_value inputs[3];
    TN_TRY(onnx_inputs(node, inputs, 3));
    struct onnx_options options = onnx_options(node);
    onnx_option_text(&options, "coordinate_transformation_mode", "output_half_pixel");
    const tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    return onnx_finish(node, "onnx.RoiAlign", &options, inputs, 3);
}

/* Before operator set 20 the axis is an attribute, 1 where it is left out. */
static tn_status dft_17(struct onnx_node *node) {
    int64_t axis, inverse, onesided;
    tn_value inputs[3] = {{0}, {0}, {TN_NO_NODE, 0}};
    TN_TRY(onnx_int(node, "axis", 1, &axis));
    TN_TRY(onnx_int(node, "inverse", 0, &inverse));
    TN_TRY(onnx_int(node, "onesided", 0, &onesided));
    TN_TRY(onnx_inputs(node, inputs, 2));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "axis", axis);
    onnx_option_int(&options, "inverse", inverse);
    onnx_option_int(&options, "onesided", onesided);
    return onnx_finish(node, "onnx.DFT", &options, inputs, 3);
}

const struct onnx_mapping sampling_mappings[] = {
    {"AffineGrid", 20, onnx_same, NULL, 2},
    {"BlackmanWindow", 17, onnx_same, NULL, 1},
    {"DFT", 17, dft_17, NULL, 0},
    {"DFT", 20, onnx_same, NULL, 3},
    {"GridSample", 16, onnx_same, NULL, 2},
    {"HammingWindow", 17, onnx_same, NULL, 1},
    {"HannWindow", 17, onnx_same, NULL, 1},
    {"MelWeightMatrix", 17, onnx_same, NULL, 5},
    {"Resize", 10, resize_10, NULL, 0},
    {"Resize", 11, onnx_same, NULL, 4},
    {"RoiAlign", 10, roi_align_10, NULL, 0},
    {"RoiAlign", 16, onnx_same, NULL, 3},
    {"STFT", 17, onnx_same, NULL, 4},
    {"Upsample", 1, upsample_1, NULL, 0},
    {"Upsample", 7, upsample_7, NULL, 0},
    {"Upsample", 9, resize_10, NULL, 0},
    {0},
};
