/* ConvInteger and QLinearConv: what lies under the window becomes columns of a matrix, which the
 * weights of a group, as rows, are multiplied by. */
#include "elements.h"
#include "families.h"
#include "integer_product.h"
#include "integers.h"
#include "operator.h"
#include "shapes.h"
#include "window_columns.h"

typedef struct convolution_attributes {
    window_attributes window;
    int64_t group;
} convolution_attributes;

static const tn_attribute table[] = {
    WINDOW_FIELDS(convolution_attributes),
    TN_FIELD(convolution_attributes, group, INT, "1", "[1,2147483647]",
             "Into how many groups the channels are divided; each is convolved for itself."),
};

/* Where the two operators have their tensors; -1: not. */
typedef struct convolution_inputs {
    int32_t data, data_scale, data_zero, weight, weight_scale, weight_zero, scale, zero, bias;
} convolution_inputs;

static const convolution_inputs plain_inputs = {0, -1, 2, 1, -1, 3, -1, -1, -1};
static const convolution_inputs scaled_inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static const char *const plain_names[] = {"x", "w", "x_zero_point", "w_zero_point"};
static const char *const scaled_names[] = {
    "x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point", "B"};
static const char *const output_names[] = {"y"};
static const uint32_t plain_optional[] = {2, 3};
static const uint32_t scaled_optional[] = {8};

static tn_status infer_shape(tn_infer_call *call, const convolution_inputs *places) {
    const convolution_attributes *own = call->attributes;
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
    return infer_shape(call, &plain_inputs);
}

static tn_status infer_scaled(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "y", &call->outputs[0].dtype,
                          call->inputs[scaled_inputs.zero].dtype));
    if (call->inputs[scaled_inputs.bias].shape.rank >= 0) {
        TN_TRY(tn_infer_dtype(call->host, "B", &call->inputs[scaled_inputs.bias].dtype, TN_I32));
        const tn_shape channels = tn_shape_of(1, call->inputs[scaled_inputs.weight].shape.extents);
        if (call->inputs[scaled_inputs.weight].shape.rank > 0) {
            TN_TRY(tn_infer_shape(call->host, "B", &call->inputs[scaled_inputs.bias].shape,
                                  &channels));
        }
    }
    return infer_shape(call, &scaled_inputs);
}

const tn_op conv_integer_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution of 8-bit integers, less their zero points, as int32. The weight has one "
           "zero point or one for each channel that comes out.",
    OP_ATTRIBUTES(table, convolution_attributes),
    OP_INPUTS(plain_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(plain_optional),
    .infer = infer_plain,
};

const tn_op qlinear_conv_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution of quantised data and weights, quantised again with the scale and zero "
           "point of the output. The weight has one scale or one for each channel that comes out.",
    OP_ATTRIBUTES(table, convolution_attributes),
    OP_INPUTS(scaled_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(scaled_optional),
    .infer = infer_scaled,
};

typedef struct convolution_plan {
    sliding_window window;
    int64_t groups, group_channels, group_filters;
    int64_t depth;  /* elements under a kernel */
    int64_t places; /* of the window */
    int64_t extent; /* elements of a channel of data */
} convolution_plan;

static tn_status make_plan(const tn_host *host, const convolution_attributes *own,
                           const tn_view *data, const tn_view *weight, convolution_plan *out_plan) {
    convolution_plan plan = {.groups = own->group};
    TN_TRY(window_find(host, &own->window, data->rank - 2, data->shape + 2, weight->shape + 2, 0,
                       &plan.window));
    plan.group_channels = weight->shape[1];
    plan.group_filters = weight->shape[0] / own->group;
    plan.depth = plan.group_channels * window_kernel_size(&plan.window);
    plan.places = window_places(&plan.window);
    plan.extent = tn_extent_product(data->shape, 2, data->rank);
    *out_plan = plan;
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call, const convolution_inputs *places) {
    convolution_plan plan;
    uint64_t columns = 0, sums = 0;
    const tn_view *weight = call->inputs[places->weight];
    TN_TRY(make_plan(call->host, call->attributes, call->inputs[places->data], weight, &plan));
    if (__builtin_mul_overflow((uint64_t)plan.depth, (uint64_t)plan.places * 3, &columns) ||
        __builtin_mul_overflow((uint64_t)plan.group_filters, (uint64_t)plan.places * 4, &sums) ||
        __builtin_add_overflow(columns, sums, &columns) ||
        __builtin_add_overflow(columns, 2 * (uint64_t)tn_element_count(weight),
                               &call->workspace_size)) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "the convolution is too large");
    }
    return TN_OK;
}

static tn_status prepare_plain(tn_prepare_call *call) {
    return prepare(call, &plain_inputs);
}

static tn_status prepare_scaled(tn_prepare_call *call) {
    return prepare(call, &scaled_inputs);
}

/* Adds the bias and quantises the sums of one group of filters. */
static void finish_scaled(const tn_run_call *call, const convolution_plan *plan, int32_t *sums,
                          int64_t first_filter, int64_t first) {
    const tn_view *bias = run_input(call, (uint32_t)scaled_inputs.bias);
    const float scale = scale_at(call->inputs[scaled_inputs.scale], 0);
    const float data_scale = scale_at(call->inputs[scaled_inputs.data_scale], 0);
    const int32_t zero = zero_point_at(call->inputs[scaled_inputs.zero], 0);
    for (int64_t i = 0; i < plan->group_filters; i++) {
        int32_t *row = sums + i * plan->places;
        const int32_t offset = bias == NULL ? 0 : zero_point_at(bias, first_filter + i);
        for (int64_t j = 0; j < plan->places; j++) {
            row[j] = (int32_t)((uint32_t)row[j] + (uint32_t)offset);
        }
        const tn_view *weight_scale = call->inputs[scaled_inputs.weight_scale];
        const float multiplier = data_scale * scale_at(weight_scale, first_filter + i) / scale;
        requantize(row, plan->places, multiplier, zero, call->outputs[0]->dtype,
                   tn_data(call->outputs[0]), first + i * plan->places);
    }
}

/* The columns of a group whose first element is number `first`, less the zero point. The bytes are
 * gathered behind the place of the weights. */
static void fill_columns(const tn_host *host, const convolution_plan *plan, const tn_view *data,
                         int64_t first, int32_t zero, int16_t *columns, char *bytes) {
    const window_columns job = {
        .window = &plan->window,
        .channels = plan->group_channels,
        .element_size = 1,
        .padding = {(unsigned char)zero},
        .data = (const char *)tn_data(data) + first,
        .columns = bytes,
    };
    window_columns_fill(host, &job);
    widen_elements(data->dtype, bytes, 0, plan->depth * plan->places, zero, columns);
}

static tn_status run(const tn_run_call *call, const convolution_inputs *places) {
    const tn_view *data = call->inputs[places->data], *weight = call->inputs[places->weight];
    const tn_view *weight_zero =
        places->weight_zero < 0 ? NULL : run_input(call, (uint32_t)places->weight_zero);
    const tn_view *data_zero = run_input(call, (uint32_t)places->data_zero);
    convolution_plan plan;
    TN_TRY(make_plan(call->host, call->attributes, data, weight, &plan));
    int32_t *sums = call->workspace;
    const int64_t group_size = plan.group_filters * plan.places;
    int16_t *columns = (int16_t *)(sums + group_size);
    int16_t *weights = columns + plan.depth * plan.places;
    for (int64_t filter = 0; filter < weight->shape[0]; filter++) {
        widen_elements(weight->dtype, tn_data(weight), filter * plan.depth, plan.depth,
                       zero_point_at(weight_zero, filter), weights + filter * plan.depth);
    }
    for (int64_t i = 0; i < data->shape[0] * plan.groups && group_size > 0; i++) {
        const int64_t group = i % plan.groups;
        fill_columns(call->host, &plan, data, i * plan.group_channels * plan.extent,
                     zero_point_at(data_zero, 0), columns,
                     (char *)(weights + tn_element_count(weight)));
        if (places->scale < 0) {
            sums = (int32_t *)tn_data(call->outputs[0]) + i * group_size;
        }
        integer_product(call->host, weights + group * plan.group_filters * plan.depth, columns,
                        sums, plan.group_filters, plan.places, plan.depth);
        if (places->scale >= 0) {
            finish_scaled(call, &plan, sums, group * plan.group_filters, i * group_size);
        }
    }
    return TN_OK;
}

static tn_status run_plain(const tn_run_call *call) {
    return run(call, &plain_inputs);
}

static tn_status run_scaled(const tn_run_call *call) {
    return run(call, &scaled_inputs);
}

static int32_t supports_plain(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[1].dtype);
}

static int32_t supports_scaled(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[3].dtype) &&
           is_byte(query->outputs[0].dtype);
}

const tn_kernel conv_integer_kernel = {CPU_KERNEL("onnx.ConvInteger"), .supports = supports_plain,
                                       .prepare = prepare_plain, .run = run_plain};
const tn_kernel qlinear_conv_kernel = {CPU_KERNEL("onnx.QLinearConv"), .supports = supports_scaled,
                                       .prepare = prepare_scaled, .run = run_scaled};
