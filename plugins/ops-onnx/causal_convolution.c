/* CausalConvWithState: each channel of a sequence convolved with a filter that looks back, and what
 * the next piece of the sequence looks back at. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { SEQUENCE, WEIGHT, BIAS, PAST };
enum { RESULT, PRESENT };
enum { ACTIVATION_NONE, ACTIVATION_SILU, ACTIVATION_SWISH };

typedef struct causal_attributes {
    int32_t activation;
} causal_attributes;

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(causal_attributes, activation, "none", "none|silu|swish",
                    "What is done with the sums: nothing, or x * sigmoid(x) by either name."),
};

static const char *const input_names[] = {"input", "weight", "bias", "past_state"};
static const char *const output_names[] = {"output", "present_state"};
static const uint32_t optional[] = {BIAS, PAST};

static tn_status infer_dtypes(tn_infer_call *call) {
    TN_TRY(infer_output_dtype_like(call, SEQUENCE));
    TN_TRY(tn_infer_dtype(call->host, "present_state", &call->outputs[PRESENT].dtype,
                          call->outputs[RESULT].dtype));
    for (uint32_t i = WEIGHT; i <= PAST; i++) {
        if (i == WEIGHT || call->inputs[i].dtype != 0) {
            TN_TRY(tn_infer_dtype(call->host, input_names[i], &call->inputs[i].dtype,
                                  call->outputs[RESULT].dtype));
        }
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    TN_TRY(infer_dtypes(call));
    tn_shape data = tn_shape_of_rank(3), weight = tn_shape_of_rank(3);
    weight.extents[1] = 1;
    TN_TRY(tn_infer_shape(call->host, "input", &call->inputs[SEQUENCE].shape, &data));
    TN_TRY(tn_infer_shape(call->host, "weight", &call->inputs[WEIGHT].shape, &weight));
    data = call->inputs[SEQUENCE].shape;
    const int64_t length = call->inputs[WEIGHT].shape.extents[2];
    int64_t channels = call->inputs[WEIGHT].shape.extents[0];
    if (length == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "weight has filters without elements");
    }
    TN_TRY(
        infer_same_extent(call->host, "channels of input and weight", &data.extents[1], &channels));
    tn_shape state = data;
    state.extents[2] = length < 0 ? TN_UNKNOWN : length - 1;
    if (call->inputs[BIAS].shape.rank >= 0) {
        const tn_shape bias = tn_shape_of(1, &channels);
        TN_TRY(tn_infer_shape(call->host, "bias", &call->inputs[BIAS].shape, &bias));
    }
    if (call->inputs[PAST].shape.rank >= 0) {
        TN_TRY(tn_infer_shape(call->host, "past_state", &call->inputs[PAST].shape, &state));
    }
    TN_TRY(tn_infer_shape(call->host, "present_state", &call->outputs[PRESENT].shape, &state));
    return infer_output_shape(call, &data);
}

const tn_op causal_conv_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Each channel of a sequence convolved with a filter of its own that looks back: at what "
           "came before, the past state, or zeros. The present state is what the next piece of the "
           "sequence looks back at.",
    OP_ATTRIBUTES(table, causal_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

typedef struct causal_job {
    const tn_run_call *call;
    int64_t channels, length, reach; /* reach: how many elements a filter looks back */
} causal_job;

/* Of row `row`, element `at` counted from the begin of the past. */
static double element_of(const causal_job *job, int64_t row, int64_t at) {
    const tn_view *data = job->call->inputs[SEQUENCE], *past = run_input(job->call, PAST);
    if (at >= job->reach) {
        return number_at(data->dtype, tn_data(data), row * job->length + at - job->reach);
    }
    return past == NULL ? 0 : number_at(past->dtype, tn_data(past), row * job->reach + at);
}

static void convolve_rows(void *context, int64_t begin, int64_t end) {
    const causal_job *job = context;
    const causal_attributes *own = job->call->attributes;
    const tn_view *weight = job->call->inputs[WEIGHT], *bias = run_input(job->call, BIAS);
    const tn_view *output = job->call->outputs[RESULT], *present = job->call->outputs[PRESENT];
    for (int64_t row = begin; row < end; row++) {
        const int64_t channel = row % job->channels;
        const double start = bias == NULL ? 0 : number_at(bias->dtype, tn_data(bias), channel);
        for (int64_t i = 0; i < job->length; i++) {
            double sum = start;
            for (int64_t k = 0; k <= job->reach; k++) {
                sum += number_at(weight->dtype, tn_data(weight), channel * (job->reach + 1) + k) *
                       element_of(job, row, i + k);
            }
            const double result = own->activation == ACTIVATION_NONE ? sum : sum / (1 + exp(-sum));
            write_number(output->dtype, tn_data(output), row * job->length + i, result);
        }
        for (int64_t i = 0; i < job->reach; i++) {
            write_number(present->dtype, tn_data(present), row * job->reach + i,
                         element_of(job, row, job->length + i));
        }
    }
}

static tn_status run(const tn_run_call *call) {
    const tn_view *data = call->inputs[SEQUENCE];
    causal_job job = {.call = call,
                      .channels = data->shape[1],
                      .length = data->shape[2],
                      .reach = call->inputs[WEIGHT]->shape[2] - 1};
    tn_parallel_for(call->host, data->shape[0] * job.channels,
                    2048 / ((job.length + 1) * (job.reach + 1)) + 1, convolve_rows, &job);
    return TN_OK;
}

const tn_kernel causal_conv_kernel = {CPU_KERNEL("onnx.CausalConvWithState"),
                                      KERNEL_DTYPES(floating_dtypes), .run = run};
