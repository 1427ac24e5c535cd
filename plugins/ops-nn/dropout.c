/* The operator Dropout and its kernel, for inference: nothing is dropped. */
#include "description.h"
#include "element_block.h"
#include "identity.h"
#include "operators_more.h"

enum { DROPOUT_ALWAYS, DROPOUT_TRAINING };

typedef struct dropout_attributes {
    double p;
    int32_t mode;
    tn_ints axes;
    int32_t cudnn_off;
} dropout_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(dropout_attributes, p, FLOAT, "0.5", "[0,1]",
             "The share of elements that training sets to zero."),
    TN_FIELD_CHOICE(dropout_attributes, mode, "training", "always|training",
                    "Whether elements are dropped in training only; always is supported with p=0 "
                    "alone."),
    TN_FIELD(dropout_attributes, axes, INTS, "()", "[0,31]",
             "Axes along which elements are dropped together."),
    TN_FIELD_OR_NONE(dropout_attributes, cudnn_off, BOOL, "False", NULL, NO_EFFECT),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output", "mask"};

static tn_status arity(tn_arity_call *call) {
    const dropout_attributes *given = call->attributes;
    if (given->mode == DROPOUT_ALWAYS && given->p > 0) {
        return tn_fail(call->host, TN_UNSUPPORTED,
                       "mode=always drops elements outside of training too, which is not "
                       "supported; use mode=training or p=0");
    }
    call->visible_output_count = 1;
    return TN_OK;
}

/* The mask has one element for those that are dropped together. */
static tn_status infer_mask(tn_infer_call *call, const tn_ints *axes) {
    tn_shape mask = call->inputs[0].shape;
    if (mask.rank < 0) {
        return TN_OK;
    }
    for (int64_t i = 0; i < axes->count; i++) {
        if (axes->values[i] >= mask.rank) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "axes has %lld, but data has rank %d",
                           (long long)axes->values[i], (int)mask.rank);
        }
        mask.extents[axes->values[i]] = 1;
    }
    return tn_infer_shape(call->host, "mask", &call->outputs[1].shape, &mask);
}

static tn_status infer(tn_infer_call *call) {
    const dropout_attributes *given = call->attributes;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(
        tn_infer_same_shape(call->host, "data", &call->inputs[0].shape, &call->outputs[0].shape));
    return infer_mask(call, &given->axes);
}

const tn_op dropout_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "data as it is. In training, elements drawn at random become zero and the others are "
           "scaled up for it.",
    OP_ATTRIBUTES(attributes, dropout_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    const tn_view *mask = call->outputs[1];
    const element_array kept = elements_of(mask);
    const int64_t count = tn_element_count(mask);
    for (int64_t i = 0; i < count; i++) {
        if (mask->dtype == TN_F64) {
            write_one_f64(kept, i, 1);
        } else {
            write_one_f32(kept, i, 1);
        }
    }
    return run_identity(call);
}

static const tn_in_place in_place[] = {{0, 0}};

/* Nothing but a gradient reads the mask, so a host may leave out the run as for other copies. */
const tn_kernel dropout_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .flags = TN_KERNEL_COPIES_INPUT,
    .op = "Dropout",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
