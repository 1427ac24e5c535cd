/* slice and reverse: every so many elements of each axis, forwards or backwards. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct slice_attributes {
    tn_ints begin;
    tn_ints end;
    tn_ints step;
} slice_attributes;

static const tn_attribute slice_table[] = {
    TN_FIELD_OR_NONE(slice_attributes, begin, INTS, NULL, NULL,
                     "The first index of each axis, from the back when negative; None is the "
                     "axis' start, or its end when the step is negative."),
    TN_FIELD_OR_NONE(slice_attributes, end, INTS, NULL, NULL,
                     "The index of each axis to stop before, as begin."),
    TN_FIELD_OR_NONE(slice_attributes, step, INTS, "()", NULL,
                     "How far it is from index to index; None is 1, negative runs backwards."),
};

typedef struct reverse_attributes {
    tn_ints axis;
} reverse_attributes;

static const tn_attribute reverse_table[] = {
    TN_FIELD(reverse_attributes, axis, INTS, NULL, "[-32,31]", "The axes to reverse."),
};

/* Indices first, first + step, …: `count` of them. */
typedef struct progression {
    int64_t first;
    int64_t step;
    int64_t count;
} progression;

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* What begin, end and step mean along an axis. Indices beyond it are cut off. */
static progression resolve_slice(int64_t begin, int64_t end, int64_t step, int64_t extent) {
    progression result = {0, step == TN_NONE ? 1 : step, 0};
    const int forwards = result.step > 0;
    const int64_t low = forwards ? 0 : -1, high = forwards ? extent : extent - 1;
    result.first = forwards ? low : high;
    int64_t stop = forwards ? high : low;
    if (begin != TN_NONE) {
        result.first = clamp(begin < 0 ? begin + extent : begin, low, high);
    }
    if (end != TN_NONE) {
        stop = clamp(end < 0 ? end + extent : end, low, high);
    }
    const int64_t distance = forwards ? stop - result.first : result.first - stop;
    if (distance > 0) {
        result.count = (distance - 1) / (forwards ? result.step : -result.step) + 1;
    }
    if (result.count < 2) {
        result.step = 1; /* it leads nowhere, and may be huge */
    }
    return result;
}

static tn_status slice_arity(tn_arity_call *call) {
    const slice_attributes *given = call->attributes;
    if (given->begin.count < 0 || given->begin.count != given->end.count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "begin has %lld items and end %lld: expected as many in both",
                       (long long)given->begin.count, (long long)given->end.count);
    }
    if (given->step.count > 0 && given->step.count != given->begin.count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "step has %lld items: expected none, or as many as begin, %lld",
                       (long long)given->step.count, (long long)given->begin.count);
    }
    for (int64_t i = 0; i < given->step.count; i++) {
        if (given->step.values[i] == 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "step %lld must not be 0",
                           (long long)i);
        }
    }
    return TN_OK;
}

static progression slice_axis_of(const slice_attributes *given, int32_t axis, int64_t extent) {
    const progression all = {0, 1, extent};
    if (axis >= given->begin.count) {
        return all;
    }
    return resolve_slice(given->begin.values[axis], given->end.values[axis],
                         given->step.count > 0 ? given->step.values[axis] : 1, extent);
}

static tn_status slice_infer(tn_infer_call *call) {
    const slice_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    if (given->begin.count > data->rank) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "begin has %lld items, but the input has rank %d",
                       (long long)given->begin.count, (int)data->rank);
    }
    tn_shape fact = *data;
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (data->extents[axis] >= 0) {
            fact.extents[axis] = slice_axis_of(given, axis, data->extents[axis]).count;
        }
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    for (int32_t axis = (int32_t)given->begin.count; axis < data->rank; axis++) {
        data->extents[axis] = output->extents[axis];
    }
    return TN_OK;
}

/* Adds the next axis of input and output: the elements of `taken`. */
static void add_progression(strided_copy *copy, const progression *taken, int64_t source_stride,
                            int64_t target_stride) {
    strided_copy_add_axis(copy, taken->count, taken->step * source_stride, target_stride);
    strided_copy_offset(copy, taken->first * source_stride, 0);
}

tn_status slice_prepare(tn_prepare_call *call) {
    const slice_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, source);
    view_strides(output, target);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        const progression taken = slice_axis_of(given, axis, data->shape[axis]);
        add_progression(&list->moves[0].copy, &taken, source[axis], target[axis]);
    }
    strided_copy_finish(&list->moves[0].copy);
    return TN_OK;
}

static tn_status reverse_infer(tn_infer_call *call) {
    const reverse_attributes *given = call->attributes;
    unsigned char marked[TN_MAX_RANK];
    TN_TRY(tn_infer_elementwise(call));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    return mark_axes(call->host, &given->axis, call->inputs[0].shape.rank, 0, marked);
}

tn_status reverse_prepare(tn_prepare_call *call) {
    const reverse_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    unsigned char marked[TN_MAX_RANK];
    int64_t strides[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(mark_axes(call->host, &given->axis, data->rank, 0, marked));
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, strides);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        const int64_t extent = data->shape[axis];
        const progression forwards = {0, 1, extent}, backwards = {extent - 1, -1, extent};
        add_progression(&list->moves[0].copy, marked[axis] ? &backwards : &forwards, strides[axis],
                        strides[axis]);
    }
    strided_copy_finish(&list->moves[0].copy);
    return TN_OK;
}

const tn_op slice_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A region of the input: for each axis the indices from begin until before end in steps. "
           "Axes beyond the lists are taken whole.",
    OP_ATTRIBUTES(slice_table, slice_attributes),
    OP_INPUTS(data_name),
    .arity = slice_arity,
    .infer = slice_infer,
};

const tn_op reverse_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with the elements along some axes in the opposite order.",
    OP_ATTRIBUTES(reverse_table, reverse_attributes),
    OP_INPUTS(data_name),
    .infer = reverse_infer,
};
