/* tile and repeat: the input, or each of its elements, several times over. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct tile_attributes {
    tn_ints reps;
} tile_attributes;

static const tn_attribute tile_table[] = {
    TN_FIELD(tile_attributes, reps, INTS, NULL, "[0,inf)",
             "How often the input is repeated along each axis, counted from the last one."),
};

typedef struct repeat_attributes {
    int64_t repeats;
    int64_t axis;
} repeat_attributes;

static const tn_attribute repeat_table[] = {
    TN_FIELD(repeat_attributes, repeats, INT, NULL, "[0,inf)", "How often each element appears."),
    TN_FIELD_OR_NONE(repeat_attributes, axis, INT, "None", "[-32,31]",
                     "The axis along which it appears; None: the input is made one axis first."),
};

/* Item `axis` of a list that is aligned at its end with the axes of a tensor of `rank`; 1 where
 * the list is too short. */
static int64_t aligned_reps(const tn_ints *reps, int32_t axis, int32_t rank) {
    const int64_t i = axis + reps->count - rank;
    return i < 0 ? 1 : reps->values[i];
}

static tn_status tile_infer(tn_infer_call *call) {
    const tile_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    const int64_t rank = given->reps.count > data->rank ? given->reps.count : data->rank;
    tn_shape fact = tn_shape_of(0, NULL);
    for (int32_t axis = 0; axis < rank; axis++) {
        const int32_t data_axis = axis + data->rank - (int32_t)rank;
        int64_t extent = data_axis < 0 ? 1 : data->extents[data_axis];
        TN_TRY(extent_multiply(call->host, extent, aligned_reps(&given->reps, axis, (int32_t)rank),
                               &extent));
        TN_TRY(extents_append(call->host, &fact, extent));
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

tn_status tile_prepare(tn_prepare_call *call) {
    const tile_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, source);
    view_strides(output, target);
    strided_copy *copy = &list->moves[0].copy;
    for (int32_t axis = 0; axis < output->rank; axis++) {
        const int32_t data_axis = axis + data->rank - output->rank;
        const int64_t extent = data_axis < 0 ? 1 : data->shape[data_axis];
        strided_copy_add_axis(copy, aligned_reps(&given->reps, axis, output->rank), 0,
                              extent * target[axis]);
        strided_copy_add_axis(copy, extent, data_axis < 0 ? 0 : source[data_axis], target[axis]);
    }
    strided_copy_finish(copy);
    return TN_OK;
}

static tn_status repeat_infer(tn_infer_call *call) {
    const repeat_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    int32_t axis = 0;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape fact = *data;
    if (given->axis == TN_NONE) {
        fact = tn_shape_of_rank(1);
        TN_TRY(extents_multiply(call->host, data, 0, data->rank, &fact.extents[0]));
    } else {
        TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
    }
    TN_TRY(extent_multiply(call->host, fact.extents[axis], given->repeats, &fact.extents[axis]));
    return tn_infer_shape(call->host, "output", output, &fact);
}

tn_status repeat_prepare(tn_prepare_call *call) {
    const repeat_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    int32_t axis = data->rank - 1;
    move_list *list = NULL;
    if (given->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
    }
    const int64_t outer = tn_extent_product(data->shape, 0, axis + 1);
    const int64_t inner = tn_extent_product(data->shape, axis + 1, data->rank);
    const int64_t repeats = outer == 0 ? 0 : given->repeats; /* unbounded when nothing is there */
    TN_TRY(move_list_create(call, 1, &list));
    strided_copy *copy = &list->moves[0].copy;
    strided_copy_add_axis(copy, outer, inner, inner * repeats);
    strided_copy_add_axis(copy, repeats, 0, inner);
    strided_copy_add_axis(copy, inner, 1, 1);
    strided_copy_finish(copy);
    return TN_OK;
}

const tn_op tile_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input repeated as a whole along each axis, as tiles cover a floor.",
    OP_ATTRIBUTES(tile_table, tile_attributes),
    OP_INPUTS(data_name),
    .infer = tile_infer,
};

const tn_op repeat_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Each element of the input several times in a row.",
    OP_ATTRIBUTES(repeat_table, repeat_attributes),
    OP_INPUTS(data_name),
    .infer = repeat_infer,
};
