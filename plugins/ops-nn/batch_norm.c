/* The operator BatchNorm and its kernel, for inference: the statistics are the moving ones. */
#include "axis_split.h"
#include "channel_infer.h"
#include "description.h"
#include "operators_more.h"
#include "row_norm.h"
#include "size.h"

typedef struct batch_norm_attributes {
    double eps;
    double momentum;
    int32_t fix_gamma;
    int32_t use_global_stats;
    int32_t output_mean_var;
    int64_t axis;
    int32_t cudnn_off;
    double min_calib_range;
    double max_calib_range;
} batch_norm_attributes;

enum { DATA, GAMMA, BETA, MOVING_MEAN, MOVING_VAR };

static const tn_attribute attributes[] = {
    TN_FIELD(batch_norm_attributes, eps, FLOAT, "1e-3", "[0,inf)",
             "Added to the variance before its root is taken."),
    TN_FIELD(batch_norm_attributes, momentum, FLOAT, "0.9", NULL,
             "How much of the moving statistics a training step keeps."),
    TN_FIELD(batch_norm_attributes, fix_gamma, BOOL, "True", NULL,
             "Takes gamma as 1, whatever it holds."),
    TN_FIELD(batch_norm_attributes, use_global_stats, BOOL, "False", NULL,
             "Uses the moving statistics in training too."),
    TN_FIELD(batch_norm_attributes, output_mean_var, BOOL, "False", NULL,
             "Shows the outputs mean and var."),
    TN_FIELD(batch_norm_attributes, axis, INT, "1", "[-32,31]", "The axis of the channels."),
    TN_FIELD(batch_norm_attributes, cudnn_off, BOOL, "False", NULL, NO_EFFECT),
    TN_FIELD_OR_NONE(batch_norm_attributes, min_calib_range, FLOAT, "None", NULL, NO_EFFECT),
    TN_FIELD_OR_NONE(batch_norm_attributes, max_calib_range, FLOAT, "None", NULL, NO_EFFECT),
};

static const char *const input_names[] = {"data", "gamma", "beta", "moving_mean", "moving_var"};
static const char *const output_names[] = {"output", "mean", "var"};

static tn_status arity(tn_arity_call *call) {
    const batch_norm_attributes *given = call->attributes;
    call->visible_output_count = given->output_mean_var ? 3 : 1;
    return TN_OK;
}

/* Statistics of half precision data are kept in float. */
static tn_status infer_dtypes(tn_infer_call *call) {
    tn_dtype *data = &call->inputs[DATA].dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, *data));
    TN_TRY(tn_infer_dtype(call->host, "data", data, call->outputs[0].dtype));
    const tn_dtype parameter = *data == TN_F16 || *data == TN_BF16 ? TN_F32 : *data;
    for (uint32_t i = GAMMA; i < call->input_count; i++) {
        TN_TRY(tn_infer_dtype(call->host, input_names[i], &call->inputs[i].dtype, parameter));
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_dtype(call->host, output_names[i], &call->outputs[i].dtype, parameter));
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const batch_norm_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[DATA].shape;
    int64_t *channels;
    TN_TRY(infer_dtypes(call));
    TN_TRY(tn_infer_same_shape(call->host, "data", data, &call->outputs[0].shape));
    TN_TRY(channel_extent(call->host, data, given->axis, &channels));
    for (uint32_t i = GAMMA; i < call->input_count; i++) {
        TN_TRY(infer_channel_vector(call->host, input_names[i], &call->inputs[i].shape, channels));
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(
            infer_channel_vector(call->host, output_names[i], &call->outputs[i].shape, channels));
    }
    return TN_OK;
}

static const uint32_t mutated_inputs[] = {MOVING_MEAN, MOVING_VAR};

const tn_op batch_norm_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Normalises each channel by its moving mean and variance, then scales it by gamma and "
           "shifts it by beta. The output var is the variance for BatchNorm_v1, but "
           "1 / sqrt(variance + eps) for BatchNorm.",
    OP_ATTRIBUTES(attributes, batch_norm_attributes),
    OP_NAMES(input_names, output_names),
    .mutated_inputs = mutated_inputs,
    .mutated_input_count = COUNT_OF(mutated_inputs),
    .arity = arity,
    .infer = infer,
};

/* data as rows: of one channel each when channels are outer to something, else of all channels. */
typedef struct batch_norm_rows {
    element_array from;
    element_array to;
    axis_split split;
    const void *mean;
    const void *scale;
    const void *shift;
} batch_norm_rows;

#include "real_float.h"

#include "batch_norm_template.h"

#include "real_double.h"

#include "batch_norm_template.h"

/* The scales of the channels. */
static tn_status prepare(tn_prepare_call *call) {
    return size_request(call, tn_byte_size(call->inputs[GAMMA]));
}

static tn_status run(const tn_run_call *call) {
    const batch_norm_attributes *given = call->attributes;
    const tn_view *data = call->inputs[DATA];
    batch_norm_rows rows = {.from = elements_of(data),
                            .to = elements_of(call->outputs[0]),
                            .split = split_axis(data, given->axis),
                            .mean = tn_data(call->inputs[MOVING_MEAN]),
                            .shift = tn_data(call->inputs[BETA])};
    const int is_double = data->dtype == TN_F64;
    rows.scale = is_double ? channel_scales_f64(call) : channel_scales_f32(call);
    if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    if (rows.split.inner == 1) {
        tn_parallel_for(call->host, rows.split.outer, grain_of(GRAIN_ELEMENTS, rows.split.extent),
                        is_double ? normalize_positions_f64 : normalize_positions_f32, &rows);
    } else {
        tn_parallel_for(call->host, rows.split.outer * rows.split.extent,
                        grain_of(GRAIN_ELEMENTS, rows.split.inner),
                        is_double ? normalize_planes_f64 : normalize_planes_f32, &rows);
    }
    return TN_OK;
}

static tn_status run_v1(const tn_run_call *call) {
    TN_TRY(run(call));
    const tn_view *variance = call->inputs[MOVING_VAR];
    if (tn_byte_size(variance) > 0) {
        memcpy(tn_data(call->outputs[2]), tn_data(variance), tn_byte_size(variance));
    }
    return TN_OK;
}

static void layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    const batch_norm_attributes *given = query->attributes;
    inputs[0] = given->axis == 1 ? inputs[0] : TN_LAYOUT_ROW_MAJOR;
    tn_layouts_of_first(query, inputs, outputs);
}

static const tn_in_place in_place[] = {{0, 0}};

#define BATCH_NORM_KERNEL(NAME, RUN)                                                               \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .dtypes = floating_dtypes,     \
        .dtype_count = FLOATING_DTYPE_COUNT, .in_place = in_place, .in_place_count = 1,            \
        .prepare = prepare, .run = RUN, .layouts = layouts                                         \
    }

const tn_kernel batch_norm_kernel = BATCH_NORM_KERNEL("BatchNorm", run);
const tn_kernel batch_norm_v1_kernel = BATCH_NORM_KERNEL("BatchNorm_v1", run_v1);
