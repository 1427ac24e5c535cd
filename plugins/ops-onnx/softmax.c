/* Softmax, LogSoftmax and LpNormalization: lines along an axis. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"

typedef struct line_attributes {
    int64_t axis;
    int64_t p;
    int32_t flatten;
} line_attributes;

static const tn_attribute softmax_table[] = {
    TN_FIELD(line_attributes, axis, INT, "-1", "[-32,31]", "The axis that is summed over."),
    TN_FIELD(line_attributes, flatten, BOOL, "False", NULL,
             "Takes the axis and all behind it as one, as ONNX did before operator set 13."),
};
static const tn_attribute norm_table[] = {
    TN_FIELD(line_attributes, axis, INT, "-1", "[-32,31]", "The axis of the vectors."),
    TN_FIELD(line_attributes, p, INT, "2", "[1,2]", "Which norm they are divided by."),
};

static const char *const input_names[] = {"input"};
static const char *const output_names[] = {"output"};

static tn_status infer(tn_infer_call *call) {
    const line_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(infer_output_like(call, 0));
    return call->inputs[0].shape.rank < 0
               ? TN_OK
               : tn_resolve_axis(call->host, own->axis, call->inputs[0].shape.rank, &axis);
}

#define LINE_OP(DOC, TABLE)                                                                        \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(TABLE, line_attributes),              \
        OP_INPUTS(input_names), OP_OUTPUTS(output_names), .infer = infer                           \
    }

const tn_op softmax_op =
    LINE_OP("The exponentials of the elements, divided by their sum along an axis.", softmax_table);
const tn_op log_softmax_op = LINE_OP("The logarithms of what Softmax gives.", softmax_table);
const tn_op lp_normalization_op =
    LINE_OP("Divides vectors along an axis by their norm; those of norm 0 stay.", norm_table);

typedef struct line_job {
    const tn_run_call *call;
    int64_t length, stride;
    void (*compute)(const struct line_job *job, int64_t first);
} line_job;

static double load(const line_job *job, int64_t at) {
    return number_at(job->call->inputs[0]->dtype, tn_data(job->call->inputs[0]), at);
}

static void store(const line_job *job, int64_t at, double value) {
    write_number(job->call->outputs[0]->dtype, tn_data(job->call->outputs[0]), at, value);
}

static void find_maximum_and_sum(const line_job *job, int64_t first, double *out_maximum,
                                 double *out_sum) {
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < job->length; i++) {
        const double x = load(job, first + i * job->stride);
        maximum = x > maximum || x != x ? x : maximum;
    }
    for (int64_t i = 0; i < job->length; i++) {
        sum += exp(load(job, first + i * job->stride) - maximum);
    }
    *out_maximum = maximum;
    *out_sum = sum;
}

static void compute_softmax(const line_job *job, int64_t first) {
    double maximum, sum;
    find_maximum_and_sum(job, first, &maximum, &sum);
    for (int64_t i = 0; i < job->length; i++) {
        const int64_t at = first + i * job->stride;
        store(job, at, exp(load(job, at) - maximum) / sum);
    }
}

static void compute_log_softmax(const line_job *job, int64_t first) {
    double maximum, sum;
    find_maximum_and_sum(job, first, &maximum, &sum);
    for (int64_t i = 0; i < job->length; i++) {
        const int64_t at = first + i * job->stride;
        store(job, at, load(job, at) - maximum - log(sum));
    }
}

static void compute_normalised(const line_job *job, int64_t first) {
    const line_attributes *own = job->call->attributes;
    double sum = 0;
    for (int64_t i = 0; i < job->length; i++) {
        const double x = load(job, first + i * job->stride);
        sum += own->p == 1 ? fabs(x) : x * x;
    }
    const double norm = own->p == 1 ? sum : sqrt(sum);
    for (int64_t i = 0; i < job->length; i++) {
        const int64_t at = first + i * job->stride;
        store(job, at, norm == 0 ? 0 : load(job, at) / norm);
    }
}

static void compute_range(void *context, int64_t begin, int64_t end) {
    const line_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        job->compute(job, i / job->stride * job->length * job->stride + i % job->stride);
    }
}

static tn_status run(const tn_run_call *call, line_job *job, int32_t flatten) {
    const line_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    const int32_t end = flatten ? data->rank : axis + 1;
    job->call = call;
    job->length = tn_extent_product(data->shape, axis, end);
    job->stride = tn_extent_product(data->shape, end, data->rank);
    tn_parallel_for(call->host, tn_extent_product(data->shape, 0, axis) * job->stride,
                    2048 / (job->length + 1) + 1, compute_range, job);
    return TN_OK;
}

static tn_status run_softmax(const tn_run_call *call) {
    const line_attributes *own = call->attributes;
    line_job job = {.compute = compute_softmax};
    return run(call, &job, own->flatten);
}

static tn_status run_log_softmax(const tn_run_call *call) {
    const line_attributes *own = call->attributes;
    line_job job = {.compute = compute_log_softmax};
    return run(call, &job, own->flatten);
}

static tn_status run_lp_normalization(const tn_run_call *call) {
    line_job job = {.compute = compute_normalised};
    return run(call, &job, 0);
}

#define LINE_KERNEL(NAME, RUN)                                                                     \
    { CPU_KERNEL(NAME), KERNEL_DTYPES(floating_dtypes), .run = RUN }

const tn_kernel softmax_kernel = LINE_KERNEL("onnx.Softmax", run_softmax);
const tn_kernel log_softmax_kernel = LINE_KERNEL("onnx.LogSoftmax", run_log_softmax);
const tn_kernel lp_normalization_kernel = LINE_KERNEL("onnx.LpNormalization", run_lp_normalization);
