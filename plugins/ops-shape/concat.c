/* Concat and stack: several tensors become one, along an axis that is there or a new one. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct join_attributes {
    int64_t num_args;
    int64_t axis;
} join_attributes;

#define NUM_ARGS                                                                                   \
    TN_FIELD(join_attributes, num_args, INT, "0", "[0,65535]",                                     \
             "How many inputs there are; 0: as many as are connected.")

static const tn_attribute concat_table[] = {
    NUM_ARGS,
    {"dim", TN_ATTRIBUTE_INT, 0, offsetof(join_attributes, axis), "1", NULL, "[-32,31]",
     "The axis along which the inputs follow each other."},
};

static const tn_attribute stack_table[] = {
    NUM_ARGS,
    TN_FIELD(join_attributes, axis, INT, "0", "[-32,31]",
             "The place of the new axis in the output."),
};

static tn_status join_arity(tn_arity_call *call) {
    const join_attributes *given = call->attributes;
    call->input_count = given->num_args > 0 ? (uint32_t)given->num_args : call->connected_inputs;
    return TN_OK;
}

static tn_status check_inputs(const tn_infer_call *call) {
    if (call->input_count == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "there are no inputs to join");
    }
    return TN_OK;
}

/* Merges all extents but that of `axis`. */
static tn_status merge_beside(const tn_host *host, const char *what, tn_shape *shape,
                              tn_shape *common, int32_t axis) {
    if (shape->rank >= 0 && shape->rank != common->rank) {
        return tn_infer_shape(host, what, shape, common);
    }
    const int64_t own = shape->rank < 0 ? TN_UNKNOWN : shape->extents[axis];
    if (shape->rank >= 0) {
        shape->extents[axis] = TN_UNKNOWN;
    }
    const tn_status status = tn_infer_same_shape(host, what, shape, common);
    shape->extents[axis] = own;
    return status;
}

/* Goes twice over all, so that what the last one knows reaches the first. */
static tn_status merge_all_beside(tn_infer_call *call, tn_shape *common, int32_t axis) {
    char what[32];
    for (int32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < call->input_count; i++) {
            snprintf(what, sizeof what, "input %u", (unsigned)i);
            TN_TRY(merge_beside(call->host, what, &call->inputs[i].shape, common, axis));
        }
        TN_TRY(merge_beside(call->host, "output", &call->outputs[0].shape, common, axis));
    }
    return TN_OK;
}

/* Along the axis the output is the sum: whichever one is missing follows from the others. */
static tn_status infer_sum(tn_infer_call *call, int32_t axis) {
    int64_t sum = 0;
    int64_t *missing = NULL;
    for (uint32_t i = 0; i < call->input_count; i++) {
        int64_t *extent = &call->inputs[i].shape.extents[axis];
        if (*extent >= 0) {
            TN_TRY(extent_add(call->host, sum, *extent, &sum));
        } else if (missing != NULL) {
            return TN_OK;
        } else {
            missing = extent;
        }
    }
    int64_t *whole = &call->outputs[0].shape.extents[axis];
    if (missing == NULL && *whole < 0) {
        *whole = sum;
    }
    if (*whole >= 0 && (missing == NULL ? sum != *whole : sum > *whole)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "the inputs have %lld along axis %d, but the output has %lld",
                       (long long)sum, (int)axis, (long long)*whole);
    }
    if (missing != NULL && *whole >= 0) {
        *missing = *whole - sum;
    }
    return TN_OK;
}

static int32_t known_rank(const tn_infer_call *call) {
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i].shape.rank >= 0) {
            return call->inputs[i].shape.rank;
        }
    }
    return call->outputs[0].shape.rank;
}

static tn_status concat_infer(tn_infer_call *call) {
    const join_attributes *given = call->attributes;
    const int32_t rank = known_rank(call);
    int32_t axis = 0;
    TN_TRY(check_inputs(call));
    TN_TRY(tn_infer_one_dtype(call));
    if (rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, given->axis, rank, &axis));
    tn_shape common = tn_shape_of_rank(rank);
    TN_TRY(merge_all_beside(call, &common, axis));
    return infer_sum(call, axis);
}

static tn_status stack_infer(tn_infer_call *call) {
    const join_attributes *given = call->attributes;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape common = tn_shape_unknown();
    const int32_t rank = known_rank(call);
    int32_t axis = 0;
    char what[32];
    TN_TRY(check_inputs(call));
    TN_TRY(tn_infer_one_dtype(call));
    if (rank < 0) {
        return TN_OK;
    }
    const int32_t output_rank = output->rank >= 0 ? output->rank : rank + 1;
    TN_TRY(tn_resolve_axis(call->host, given->axis, output_rank, &axis));
    if (output->rank >= 0) {
        common = extents_without_axis(output, axis);
    }
    for (int32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < call->input_count; i++) {
            snprintf(what, sizeof what, "input %u", (unsigned)i);
            TN_TRY(tn_infer_same_shape(call->host, what, &call->inputs[i].shape, &common));
        }
    }
    tn_shape fact;
    TN_TRY(extents_with_axis(call->host, &common, axis, call->input_count, &fact));
    return tn_infer_shape(call->host, "output", output, &fact);
}

/* Along the channels, channels-last when some input is. */
void concat_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    const join_attributes *given = query->attributes;
    const int32_t rank = query->outputs[0].shape.rank;
    const int is_along_channels = given->axis == 1 || given->axis + rank == 1;
    uint32_t layout = TN_LAYOUT_ROW_MAJOR;
    for (uint32_t i = 0; is_along_channels && i < query->input_count; i++) {
        layout = inputs[i] == TN_LAYOUT_ROW_MAJOR ? layout : inputs[i];
    }
    for (uint32_t i = 0; i < query->input_count; i++) {
        inputs[i] = layout;
    }
    outputs[0] = layout;
}

/* How many elements of an input or of the output follow each other in memory before those of the
 * next tensor: all within the axis, or, channels-last, the channels alone. */
static int64_t run_length(const tn_view *view, int32_t axis, int is_channels_last) {
    return is_channels_last ? view->shape[axis] : tn_extent_product(view->shape, axis, view->rank);
}

/* One move an input: what lies within the axis, as often as there is something around it, side by
 * side with the others'. */
tn_status join_prepare(tn_prepare_call *call) {
    const join_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    const int32_t axis = (int32_t)(given->axis < 0 ? given->axis + output->rank : given->axis);
    const int is_channels_last = output->strides != NULL;
    const int64_t pitch = run_length(output, axis, is_channels_last);
    const int64_t outer = pitch == 0 ? 0 : tn_element_count(output) / pitch;
    int64_t offset = 0;
    move_list *list = NULL;
    TN_TRY(move_list_create(call, call->input_count, &list));
    for (uint32_t i = 0; i < call->input_count; i++) {
        const tn_view *input = call->inputs[i];
        const int64_t inner = run_length(input, axis, is_channels_last);
        strided_copy *copy = &list->moves[i].copy;
        list->moves[i].input = i;
        strided_copy_add_axis(copy, outer, inner, pitch);
        strided_copy_add_axis(copy, inner, 1, 1);
        strided_copy_offset(copy, 0, offset);
        strided_copy_finish(copy);
        offset += inner;
    }
    return TN_OK;
}

const tn_op concat_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc = "The inputs one after the other along an axis. Their other extents are the same.",
    OP_ATTRIBUTES(concat_table, join_attributes),
    OP_OUTPUT,
    .arity = join_arity,
    .infer = concat_infer,
};

const tn_op stack_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc = "The inputs, all of one shape, side by side along a new axis.",
    OP_ATTRIBUTES(stack_table, join_attributes),
    OP_OUTPUT,
    .arity = join_arity,
    .infer = stack_infer,
};
