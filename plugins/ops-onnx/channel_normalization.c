/* InstanceNormalization, GroupNormalization and BatchNormalization: channels are along axis 1. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "normalisation.h"
#include "one_output.h"
#include "operator.h"

typedef struct channel_attributes {
    double epsilon;
    double momentum;
    int64_t num_groups;
    int32_t factors_of_groups;
    int32_t training_mode;
} channel_attributes;

#define EPSILON_FIELD                                                                              \
    TN_FIELD(channel_attributes, epsilon, FLOAT, "1e-5", NULL,                                     \
             "Added to the variance before its root is taken.")

static const tn_attribute instance_table[] = {EPSILON_FIELD};
static const tn_attribute group_table[] = {
    EPSILON_FIELD,
    TN_FIELD(channel_attributes, num_groups, INT, NULL, "[1,inf)",
             "How many groups the channels form."),
    TN_FIELD(channel_attributes, factors_of_groups, BOOL, "False", NULL,
             "Whether scale and bias have an element for each group, otherwise for each channel."),
};
static const tn_attribute batch_table[] = {
    EPSILON_FIELD,
    TN_FIELD(channel_attributes, momentum, FLOAT, "0.9", NULL,
             "How much of the running statistics training keeps."),
    TN_FIELD(channel_attributes, training_mode, BOOL, "False", NULL,
             "Whether the statistics of the batch are used, and the running ones brought on."),
};

static const char *const set_inputs[] = {"X", "scale", "bias"};
static const char *const batch_inputs[] = {"X", "scale", "B", "input_mean", "input_var"};
static const char *const set_outputs[] = {"Y"};
static const char *const batch_outputs[] = {"Y", "running_mean", "running_var"};

/* Each input from number 1 on has an element for each channel, or each group. */
static tn_status infer_channels(tn_infer_call *call, int64_t count) {
    const tn_shape channels = tn_shape_of(1, &count);
    for (uint32_t i = 1; i < call->input_count; i++) {
        TN_TRY(tn_infer_shape(call->host, "an input of the channels", &call->inputs[i].shape,
                              &channels));
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, "the statistics", &call->outputs[i].shape, &channels));
    }
    return TN_OK;
}

static tn_status infer_normalization(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(infer_output_like(call, 0));
    if (data->rank == 0 || data->rank == 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the data has no axis of channels");
    }
    return TN_OK;
}

static tn_status infer_instance(tn_infer_call *call) {
    TN_TRY(infer_normalization(call));
    return call->inputs[0].shape.rank < 0 ? TN_OK
                                          : infer_channels(call, call->inputs[0].shape.extents[1]);
}

static tn_status infer_group(tn_infer_call *call) {
    const channel_attributes *own = call->attributes;
    TN_TRY(infer_normalization(call));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    const int64_t channels = call->inputs[0].shape.extents[1];
    if (channels >= 0 && channels % own->num_groups != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%lld channels do not form %lld groups",
                       (long long)channels, (long long)own->num_groups);
    }
    return infer_channels(call, own->factors_of_groups ? own->num_groups : channels);
}

static tn_status infer_batch(tn_infer_call *call) {
    TN_TRY(infer_normalization(call));
    TN_TRY(
        tn_infer_dtype(call->host, "running_mean", &call->outputs[1].dtype, call->inputs[3].dtype));
    TN_TRY(
        tn_infer_dtype(call->host, "running_var", &call->outputs[2].dtype, call->inputs[4].dtype));
    return call->inputs[0].shape.rank < 0 ? TN_OK
                                          : infer_channels(call, call->inputs[0].shape.extents[1]);
}

#define CHANNEL_OP(DOC, TABLE, INPUTS, OUTPUTS, INFER)                                             \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(TABLE, channel_attributes),           \
        OP_INPUTS(INPUTS), OP_OUTPUTS(OUTPUTS), .infer = INFER                                     \
    }

const tn_op instance_normalization_op =
    CHANNEL_OP("Normalises each channel of each sample, then scales and shifts it.", instance_table,
               set_inputs, set_outputs, infer_instance);
const tn_op group_normalization_op =
    CHANNEL_OP("Normalises each group of channels of each sample, then scales and shifts it.",
               group_table, set_inputs, set_outputs, infer_group);
const tn_op batch_normalization_op = CHANNEL_OP(
    "Normalises each channel by given statistics, or in training mode by its own, then scales and "
    "shifts it.",
    batch_table, batch_inputs, batch_outputs, infer_batch);

typedef struct group_job {
    const tn_run_call *call;
    int64_t groups, length, plane;
    int32_t factors_of_groups;
} group_job;

static element_factors factors_of(const group_job *job, uint32_t input, int64_t group) {
    const int64_t channels = job->plane > 0 ? job->length / job->plane : 0; /* of a group */
    element_factors factors = {job->call->inputs[input], group * channels, job->plane, channels};
    if (job->factors_of_groups) {
        factors = (element_factors){job->call->inputs[input], group, 1, 1};
    }
    return factors;
}

static void normalise_groups(void *context, int64_t begin, int64_t end) {
    const group_job *job = context;
    const channel_attributes *own = job->call->attributes;
    for (int64_t i = begin; i < end; i++) {
        double mean, inverse;
        const normalised_set set = {.data = job->call->inputs[0],
                                    .output = job->call->outputs[0],
                                    .first = i * job->length,
                                    .length = job->length,
                                    .epsilon = own->epsilon,
                                    .scale = factors_of(job, 1, i % job->groups),
                                    .shift = factors_of(job, 2, i % job->groups)};
        normalise_set(&set, &mean, &inverse);
    }
}

static tn_status run_groups(const tn_run_call *call, int64_t groups, int32_t factors_of_groups) {
    const tn_view *data = call->inputs[0];
    const int64_t plane = tn_extent_product(data->shape, 2, data->rank);
    group_job job = {call, groups, groups > 0 ? data->shape[1] / groups * plane : 0, plane,
                     factors_of_groups};
    if (job.length > 0) {
        tn_parallel_for(call->host, data->shape[0] * groups, 4096 / job.length + 1,
                        normalise_groups, &job);
    }
    return TN_OK;
}

static tn_status run_instance(const tn_run_call *call) {
    return run_groups(call, call->inputs[0]->shape[1], 0);
}

static tn_status run_group(const tn_run_call *call) {
    const channel_attributes *own = call->attributes;
    return run_groups(call, own->num_groups, own->factors_of_groups);
}

/* Mean and variance of a channel over the batch. */
static void measure_channel(const tn_view *data, int64_t channel, double *out_mean,
                            double *out_variance) {
    const int64_t channels = data->shape[1], plane = tn_extent_product(data->shape, 2, data->rank);
    const int64_t count = data->shape[0] * plane;
    double sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = (i / plane * channels + channel) * plane + i % plane;
            const double x = number_at(data->dtype, tn_data(data), at);
            const double distance = pass == 0 ? 0 : x - sum / (double)count;
            sum += pass == 0 ? x : 0;
            squares += distance * distance;
        }
    }
    *out_mean = sum / (double)count;
    *out_variance = squares / (double)count;
}

static double channel_value(const tn_run_call *call, uint32_t input, int64_t channel) {
    return number_at(call->inputs[input]->dtype, tn_data(call->inputs[input]), channel);
}

static void store_statistic(const tn_run_call *call, uint32_t output, int64_t channel,
                            double before, double current) {
    const channel_attributes *own = call->attributes;
    const double value =
        own->training_mode ? before * own->momentum + current * (1 - own->momentum) : before;
    write_number(call->outputs[output]->dtype, tn_data(call->outputs[output]), channel, value);
}

static void scale_plane(const tn_view *data, const tn_view *output, int64_t first, int64_t count,
                        double factor, double shift) {
    if (data->dtype == TN_F32) {
        const float *from = (const float *)tn_data(data) + first;
        float *to = (float *)tn_data(output) + first;
        for (int64_t i = 0; i < count; i++) {
            to[i] = (float)((double)from[i] * factor + shift);
        }
        return;
    }
    for (int64_t i = first; i < first + count; i++) {
        write_number(output->dtype, tn_data(output), i,
                     number_at(data->dtype, tn_data(data), i) * factor + shift);
    }
}

static void normalise_channels(void *context, int64_t begin, int64_t end) {
    const tn_run_call *call = context;
    const channel_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const int64_t channels = data->shape[1], plane = tn_extent_product(data->shape, 2, data->rank);
    for (int64_t channel = begin; channel < end; channel++) {
        const double given_mean = channel_value(call, 3, channel);
        const double given_variance = channel_value(call, 4, channel);
        double mean = given_mean, variance = given_variance;
        if (own->training_mode) {
            measure_channel(data, channel, &mean, &variance);
        }
        store_statistic(call, 1, channel, given_mean, mean);
        store_statistic(call, 2, channel, given_variance, variance);
        const double factor = channel_value(call, 1, channel) / sqrt(variance + own->epsilon);
        const double shift = channel_value(call, 2, channel) - mean * factor;
        for (int64_t i = 0; i < data->shape[0]; i++) {
            scale_plane(data, output, (i * channels + channel) * plane, plane, factor, shift);
        }
    }
}

static tn_status run_batch(const tn_run_call *call) {
    tn_run_call job = *call;
    tn_parallel_for(call->host, call->inputs[0]->shape[1], 1, normalise_channels, &job);
    return TN_OK;
}

#define CHANNEL_KERNEL(NAME, RUN)                                                                  \
    { CPU_KERNEL(NAME), KERNEL_DTYPES(floating_dtypes), .run = RUN }

const tn_kernel instance_normalization_kernel =
    CHANNEL_KERNEL("onnx.InstanceNormalization", run_instance);
const tn_kernel group_normalization_kernel = CHANNEL_KERNEL("onnx.GroupNormalization", run_group);
const tn_kernel batch_normalization_kernel = CHANNEL_KERNEL("onnx.BatchNormalization", run_batch);
