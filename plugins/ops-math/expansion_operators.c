#include "expansion.h"

static const char *const data_name[] = {"data"};
static const char *const like_names[] = {"lhs", "rhs"};
static const char *const output_names[] = {"output"};

/* The data's shape with as many axes as the output's; the new ones in front have extent 1. */
static tn_shape with_rank(const tn_shape *data, int32_t rank) {
    tn_shape padded = tn_shape_of_rank(rank);
    const int32_t missing = rank - data->rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        padded.extents[axis] = axis < missing ? 1 : data->extents[axis - missing];
    }
    return padded;
}

static tn_status check_stretch(const tn_host *host, const tn_shape *data, const tn_shape *output) {
    int fits = data->rank <= output->rank;
    const tn_shape padded = with_rank(data, output->rank);
    for (int32_t axis = 0; fits && axis < output->rank; axis++) {
        const int64_t from = padded.extents[axis];
        const int64_t to = output->extents[axis];
        fits = from < 0 || to < 0 || from == to || from == 1;
    }
    if (!fits) {
        char data_text[256], output_text[256];
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a tensor of shape %s cannot be stretched to %s: extents must be equal or 1",
                       tn_shape_text(data, data_text, sizeof data_text),
                       tn_shape_text(output, output_text, sizeof output_text));
    }
    return TN_OK;
}

/* What the output must be, once it is known that the data fits. */
static tn_status infer_stretched(tn_infer_call *call, const tn_shape *stretched) {
    TN_TRY(check_stretch(call->host, &call->inputs[0].shape, stretched));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, stretched);
}

static tn_status infer_same_dtype(tn_infer_call *call) {
    tn_dtype *data = &call->inputs[0].dtype;
    tn_dtype *output = &call->outputs[0].dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", output, *data));
    return tn_infer_dtype(call->host, "the input", data, *output);
}

/* broadcast_to */

typedef struct broadcast_to_attributes {
    tn_ints shape;
} broadcast_to_attributes;

static const tn_attribute broadcast_to_table[] = {
    TN_FIELD(broadcast_to_attributes, shape, INTS, "()", "[0,inf)",
             "The output's shape; 0 stands for the data's own extent."),
};

static tn_status infer_broadcast_to(tn_infer_call *call) {
    const broadcast_to_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(infer_same_dtype(call));
    if (own->shape.count > TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "shape has %lld extents, at most %d work",
                       (long long)own->shape.count, TN_MAX_RANK);
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    const int32_t rank = (int32_t)own->shape.count;
    if (data->rank > rank) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "shape has %d extents, but data has %d axes", (int)rank, (int)data->rank);
    }
    tn_shape stretched = with_rank(data, rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        if (own->shape.values[axis] > 0) {
            stretched.extents[axis] = own->shape.values[axis];
        }
    }
    return infer_stretched(call, &stretched);
}

const tn_op broadcast_to_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Repeats a tensor along its axes of extent 1 until it has the given shape.",
    .attributes = broadcast_to_table,
    .attribute_count = sizeof broadcast_to_table / sizeof *broadcast_to_table,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(broadcast_to_attributes),
    .input_names = data_name,
    .output_names = output_names,
    .input_name_count = 1,
    .output_name_count = 1,
    .infer = infer_broadcast_to,
};

/* broadcast_axis */

typedef struct broadcast_axis_attributes {
    tn_ints axis;
    tn_ints size;
} broadcast_axis_attributes;

static const tn_attribute broadcast_axis_table[] = {
    TN_FIELD(broadcast_axis_attributes, axis, INTS, "()", "[-32,31]",
             "The axes to repeat along; each has extent 1."),
    TN_FIELD(broadcast_axis_attributes, size, INTS, "()", "[0,inf)",
             "How often, for each of these axes."),
};

static tn_status check_broadcast_axis(tn_arity_call *call) {
    const broadcast_axis_attributes *own = call->attributes;
    if (own->axis.count != own->size.count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "axis has %lld elements and size %lld: they must be as many",
                       (long long)own->axis.count, (long long)own->size.count);
    }
    return TN_OK;
}

static tn_status infer_broadcast_axis(tn_infer_call *call) {
    const broadcast_axis_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(infer_same_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape stretched = *data;
    for (int64_t i = 0; i < own->axis.count; i++) {
        int32_t axis = 0;
        TN_TRY(tn_resolve_axis(call->host, own->axis.values[i], data->rank, &axis));
        if (stretched.extents[axis] >= 0 && stretched.extents[axis] != 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "axis %d has extent %lld: only an extent of 1 can be stretched",
                           (int)axis, (long long)stretched.extents[axis]);
        }
        stretched.extents[axis] = own->size.values[i];
    }
    return infer_stretched(call, &stretched);
}

const tn_op broadcast_axis_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Repeats a tensor along some axes of extent 1.",
    .attributes = broadcast_axis_table,
    .attribute_count = sizeof broadcast_axis_table / sizeof *broadcast_axis_table,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(broadcast_axis_attributes),
    .input_names = data_name,
    .output_names = output_names,
    .input_name_count = 1,
    .output_name_count = 1,
    .arity = check_broadcast_axis,
    .infer = infer_broadcast_axis,
};

/* broadcast_like */

typedef struct broadcast_like_attributes {
    tn_ints lhs_axes;
    tn_ints rhs_axes;
} broadcast_like_attributes;

static const tn_attribute broadcast_like_table[] = {
    TN_FIELD_OR_NONE(broadcast_like_attributes, lhs_axes, INTS, "None", "[-32,31]",
                     "The axes of lhs to stretch; None: all."),
    TN_FIELD_OR_NONE(broadcast_like_attributes, rhs_axes, INTS, "None", "[-32,31]",
                     "The axes of rhs to take their extents from, one for each of lhs_axes."),
};

static int names_axes(const broadcast_like_attributes *own) {
    return own->lhs_axes.count >= 0 && own->rhs_axes.count >= 0;
}

static tn_status check_broadcast_like(tn_arity_call *call) {
    const broadcast_like_attributes *own = call->attributes;
    if (names_axes(own) &&
        (own->lhs_axes.count != own->rhs_axes.count || own->lhs_axes.count == 0)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "lhs_axes has %lld elements and rhs_axes %lld: they must be as many, and "
                       "at least 1",
                       (long long)own->lhs_axes.count, (long long)own->rhs_axes.count);
    }
    return TN_OK;
}

static tn_status infer_broadcast_like(tn_infer_call *call) {
    const broadcast_like_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    const tn_shape *like = &call->inputs[1].shape;
    TN_TRY(infer_same_dtype(call));
    if (!names_axes(own)) {
        return data->rank < 0 || like->rank < 0 ? TN_OK : infer_stretched(call, like);
    }
    if (data->rank < 0 || like->rank < 0) {
        return TN_OK;
    }
    tn_shape stretched = *data;
    for (int64_t i = 0; i < own->lhs_axes.count; i++) {
        int32_t to = 0, from = 0;
        TN_TRY(tn_resolve_axis(call->host, own->lhs_axes.values[i], data->rank, &to));
        TN_TRY(tn_resolve_axis(call->host, own->rhs_axes.values[i], like->rank, &from));
        stretched.extents[to] = like->extents[from];
    }
    return infer_stretched(call, &stretched);
}

const tn_op broadcast_like_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Repeats lhs along its axes of extent 1 until it has the shape of rhs, or, where axes "
           "are named, their extents. The elements of rhs play no part.",
    .attributes = broadcast_like_table,
    .attribute_count = sizeof broadcast_like_table / sizeof *broadcast_like_table,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(broadcast_like_attributes),
    .input_names = like_names,
    .output_names = output_names,
    .input_name_count = 2,
    .output_name_count = 1,
    .arity = check_broadcast_like,
    .infer = infer_broadcast_like,
};
