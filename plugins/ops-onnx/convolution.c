/* Conv for every padding and rank, and ConvTranspose. Both compute in double. */
#include "convolution.h"

#include "convolution_shape.h"
#include "double_product.h"
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const tn_attribute table[] = {CONVOLUTION_FIELDS};
static const tn_attribute transposed_table[] = {
    CONVOLUTION_FIELDS,
    TN_FIELD(convolution_attributes, output_padding, INTS, "()", "[0,2147483647]",
             "Rows and columns added behind the output."),
    TN_FIELD(convolution_attributes, output_shape, INTS, "()", "[0,2147483647]",
             "The spatial extents of the output, from which the padding follows."),
};

static const char *const input_names[] = {"X", "W", "B"};
static const char *const output_names[] = {"Y"};
static const uint32_t optional[] = {2};

static tn_status infer_dtypes(tn_infer_call *call) {
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(tn_infer_dtype(call->host, "W", &call->inputs[1].dtype, call->outputs[0].dtype));
    return call->inputs[2].dtype == 0
               ? TN_OK
               : tn_infer_dtype(call->host, "B", &call->inputs[2].dtype, call->outputs[0].dtype);
}

static tn_status infer_conv(tn_infer_call *call) {
    TN_TRY(infer_dtypes(call));
    return infer_convolution(call, 0, 1, 2);
}

static tn_status infer_transposed(tn_infer_call *call) {
    const convolution_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape, *weight = &call->inputs[1].shape;
    sliding_window window;
    TN_TRY(infer_dtypes(call));
    if (data->rank < 0 || weight->rank < 0) {
        return TN_OK;
    }
    TN_TRY(transposed_window(call->host, own, data, weight, &window));
    int64_t channels = data->extents[1], expected = weight->extents[0];
    TN_TRY(infer_same_extent(call->host, "channels of data and weight", &channels, &expected));
    if (channels >= 0 && channels % own->group != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has %lld channels, which is not a multiple of group=%lld",
                       (long long)channels, (long long)own->group);
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    result.extents[0] = data->extents[0];
    TN_TRY(multiply_extents(call->host, weight->extents[1], own->group, &result.extents[1]));
    for (int32_t i = 0; i < window.rank; i++) {
        const int is_known = window.axes[i].places >= 0;
        result.extents[2 + i] = is_known ? window.axes[i].extent : TN_UNKNOWN;
    }
    if (call->inputs[2].shape.rank >= 0) {
        const tn_shape filters = tn_shape_of(1, &result.extents[1]);
        TN_TRY(tn_infer_shape(call->host, "B", &call->inputs[2].shape, &filters));
    }
    return infer_output_shape(call, &result);
}

const tn_op conv_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution with any padding: at each place of the window the elements under it, "
           "over all channels of a group, are multiplied by a filter's weights and added up.",
    OP_ATTRIBUTES(table, convolution_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer_conv,
};

const tn_op conv_transpose_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution run backwards: each element of data, over all channels of its group, "
           "adds a copy of the weights times itself to the output.",
    OP_ATTRIBUTES(transposed_table, convolution_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer_transposed,
};

typedef struct convolution_plan {
    sliding_window window;
    int64_t groups;
    int64_t inputs, outputs; /* channels of a group */
    int64_t kernel, places, plane;
} convolution_plan;

static tn_status plan_conv(const tn_host *host, const convolution_attributes *own,
                           const tn_view *data, const tn_view *weight, convolution_plan *plan) {
    const tn_shape data_shape = shape_of_view(data), weight_shape = shape_of_view(weight);
    TN_TRY(convolution_window(host, own, &data_shape, &weight_shape, &plan->window));
    plan->groups = own->group;
    plan->inputs = weight->shape[1];
    plan->outputs = weight->shape[0] / own->group;
    plan->kernel = window_kernel_size(&plan->window);
    plan->places = window_places(&plan->window);
    plan->plane = window_plane_size(&plan->window);
    return TN_OK;
}

static tn_status plan_transposed(const tn_host *host, const convolution_attributes *own,
                                 const tn_view *data, const tn_view *weight,
                                 convolution_plan *plan) {
    const tn_shape data_shape = shape_of_view(data), weight_shape = shape_of_view(weight);
    TN_TRY(transposed_window(host, own, &data_shape, &weight_shape, &plan->window));
    plan->groups = own->group;
    plan->inputs = weight->shape[0] / own->group;
    plan->outputs = weight->shape[1];
    plan->kernel = window_kernel_size(&plan->window);
    plan->places = window_places(&plan->window);
    plan->plane = window_plane_size(&plan->window);
    return TN_OK;
}

/* Doubles of: the weights of all groups, the data of a group, its columns and its results. */
static tn_status prepare(tn_prepare_call *call, const convolution_plan *plan, int64_t columns_depth,
                         int64_t results) {
    TN_TRY(add_workspace(call->host, tn_element_count(call->inputs[1]), 1, &call->workspace_size));
    TN_TRY(add_workspace(call->host, plan->inputs, plan->plane, &call->workspace_size));
    TN_TRY(add_workspace(call->host, plan->inputs, plan->places, &call->workspace_size));
    TN_TRY(add_workspace(call->host, columns_depth, plan->places, &call->workspace_size));
    return add_workspace(call->host, plan->outputs, results, &call->workspace_size);
}

static tn_status prepare_conv(tn_prepare_call *call) {
    convolution_plan plan;
    TN_TRY(plan_conv(call->host, call->attributes, call->inputs[0], call->inputs[1], &plan));
    return prepare(call, &plan, plan.inputs * plan.kernel, plan.places);
}

static tn_status prepare_transposed(tn_prepare_call *call) {
    convolution_plan plan;
    TN_TRY(plan_transposed(call->host, call->attributes, call->inputs[0], call->inputs[1], &plan));
    return prepare(call, &plan, plan.outputs * plan.kernel, plan.plane);
}

void store_planes(const tn_view *output, const tn_view *bias, const double *planes,
                  int64_t channels, int64_t size, int64_t group, int64_t number) {
    for (int64_t i = 0; i < channels * size; i++) {
        const int64_t channel = group * channels + i / size;
        const double offset = bias == NULL ? 0 : number_at(bias->dtype, tn_data(bias), channel);
        write_number(output->dtype, tn_data(output), number * channels * size + i,
                     planes[i] + offset);
    }
}

static tn_status run_conv(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *weight = call->inputs[1];
    convolution_plan plan;
    TN_TRY(plan_conv(call->host, call->attributes, data, weight, &plan));
    const int64_t depth = plan.inputs * plan.kernel, size = plan.inputs * plan.plane;
    double *weights = call->workspace;
    double *planes = weights + tn_element_count(weight);
    double *columns = planes + size;
    double *results = columns + depth * plan.places;
    read_doubles(weight->dtype, tn_data(weight), 0, 1, tn_element_count(weight), weights);
    for (int64_t i = 0; i < data->shape[0] * plan.groups; i++) {
        const int64_t group = i % plan.groups;
        read_doubles(data->dtype, tn_data(data), i * size, 1, size, planes);
        const window_columns job = {.window = &plan.window,
                                    .channels = plan.inputs,
                                    .element_size = sizeof(double),
                                    .data = (const char *)planes,
                                    .columns = (char *)columns};
        window_columns_fill(call->host, &job);
        const double_product product = {.left = weights + group * plan.outputs * depth,
                                        .row_step = depth,
                                        .depth_step = 1,
                                        .right = columns,
                                        .result = results,
                                        .rows = plan.outputs,
                                        .columns = plan.places,
                                        .depth = depth};
        double_product_run(call->host, &product);
        store_planes(call->outputs[0], run_input(call, 2), results, plan.outputs, plan.places,
                     group, i);
    }
    return TN_OK;
}

static tn_status run_transposed(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *weight = call->inputs[1];
    convolution_plan plan;
    TN_TRY(plan_transposed(call->host, call->attributes, data, weight, &plan));
    const int64_t width = plan.outputs * plan.kernel, size = plan.inputs * plan.places;
    double *weights = call->workspace;
    double *values = weights + tn_element_count(weight);
    double *columns = values + size;
    double *planes = columns + width * plan.places;
    read_doubles(weight->dtype, tn_data(weight), 0, 1, tn_element_count(weight), weights);
    for (int64_t i = 0; i < data->shape[0] * plan.groups; i++) {
        const int64_t group = i % plan.groups;
        read_doubles(data->dtype, tn_data(data), i * size, 1, size, values);
        const double_product product = {.left = weights + group * plan.inputs * width,
                                        .row_step = 1,
                                        .depth_step = width,
                                        .right = values,
                                        .result = columns,
                                        .rows = width,
                                        .columns = plan.places,
                                        .depth = plan.inputs};
        double_product_run(call->host, &product);
        memset(planes, 0, (size_t)(plan.outputs * plan.plane) * sizeof *planes);
        window_columns_add(call->host, &plan.window, plan.outputs, columns, planes);
        store_planes(call->outputs[0], run_input(call, 2), planes, plan.outputs, plan.plane, group,
                     i);
    }
    return TN_OK;
}

const tn_kernel conv_kernel = {CPU_KERNEL("onnx.Conv"), KERNEL_DTYPES(floating_dtypes),
                               .prepare = prepare_conv, .run = run_conv};
const tn_kernel conv_transpose_kernel = {CPU_KERNEL("onnx.ConvTranspose"),
                                         KERNEL_DTYPES(floating_dtypes),
                                         .prepare = prepare_transposed, .run = run_transposed};
