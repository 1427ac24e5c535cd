#include "quantised_value.h"

static const char *const dequantize[] = {"onnx.DequantizeLinear", NULL};
static const char *const quantize[] = {"onnx.QuantizeLinear", NULL};

/* What both operators have in the same places. */
static int read_parameters(const pass_work *work, const tn_node_info *info, tn_dtype dtype,
                           quantised_value *out) {
    const tn_value absent = {TN_NO_NODE, 0};
    int64_t axis, block;
    *out = (quantised_value){.data = info->inputs[0], .scale = info->inputs[1], .dtype = dtype};
    out->zero_point = info->input_count > 2 ? info->inputs[2] : absent;
    out->scale_tensor = work_constant(work, out->scale);
    out->zero_tensor = work_constant(work, out->zero_point);
    if (read_integers(node_attribute(info, "axis", "1"), &axis, 1) != 1 ||
        read_integers(node_attribute(info, "block_size", "0"), &block, 1) != 1) {
        return 0;
    }
    out->axis = axis;
    return block == 0 && out->scale_tensor != NULL &&
           work->tensors->view(work->host, out->scale_tensor)->dtype == TN_F32 &&
           (out->zero_point.node == TN_NO_NODE || out->zero_tensor != NULL);
}

/* The zero point has it, too, when what gives the integers is new. */
static tn_dtype dtype_of(const pass_work *work, const tn_node_info *info, tn_value integers) {
    return work_type(work, info->input_count > 2 && info->inputs[2].node != TN_NO_NODE
                               ? info->inputs[2]
                               : integers)
        .dtype;
}

int read_dequantized(const pass_work *work, tn_value value, int takes_int32, quantised_value *out) {
    tn_node_info info;
    if (value.node == TN_NO_NODE || value.output != 0 || !work_node(work, value.node, &info) ||
        !node_is(&info, dequantize) || work_type(work, value).dtype != TN_F32) {
        return 0;
    }
    const tn_dtype dtype = dtype_of(work, &info, info.inputs[0]);
    return (dtype == TN_I8 || dtype == TN_U8 || (takes_int32 && dtype == TN_I32)) &&
           read_parameters(work, &info, dtype, out);
}

int read_quantized(const pass_work *work, uint32_t number, quantised_value *out) {
    tn_node_info info;
    if (!work_node(work, number, &info) || !node_is(&info, quantize)) {
        return 0;
    }
    const tn_dtype dtype = dtype_of(work, &info, (tn_value){number, 0});
    return (dtype == TN_I8 || dtype == TN_U8) && work_type(work, info.inputs[0]).dtype == TN_F32 &&
           read_parameters(work, &info, dtype, out);
}

int64_t quantised_scale_count(const pass_work *work, const quantised_value *value) {
    return tn_element_count(work->tensors->view(work->host, value->scale_tensor));
}

float quantised_scale(const pass_work *work, const quantised_value *value, int64_t index) {
    const float *scales = tn_data(work->tensors->view(work->host, value->scale_tensor));
    return scales[quantised_scale_count(work, value) == 1 ? 0 : index];
}

int has_no_zero_point(const pass_work *work, const quantised_value *value) {
    if (value->zero_tensor == NULL) {
        return 1;
    }
    const tn_view *view = work->tensors->view(work->host, value->zero_tensor);
    const unsigned char *bytes = tn_data(view);
    unsigned char all = 0;
    for (uint64_t i = 0; i < tn_byte_size(view); i++) {
        all |= bytes[i];
    }
    return all == 0;
}

static unsigned char zero_byte(const pass_work *work, const quantised_value *value) {
    return value->zero_tensor == NULL ? 0
                                      : *(const unsigned char *)tn_data(
                                            work->tensors->view(work->host, value->zero_tensor));
}

int begins_at_zero_point(const pass_work *work, const quantised_value *value) {
    return zero_byte(work, value) == (value->dtype == TN_I8 ? 0x80 : 0);
}

int mean_the_same(const pass_work *work, const quantised_value *a, const quantised_value *b) {
    return a->dtype == b->dtype && a->dtype != TN_I32 && quantised_scale_count(work, a) == 1 &&
           quantised_scale_count(work, b) == 1 &&
           quantised_scale(work, a, 0) == quantised_scale(work, b, 0) &&
           zero_byte(work, a) == zero_byte(work, b);
}

tn_status zero_point_input(const pass_work *work, const quantised_value *value, const char *stem,
                           tn_value *out_value) {
    tn_tensor *zero;
    *out_value = value->zero_point;
    if (value->zero_point.node != TN_NO_NODE) {
        return TN_OK;
    }
    TN_TRY(work->tensors->create(work->host, value->dtype, 0, NULL, &zero));
    *(unsigned char *)tn_data(work->tensors->view(work->host, zero)) = 0;
    const tn_status status = work_add_parameter(work, stem, "zero_point", zero, out_value);
    work->tensors->release(work->host, zero);
    return status;
}
