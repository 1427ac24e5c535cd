/* The operator SoftmaxActivation and its kernel. */
#include "description.h"
#include "element.h"
#include "operators_more.h"
#include "softmax_rows.h"

enum { SOFTMAX_CHANNEL, SOFTMAX_INSTANCE };

typedef struct softmax_activation_attributes {
    int32_t mode;
} softmax_activation_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD_CHOICE(softmax_activation_attributes, mode, "instance", "channel|instance",
                    "What adds up to 1: the channels on axis 1 at each position (channel), or the "
                    "elements along the last axis (instance)."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status infer(tn_infer_call *call) {
    const softmax_activation_attributes *given = call->attributes;
    TN_TRY(tn_infer_elementwise(call));
    const int32_t rank = call->inputs[0].shape.rank;
    const int32_t least = given->mode == SOFTMAX_CHANNEL ? 3 : 1;
    if (rank >= 0 && rank < least) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d, but at least %d is expected in this mode", (int)rank,
                       (int)least);
    }
    return TN_OK;
}

const tn_op softmax_activation_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The softmax along the last axis, or along the axis of the channels.",
    OP_ATTRIBUTES(attributes, softmax_activation_attributes),
    OP_NAMES(input_names, output_names),
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    const softmax_activation_attributes *given = call->attributes;
    const int32_t rank = call->inputs[0]->rank;
    return given->mode == SOFTMAX_CHANNEL ? run_softmax_along(call, 1, 2)
                                          : run_softmax_along(call, rank - 1, rank);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel softmax_activation_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "SoftmaxActivation",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
