/* LayerNormalization and RMSNormalization: the elements along the last axes form a set. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "normalisation.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct layer_attributes {
    int64_t axis;
    double epsilon;
    tn_dtype stash_type;
} layer_attributes;

static const tn_attribute table[] = {
    TN_FIELD(layer_attributes, axis, INT, "-1", "[-32,31]", "The first axis of a set."),
    TN_FIELD(layer_attributes, epsilon, FLOAT, "1e-5", NULL,
             "Added to the variance before its root is taken."),
    TN_FIELD_OR_NONE(layer_attributes, stash_type, DTYPE, "float32", NULL,
                     "The dtype of Mean and InvStdDev. All is computed in float64."),
};

static const char *const layer_inputs[] = {"X", "Scale", "B"};
static const char *const layer_outputs[] = {"Y", "Mean", "InvStdDev"};
static const char *const rms_inputs[] = {"X", "scale"};
static const char *const rms_outputs[] = {"Y"};
static const uint32_t layer_optional[] = {2};

/* Scale and shift stretch to the data. */
static tn_status check_stretch(const tn_host *host, const tn_shape *data, const tn_shape *factors) {
    tn_shape stretched = *data;
    if (factors->rank > data->rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the scale has more axes than the data");
    }
    return factors->rank < 0 ? TN_OK : stretch_shape(host, factors, &stretched);
}

static tn_status infer(tn_infer_call *call) {
    const layer_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t axis = 0;
    TN_TRY(infer_output_dtype_like(call, call->output_count > 1 ? 0 : 1));
    TN_TRY(tn_infer_same_shape(call->host, "Y", &call->outputs[0].shape, &call->inputs[0].shape));
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_dtype(call->host, "the statistics", &call->outputs[i].dtype,
                              own->stash_type != 0 ? own->stash_type : TN_F32));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    tn_shape statistics = *data;
    for (int32_t i = axis; i < data->rank; i++) {
        statistics.extents[i] = 1;
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, "the statistics", &call->outputs[i].shape, &statistics));
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        TN_TRY(check_stretch(call->host, data, &call->inputs[i].shape));
    }
    return TN_OK;
}

const tn_op layer_normalization_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Normalises the elements along the last axes to mean 0 and variance 1, then scales and "
           "shifts them.",
    OP_ATTRIBUTES(table, layer_attributes),
    OP_INPUTS(layer_inputs),
    OP_OUTPUTS(layer_outputs),
    OP_OPTIONAL(layer_optional),
    .infer = infer,
};

const tn_op rms_normalization_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Divides the elements along the last axes by the root of their mean square, then scales "
           "them.",
    OP_ATTRIBUTES(table, layer_attributes),
    OP_INPUTS(rms_inputs),
    OP_OUTPUTS(rms_outputs),
    .infer = infer,
};

typedef struct layer_job {
    const tn_run_call *call;
    int64_t length;
    int32_t is_rms;
} layer_job;

/* The elements of a factor that belong to the set number `number`: all of it, as long as it has no
 * extents in front of the set. */
static element_factors factors_of(const layer_job *job, uint32_t input) {
    const tn_view *view = run_input(job->call, input);
    const int64_t count = view == NULL ? 1 : tn_element_count(view);
    return (element_factors){.view = view, .first = 0, .period = 1, .count = count};
}

static void normalise_range(void *context, int64_t begin, int64_t end) {
    const layer_job *job = context;
    const tn_run_call *call = job->call;
    const layer_attributes *own = call->attributes;
    for (int64_t i = begin; i < end; i++) {
        normalised_set set = {.data = call->inputs[0],
                              .output = call->outputs[0],
                              .first = i * job->length,
                              .length = job->length,
                              .keeps_mean = job->is_rms,
                              .epsilon = own->epsilon,
                              .scale = factors_of(job, 1)};
        double mean, inverse;
        if (!job->is_rms) {
            set.shift = factors_of(job, 2);
        }
        normalise_set(&set, &mean, &inverse);
        for (uint32_t k = 1; k < call->output_count; k++) {
            write_number(call->outputs[k]->dtype, tn_data(call->outputs[k]), i,
                         k == 1 ? mean : inverse);
        }
    }
}

/* Factors that vary in front of the set, or repeat within it, are not what the kernel reads. */
static int has_plain_factors(const tn_tensor_type *data, const tn_tensor_type *factors,
                             int32_t axis) {
    const int32_t missing = data->shape.rank - factors->shape.rank;
    int seen = 0;
    for (int32_t i = 0; i < factors->shape.rank; i++) {
        const int64_t extent = factors->shape.extents[i];
        seen |= extent != 1;
        if (extent != 1 && i + missing < axis) {
            return 0;
        }
        if (seen && extent != data->shape.extents[i + missing]) {
            return 0;
        }
    }
    return 1;
}

static int32_t supports(const tn_kernel_query *query) {
    const layer_attributes *own = query->attributes;
    const int64_t axis = own->axis < 0 ? own->axis + query->inputs[0].shape.rank : own->axis;
    int fits = is_floating(query->inputs[0].dtype);
    for (uint32_t i = 1; i < query->input_count; i++) {
        fits &= query->inputs[i].dtype == 0 ||
                has_plain_factors(&query->inputs[0], &query->inputs[i], (int32_t)axis);
    }
    return fits;
}

static tn_status run(const tn_run_call *call, int32_t is_rms) {
    const layer_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    layer_job job = {call, tn_extent_product(data->shape, axis, data->rank), is_rms};
    tn_parallel_for(call->host, tn_extent_product(data->shape, 0, axis),
                    4096 / (job.length + 1) + 1, normalise_range, &job);
    return TN_OK;
}

static tn_status run_layer(const tn_run_call *call) {
    return run(call, 0);
}

static tn_status run_rms(const tn_run_call *call) {
    return run(call, 1);
}

const tn_kernel layer_normalization_kernel = {CPU_KERNEL("onnx.LayerNormalization"),
                                              .supports = supports, .run = run_layer};
const tn_kernel rms_normalization_kernel = {CPU_KERNEL("onnx.RMSNormalization"),
                                            .supports = supports, .run = run_rms};
