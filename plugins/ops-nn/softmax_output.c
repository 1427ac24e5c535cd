/* The operator SoftmaxOutput and its kernel: a softmax whose gradient is that of cross entropy. */
#include "floating.h"
#include "label.h"
#include "operators_more.h"
#include "softmax_rows.h"

typedef struct softmax_output_attributes {
    double grad_scale;
    double ignore_label;
    int32_t multi_output;
    int32_t use_ignore;
    int32_t preserve_shape;
    int32_t normalization;
    int32_t out_grad;
    double smooth_alpha;
} softmax_output_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(softmax_output_attributes, grad_scale, FLOAT, "1", NULL, TRAINING_ONLY),
    TN_FIELD(softmax_output_attributes, ignore_label, FLOAT, "-1", NULL, TRAINING_ONLY),
    TN_FIELD(softmax_output_attributes, multi_output, BOOL, "False", NULL,
             "Takes the softmax along axis 1, so that each position has a label of its own."),
    TN_FIELD(softmax_output_attributes, use_ignore, BOOL, "False", NULL, TRAINING_ONLY),
    TN_FIELD(softmax_output_attributes, preserve_shape, BOOL, "False", NULL,
             "Takes the softmax along the last axis rather than over all of a sample's elements."),
    TN_FIELD_CHOICE(softmax_output_attributes, normalization, "null", "batch|null|valid",
                    TRAINING_ONLY),
    TN_FIELD(softmax_output_attributes, out_grad, BOOL, "False", NULL, TRAINING_ONLY),
    TN_FIELD(softmax_output_attributes, smooth_alpha, FLOAT, "0", "[0,1]", TRAINING_ONLY),
};

static tn_status infer(tn_infer_call *call) {
    const softmax_output_attributes *given = call->attributes;
    const tn_tensor_type *data = &call->inputs[0];
    TN_TRY(infer_output_like_data(call));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    if (data->shape.rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d, but samples and classes are expected",
                       (int)data->shape.rank);
    }
    const tn_shape label =
        shape_without_axis(&data->shape, given->multi_output ? 1 : data->shape.rank - 1);
    suggest_label(call, &label, data->dtype);
    return TN_OK;
}

const tn_op softmax_output_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The softmax of each sample. Training takes the output as probabilities of the classes "
           "that label counts, and its gradient is that of their cross entropy.",
    OP_ATTRIBUTES(attributes, softmax_output_attributes),
    OP_LABELLED,
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    const softmax_output_attributes *given = call->attributes;
    const int32_t rank = call->inputs[0]->rank;
    if (given->multi_output) {
        return run_softmax_along(call, 1, 2);
    }
    return run_softmax_along(call, given->preserve_shape ? rank - 1 : 1, rank);
}

static const tn_in_place in_place[] = {{0, 0}};

#define SOFTMAX_OUTPUT_KERNEL(NAME)                                                                \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .in_place = in_place,          \
        .in_place_count = 1, .supports = supports_floating_data, .run = run                        \
    }

const tn_kernel softmax_output_kernel = SOFTMAX_OUTPUT_KERNEL("SoftmaxOutput");
const tn_kernel softmax_alias_kernel = SOFTMAX_OUTPUT_KERNEL("Softmax");
