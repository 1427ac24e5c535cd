/* expand_dims and squeeze: axes of extent 1 come and go. */
#include "extents.h"
#include "operator.h"
#include "operators.h"

typedef struct expand_dims_attributes {
    int64_t axis;
} expand_dims_attributes;

static const tn_attribute expand_dims_table[] = {
    TN_FIELD(expand_dims_attributes, axis, INT, NULL, "[-32,31]",
             "The place of the new axis in the output; negative places count from the back."),
};

static tn_status expand_dims_infer(tn_infer_call *call) {
    const expand_dims_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    int32_t axis = 0;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0 && output->rank < 0) {
        return TN_OK;
    }
    const int32_t rank = output->rank >= 0 ? output->rank : data->rank + 1;
    TN_TRY(tn_resolve_axis(call->host, given->axis, rank, &axis));
    if (output->rank >= 0) {
        const tn_shape fact = extents_without_axis(output, axis);
        TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    }
    tn_shape fact;
    TN_TRY(extents_with_axis(call->host, data, axis, 1, &fact));
    return tn_infer_shape(call->host, "output", output, &fact);
}

const tn_op expand_dims_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with one more axis, of extent 1.",
    OP_ATTRIBUTES(expand_dims_table, expand_dims_attributes),
    OP_INPUTS(data_name),
    .infer = expand_dims_infer,
    .gradient = gradient_like_input,
};

typedef struct squeeze_attributes {
    tn_ints axis;
} squeeze_attributes;

static const tn_attribute squeeze_table[] = {
    TN_FIELD_OR_NONE(squeeze_attributes, axis, INTS, "None", NULL,
                     "The axes to remove, each of extent 1; None removes all of extent 1."),
};

/* Marks the axes that go; fails when one has another extent. */
static tn_status squeezed_axes(const tn_host *host, const tn_ints *axes, tn_shape *data,
                               unsigned char out_marked[TN_MAX_RANK]) {
    if (axes->count < 0) {
        for (int32_t axis = 0; axis < data->rank; axis++) {
            out_marked[axis] = data->extents[axis] == 1;
        }
        return TN_OK;
    }
    TN_TRY(mark_axes(host, axes, data->rank, 1, out_marked));
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (!out_marked[axis]) {
            continue;
        }
        if (data->extents[axis] > 1 || data->extents[axis] == 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "axis %d has extent %lld: only an axis of extent 1 can be removed",
                           (int)axis, (long long)data->extents[axis]);
        }
        data->extents[axis] = 1;
    }
    return TN_OK;
}

static tn_status squeeze_infer(tn_infer_call *call) {
    const squeeze_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    unsigned char marked[TN_MAX_RANK];
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0 || (given->axis.count < 0 && !tn_shape_is_known(data))) {
        return TN_OK;
    }
    TN_TRY(squeezed_axes(call->host, &given->axis, data, marked));
    tn_shape fact = tn_shape_of(0, NULL);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (!marked[axis]) {
            fact.extents[fact.rank++] = data->extents[axis];
        }
    }
    if (fact.rank == 0 && data->rank > 0) {
        fact.extents[fact.rank++] = 1; /* MXNet has no scalars: the last axis stays */
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    return infer_same_count(call->host, data, output);
}

const tn_op squeeze_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input without axes of extent 1. Of a tensor with a single element one axis stays.",
    OP_ATTRIBUTES(squeeze_table, squeeze_attributes),
    OP_INPUTS(data_name),
    .infer = squeeze_infer,
    .gradient = gradient_like_input,
};
