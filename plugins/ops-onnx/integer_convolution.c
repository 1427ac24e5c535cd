/* The operators ConvInteger and QLinearConv. */
#include "integer_convolution.h"

#include "families.h"
#include "operator.h"
#include "shapes.h"

static const tn_attribute table[] = {
    WINDOW_FIELDS(integer_convolution_attributes),
    TN_FIELD(integer_convolution_attributes, group, INT, "1", "[1,2147483647]",
             "Into how many groups the channels are divided; each is convolved for itself."),
};

const integer_convolution_inputs conv_integer_inputs = {0, -1, 2, 1, -1, 3, -1, -1, -1};
const integer_convolution_inputs qlinear_conv_inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static const char *const plain_names[] = {"x", "w", "x_zero_point", "w_zero_point"};
static const char *const scaled_names[] = {
    "x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point", "B"};
static const char *const output_names[] = {"y"};
static const uint32_t plain_optional[] = {2, 3};
static const uint32_t scaled_optional[] = {8};

static tn_status infer_shape(tn_infer_call *call, const integer_convolution_inputs *places) {
    const integer_convolution_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[places->data].shape;
    const tn_shape *weight = &call->inputs[places->weight].shape;
    if (data->rank < 0 || weight->rank < 0) {
        return TN_OK;
    }
    int32_t rank = 0;
    sliding_window window;
    TN_TRY(window_rank(call->host, data, &rank));
    const tn_shape weight_rank = tn_shape_of_rank(rank + 2);
    TN_TRY(tn_infer_shape(call->host, "the weight", &call->inputs[places->weight].shape,
                          &weight_rank));
    TN_TRY(window_find(call->host, &own->window, rank, data->extents + 2, weight->extents + 2, 0,
                       &window));
    int64_t channels = data->extents[1];
    int64_t expected = 0;
    TN_TRY(multiply_extents(call->host, weight->extents[1], own->group, &expected));
    TN_TRY(infer_same_extent(call->host, "channels of data and weight", &channels, &expected));
    if (weight->extents[0] >= 0 && weight->extents[0] % own->group != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "the weight makes %lld channels, which is not a multiple of group=%lld",
                       (long long)weight->extents[0], (long long)own->group);
    }
    tn_shape result = tn_shape_of_rank(rank + 2);
    result.extents[0] = data->extents[0];
    result.extents[1] = weight->extents[0];
    for (int32_t i = 0; i < rank; i++) {
        result.extents[2 + i] = window.axes[i].places;
    }
    return tn_infer_shape(call->host, "the output", &call->outputs[0].shape, &result);
}

static tn_status infer_plain(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "y", &call->outputs[0].dtype, TN_I32));
    return infer_shape(call, &conv_integer_inputs);
}

static tn_status infer_scaled(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "y", &call->outputs[0].dtype,
                          call->inputs[qlinear_conv_inputs.zero].dtype));
    if (call->inputs[qlinear_conv_inputs.bias].shape.rank >= 0) {
        TN_TRY(
            tn_infer_dtype(call->host, "B", &call->inputs[qlinear_conv_inputs.bias].dtype, TN_I32));
        const tn_shape channels =
            tn_shape_of(1, call->inputs[qlinear_conv_inputs.weight].shape.extents);
        if (call->inputs[qlinear_conv_inputs.weight].shape.rank > 0) {
            TN_TRY(tn_infer_shape(call->host, "B", &call->inputs[qlinear_conv_inputs.bias].shape,
                                  &channels));
        }
    }
    return infer_shape(call, &qlinear_conv_inputs);
}

const tn_op conv_integer_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution of 8-bit integers, less their zero points, as int32. The weight has one "
           "zero point or one for each channel that comes out.",
    OP_ATTRIBUTES(table, integer_convolution_attributes),
    OP_INPUTS(plain_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(plain_optional),
    .infer = infer_plain,
};

const tn_op qlinear_conv_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution of quantised data and weights, quantised again with the scale and zero "
           "point of the output. The weight has one scale or one for each channel that comes out.",
    OP_ATTRIBUTES(table, integer_convolution_attributes),
    OP_INPUTS(scaled_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(scaled_optional),
    .infer = infer_scaled,
};
