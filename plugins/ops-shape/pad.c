/* Pad: the input with a margin on each side of each axis. */
#include "extents.h"
#include "fill.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

enum { MODE_CONSTANT, MODE_EDGE, MODE_REFLECT };

typedef struct pad_attributes {
    int32_t mode;
    tn_ints pad_width;
    double constant_value;
} pad_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD_CHOICE(pad_attributes, mode, NULL, "constant|edge|reflect",
                    "What the margin holds: constant_value, the nearest element of the input, or "
                    "the input mirrored at its border, which is not repeated."),
    TN_FIELD(pad_attributes, pad_width, INTS, NULL, "[0,inf)",
             "The margins, two for each axis: before and after it."),
    TN_FIELD(pad_attributes, constant_value, FLOAT, "0", NULL,
             "What a constant margin is filled with."),
};

static tn_status pad_arity(tn_arity_call *call) {
    const pad_attributes *given = call->attributes;
    if (given->pad_width.count % 2 != 0 || given->pad_width.count > 2 * TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "pad_width has %lld items: expected two for each axis",
                       (long long)given->pad_width.count);
    }
    return TN_OK;
}

/* A margin that is not constant needs elements to come from. */
static tn_status check_source(const tn_host *host, int32_t mode, int32_t axis, int64_t extent,
                              int64_t margin) {
    if (margin == 0 || mode == MODE_CONSTANT || extent < 0 ||
        (mode == MODE_EDGE ? extent > 0 : margin < extent)) {
        return TN_OK;
    }
    return tn_fail(host, TN_INVALID_ARGUMENT,
                   "axis %d of extent %lld cannot be padded by %lld elements of its own", (int)axis,
                   (long long)extent, (long long)margin);
}

static tn_status pad_infer(tn_infer_call *call) {
    const pad_attributes *given = call->attributes;
    const tn_shape known = tn_shape_of_rank((int32_t)(given->pad_width.count / 2));
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_shape(call->host, "data", data, &known));
    TN_TRY(tn_infer_shape(call->host, "output", output, &known));
    for (int32_t axis = 0; axis < data->rank; axis++) {
        const int64_t before = given->pad_width.values[2 * axis];
        const int64_t after = given->pad_width.values[2 * axis + 1];
        int64_t margins, padded;
        TN_TRY(extent_add(call->host, before, after, &margins));
        if (data->extents[axis] < 0 && output->extents[axis] >= margins) {
            data->extents[axis] = output->extents[axis] - margins;
        }
        TN_TRY(check_source(call->host, given->mode, axis, data->extents[axis], before));
        TN_TRY(check_source(call->host, given->mode, axis, data->extents[axis], after));
        TN_TRY(extent_add(call->host, data->extents[axis], margins, &padded));
        if (padded >= 0 && output->extents[axis] >= 0 && padded != output->extents[axis]) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "axis %d of the output has extent %lld, but %lld is expected", (int)axis,
                           (long long)output->extents[axis], (long long)padded);
        }
        output->extents[axis] = padded >= 0 ? padded : output->extents[axis];
    }
    return TN_OK;
}

/* Where the input lies in the output. */
typedef struct frame {
    const tn_view *data;
    const tn_view *output;
    const int64_t *pad_width;
    int64_t strides[TN_MAX_RANK]; /* of the output */
} frame;

/* The input, into the middle of the output. */
static void describe_middle(const frame *around, strided_copy *copy) {
    int64_t strides[TN_MAX_RANK];
    view_strides(around->data, strides);
    for (int32_t axis = 0; axis < around->data->rank; axis++) {
        strided_copy_add_axis(copy, around->data->shape[axis], strides[axis],
                              around->strides[axis]);
        strided_copy_offset(copy, 0, around->pad_width[2 * axis] * around->strides[axis]);
    }
    strided_copy_finish(copy);
}

/*
 * One margin of `axis`, from the elements of the output beside it. The axes behind are complete
 * already and taken whole; of those in front only the middle is, and its margins follow. Step i of
 * the margin, counted from the border outwards, lies at target + i * direction and comes from
 * source - i * direction, or always from source when the edge is repeated.
 */
static void describe_margin(const frame *around, int32_t axis, int after, int mirrored,
                            strided_copy *copy) {
    const int64_t before = around->pad_width[2 * axis];
    const int64_t direction = after ? 1 : -1;
    const int64_t border = after ? before + around->data->shape[axis] - 1 : before;
    for (int32_t i = 0; i < around->data->rank; i++) {
        const int64_t stride = around->strides[i];
        if (i == axis) {
            strided_copy_add_axis(copy, around->pad_width[2 * axis + after],
                                  mirrored ? -direction * stride : 0, direction * stride);
            strided_copy_offset(copy, (border - (mirrored ? direction : 0)) * stride,
                                (border + direction) * stride);
        } else if (i < axis) {
            const int64_t offset = around->pad_width[2 * i] * stride;
            strided_copy_add_axis(copy, around->data->shape[i], stride, stride);
            strided_copy_offset(copy, offset, offset);
        } else {
            strided_copy_add_axis(copy, around->output->shape[i], stride, stride);
        }
    }
    strided_copy_finish(copy);
}

tn_status pad_prepare(tn_prepare_call *call) {
    const pad_attributes *given = call->attributes;
    frame around = {call->inputs[0], call->outputs[0], given->pad_width.values, {0}};
    const int32_t rank = around.output->rank;
    const int constant = given->mode == MODE_CONSTANT;
    move_list *list = NULL;
    TN_TRY(move_list_create(call, constant ? 1 : 1 + 2 * (uint32_t)rank, &list));
    view_strides(around.output, around.strides);
    describe_middle(&around, &list->moves[0].copy);
    if (constant) {
        list->fill_size = (uint32_t)TN_DTYPE_SIZE(around.output->dtype);
        element_from_double(around.output->dtype, given->constant_value, list->fill);
        return TN_OK;
    }
    move *next = &list->moves[1];
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        for (int after = 0; after < 2; after++, next++) {
            next->input = MOVE_WITHIN_OUTPUT;
            describe_margin(&around, axis, after, given->mode == MODE_REFLECT, &next->copy);
        }
    }
    return TN_OK;
}

const tn_op pad_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with a margin before and after it along each axis: of a constant, of its "
           "border elements, or of its mirror image.",
    OP_ATTRIBUTES(attribute_table, pad_attributes),
    OP_INPUTS(data_name),
    .arity = pad_arity,
    .infer = pad_infer,
};
