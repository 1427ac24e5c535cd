/* LpNormalization: lines along an axis. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"

typedef struct line_attributes {
    int64_t axis;
    int64_t p;
} line_attributes;

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

const tn_op lp_normalization_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Divides vectors along an axis by their norm; those of norm 0 stay.",
    OP_ATTRIBUTES(norm_table, line_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

typedef struct line_job {
    const tn_run_call *call;
    int64_t length, stride;
} line_job;

static double load(const line_job *job, int64_t at) {
    return number_at(job->call->inputs[0]->dtype, tn_data(job->call->inputs[0]), at);
}

static void store(const line_job *job, int64_t at, double value) {
    write_number(job->call->outputs[0]->dtype, tn_data(job->call->outputs[0]), at, value);
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
        compute_normalised(job, i / job->stride * job->length * job->stride + i % job->stride);
    }
}

static tn_status run(const tn_run_call *call) {
    const line_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    line_job job = {.call = call,
                    .length = data->shape[axis],
                    .stride = tn_extent_product(data->shape, axis + 1, data->rank)};
    tn_parallel_for(call->host, tn_extent_product(data->shape, 0, axis) * job.stride,
                    2048 / (job.length + 1) + 1, compute_range, &job);
    return TN_OK;
}

const tn_kernel lp_normalization_kernel = {CPU_KERNEL("onnx.LpNormalization"),
                                           KERNEL_DTYPES(floating_dtypes), .run = run};
