/* The operator InstanceNorm and its kernel: the normalisation of groups of one channel each. */
#include "channel_infer.h"
#include "description.h"
#include "element.h"
#include "group_norm.h"
#include "operators_more.h"

typedef struct instance_norm_attributes {
    double eps;
} instance_norm_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(instance_norm_attributes, eps, FLOAT, "1e-3", "[0,inf)",
             "Added to the variance before its root is taken."),
};

static const char *const input_names[] = {"data", "gamma", "beta"};
static const char *const output_names[] = {"output"};

static tn_status infer(tn_infer_call *call) {
    tn_shape *data = &call->inputs[0].shape;
    int64_t *channels;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_same_shape(call->host, "data", data, &call->outputs[0].shape));
    TN_TRY(infer_group_norm_rank(call->host, data));
    TN_TRY(channel_extent(call->host, data, 1, &channels));
    for (uint32_t i = 1; i < call->input_count; i++) {
        TN_TRY(infer_channel_vector(call->host, input_names[i], &call->inputs[i].shape, channels));
    }
    return TN_OK;
}

const tn_op instance_norm_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Normalises each channel of each sample to mean 0 and variance 1, then scales it by the "
           "channel's gamma and shifts it by the channel's beta.",
    OP_ATTRIBUTES(attributes, instance_norm_attributes),
    OP_NAMES(input_names, output_names),
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    const instance_norm_attributes *given = call->attributes;
    return run_group_norm(call, call->inputs[0]->shape[1], given->eps);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel instance_norm_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "InstanceNorm",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
