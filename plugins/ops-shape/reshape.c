/* Reshape: the elements in another shape, given by extents and codes. */
#include "extents.h"
#include "operator.h"
#include "operators.h"
#include "reshape_codes.h"

typedef struct reshape_attributes {
    tn_ints shape;
    int32_t reverse;
    tn_ints target_shape;
    int32_t keep_highest;
} reshape_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(reshape_attributes, shape, INTS, "()", "[-4,inf)",
             "The output's extents. 0 copies the input's extent, -1 is inferred from the number of "
             "elements, -2 copies all that remain, -3 joins two, -4 splits one into the two that "
             "follow."),
    TN_FIELD(reshape_attributes, reverse, BOOL, "False", NULL,
             "Whether the codes in `shape` are matched from the right."),
    TN_FIELD(reshape_attributes, target_shape, INTS, "()", "[0,inf)",
             "The output's extents in old models, of which one may be 0: it is inferred. Read "
             "only when `shape` is empty."),
    TN_FIELD(reshape_attributes, keep_highest, BOOL, "False", NULL,
             "Whether the first extent of `target_shape` is taken from the input."),
};

/* The output's shape by the attribute of old models: a 0 is unknown until the elements are counted.
 */
static tn_shape shape_from_target(const reshape_attributes *given, const tn_shape *data) {
    tn_shape shape = tn_shape_of((int32_t)given->target_shape.count, given->target_shape.values);
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] == 0) {
            shape.extents[axis] = TN_UNKNOWN;
        }
    }
    if (given->keep_highest) {
        shape.extents[0] = data->rank > 0 ? data->extents[0] : TN_UNKNOWN;
    }
    return shape;
}

static tn_status reshape_arity(tn_arity_call *call) {
    const reshape_attributes *given = call->attributes;
    if (given->target_shape.count > TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "target_shape has %lld extents, but a tensor has at most %d",
                       (long long)given->target_shape.count, TN_MAX_RANK);
    }
    int64_t inferred = 0;
    for (int64_t i = given->keep_highest ? 1 : 0; i < given->target_shape.count; i++) {
        inferred += given->target_shape.values[i] == 0;
    }
    if (inferred > 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "target_shape has %lld extents of 0, but only one can be inferred",
                       (long long)inferred);
    }
    return TN_OK;
}

static tn_status reshape_infer(tn_infer_call *call) {
    const reshape_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape fact;
    if (given->shape.count == 0 && given->target_shape.count > 0) {
        fact = shape_from_target(given, data);
    } else {
        TN_TRY(shape_from_codes(call->host, data, &given->shape, given->reverse, &fact));
    }
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    return infer_same_count(call->host, data, output);
}

const tn_op reshape_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input's elements in another shape, in the same row-major order.",
    OP_ATTRIBUTES(attribute_table, reshape_attributes),
    OP_INPUTS(data_name),
    .arity = reshape_arity,
    .infer = reshape_infer,
    .gradient = gradient_like_input,
};
