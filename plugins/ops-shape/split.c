/* SliceChannel and _split_v2: one tensor becomes several, along an axis. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

/* How an axis is cut. */
typedef struct cuts {
    int64_t axis;
    int32_t squeeze; /* the axis, of extent 1 in every part, goes */
    int32_t even;    /* all parts must have the same extent */
    uint32_t part_count;
    const int64_t *indices; /* where each part begins; NULL: parts as even as can be */
} cuts;

typedef struct slice_channel_attributes {
    int64_t num_outputs;
    int64_t axis;
    int32_t squeeze_axis;
} slice_channel_attributes;

typedef struct split_v2_attributes {
    tn_ints indices;
    int64_t axis;
    int32_t squeeze_axis;
    int64_t sections;
} split_v2_attributes;

#define MAX_PARTS 65535

static const tn_attribute slice_channel_table[] = {
    TN_FIELD(slice_channel_attributes, num_outputs, INT, NULL, "[1,65535]",
             "Into how many parts of the same extent the axis is cut."),
    TN_FIELD(slice_channel_attributes, axis, INT, "1", "[-32,31]", "The axis to cut."),
    TN_FIELD(slice_channel_attributes, squeeze_axis, BOOL, "False", NULL,
             "Whether the axis, of extent 1 in every part, is removed."),
};

static const tn_attribute split_v2_table[] = {
    TN_FIELD(split_v2_attributes, indices, INTS, NULL, "[0,inf)",
             "Where each part begins, the first at 0; not read when sections is given."),
    TN_FIELD(split_v2_attributes, axis, INT, "1", "[-32,31]", "The axis to cut."),
    TN_FIELD(split_v2_attributes, squeeze_axis, BOOL, "False", NULL,
             "Whether the axis, of extent 1 in every part, is removed."),
    TN_FIELD(split_v2_attributes, sections, INT, "0", "[0,65535]",
             "Into how many parts the axis is cut, the first ones longer by one where it does not "
             "divide; 0: cut by indices."),
};

static cuts slice_channel_cuts(const slice_channel_attributes *given) {
    return (cuts){given->axis, given->squeeze_axis, 1, (uint32_t)given->num_outputs, NULL};
}

static cuts split_v2_cuts(const split_v2_attributes *given) {
    const int by_sections = given->sections > 0;
    return (cuts){given->axis, given->squeeze_axis, 0,
                  (uint32_t)(by_sections ? given->sections : given->indices.count),
                  by_sections ? NULL : given->indices.values};
}

static tn_status slice_channel_arity(tn_arity_call *call) {
    const slice_channel_attributes *given = call->attributes;
    call->output_count = (uint32_t)given->num_outputs;
    return TN_OK;
}

static tn_status split_v2_arity(tn_arity_call *call) {
    const split_v2_attributes *given = call->attributes;
    const tn_ints *indices = &given->indices;
    if (given->sections == 0) {
        if (indices->count < 1 || indices->count > MAX_PARTS || indices->values[0] != 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "indices has %lld items: expected 1 to %d, the first of them 0",
                           (long long)indices->count, MAX_PARTS);
        }
        for (int64_t i = 1; i < indices->count; i++) {
            if (indices->values[i] < indices->values[i - 1]) {
                return tn_fail(call->host, TN_INVALID_ARGUMENT,
                               "indices must not fall, but %lld follows %lld",
                               (long long)indices->values[i], (long long)indices->values[i - 1]);
            }
        }
    }
    call->output_count = split_v2_cuts(given).part_count;
    return TN_OK;
}

/* Where part `part` of an axis of `extent` begins; part_count gives the end of the last. */
static int64_t part_begin(const cuts *how, int64_t extent, uint32_t part) {
    if (part == how->part_count) {
        return extent;
    }
    if (how->indices != NULL) {
        return how->indices[part];
    }
    const int64_t longer = extent % how->part_count;
    return part * (extent / how->part_count) + (part < longer ? part : longer);
}

/* The extent of a part, as far as it follows from the axis' extent, which may be unknown. */
static int64_t part_extent(const cuts *how, int64_t extent, uint32_t part) {
    if (extent >= 0) {
        return part_begin(how, extent, part + 1) - part_begin(how, extent, part);
    }
    return how->squeeze ? 1 : TN_UNKNOWN;
}

/* The axis has an extent that the cuts fit. */
static tn_status check_extent(const tn_host *host, const cuts *how, int64_t extent) {
    if (how->even && extent % how->part_count != 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "an axis of extent %lld cannot be cut into %u parts of the same extent",
                       (long long)extent, (unsigned)how->part_count);
    }
    for (uint32_t part = 0; part < how->part_count; part++) {
        const int64_t length = part_extent(how, extent, part);
        if (length < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "the last part begins at %lld, but the axis has extent %lld",
                           (long long)part_begin(how, extent, part), (long long)extent);
        }
        if (how->squeeze && length != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "squeeze_axis needs parts of extent 1, but part %u has extent %lld",
                           (unsigned)part, (long long)length);
        }
    }
    return TN_OK;
}

/* The extent of the axis from the parts', unknown when one of them is. */
static tn_status sum_parts(const tn_infer_call *call, const cuts *how, int32_t axis,
                           int64_t *out_sum) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < how->part_count; i++) {
        const tn_shape *part = &call->outputs[i].shape;
        const int64_t extent = how->squeeze ? 1 : part->rank < 0 ? TN_UNKNOWN : part->extents[axis];
        TN_TRY(extent_add(call->host, sum, extent, &sum));
    }
    *out_sum = sum;
    return TN_OK;
}

/* Between the input and one part: the cut axis from the input to the part, the others both ways. */
static tn_status infer_part(tn_infer_call *call, const cuts *how, int32_t axis, uint32_t part) {
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[part].shape;
    tn_shape fact = *data;
    char what[32];
    snprintf(what, sizeof what, "output %u", (unsigned)part);
    fact.extents[axis] = part_extent(how, data->extents[axis], part);
    if (how->squeeze) {
        fact = extents_without_axis(&fact, axis);
    }
    TN_TRY(tn_infer_shape(call->host, what, output, &fact));
    fact = *output;
    if (how->squeeze) {
        TN_TRY(extents_with_axis(call->host, output, axis, 1, &fact));
    }
    fact.extents[axis] = data->extents[axis];
    return tn_infer_shape(call->host, "data", data, &fact);
}

static tn_status infer_cuts(tn_infer_call *call, const cuts *how) {
    tn_shape *data = &call->inputs[0].shape;
    int32_t rank = data->rank;
    int32_t axis = 0;
    TN_TRY(tn_infer_one_dtype(call));
    for (uint32_t i = 0; i < how->part_count && rank < 0; i++) {
        if (call->outputs[i].shape.rank >= 0) {
            rank = call->outputs[i].shape.rank + how->squeeze;
        }
    }
    if (rank < 0 || rank > TN_MAX_RANK) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, how->axis, rank, &axis));
    const tn_shape known = tn_shape_of_rank(rank);
    TN_TRY(tn_infer_shape(call->host, "data", data, &known));
    if (data->extents[axis] < 0) {
        TN_TRY(sum_parts(call, how, axis, &data->extents[axis]));
    }
    if (data->extents[axis] >= 0) {
        TN_TRY(check_extent(call->host, how, data->extents[axis]));
    }
    for (uint32_t i = 0; i < 2 * how->part_count; i++) { /* what the last knows reaches the first */
        TN_TRY(infer_part(call, how, axis, i % how->part_count));
    }
    return TN_OK;
}

static tn_status prepare_cuts(tn_prepare_call *call, const cuts *how) {
    const tn_view *data = call->inputs[0];
    const int32_t axis = (int32_t)(how->axis < 0 ? how->axis + data->rank : how->axis);
    const int64_t outer = tn_extent_product(data->shape, 0, axis);
    const int64_t pitch = tn_extent_product(data->shape, axis, data->rank);
    const int64_t inner = tn_extent_product(data->shape, axis + 1, data->rank);
    move_list *list = NULL;
    TN_TRY(move_list_create(call, how->part_count, &list));
    for (uint32_t i = 0; i < how->part_count; i++) {
        const int64_t run = part_extent(how, data->shape[axis], i) * inner;
        strided_copy *copy = &list->moves[i].copy;
        list->moves[i].output = i;
        strided_copy_add_axis(copy, outer, pitch, run);
        strided_copy_add_axis(copy, run, 1, 1);
        strided_copy_offset(copy, part_begin(how, data->shape[axis], i) * inner, 0);
        strided_copy_finish(copy);
    }
    return TN_OK;
}

/* Symbols of MXNet 0.9 ask for a squeeze where the parts have an extent other than 1, and mean
 * nothing by it: whether the axis goes is known when its extent is. */
static tn_status slice_channel_infer(tn_infer_call *call) {
    cuts how = slice_channel_cuts(call->attributes);
    const tn_shape *data = &call->inputs[0].shape;
    if (how.squeeze) {
        int32_t axis = 0;
        if (data->rank < 0) {
            return tn_infer_one_dtype(call);
        }
        TN_TRY(tn_resolve_axis(call->host, how.axis, data->rank, &axis));
        if (data->extents[axis] < 0) {
            return tn_infer_one_dtype(call);
        }
        how.squeeze = data->extents[axis] == how.part_count;
    }
    return infer_cuts(call, &how);
}

tn_status slice_channel_prepare(tn_prepare_call *call) {
    const cuts how = slice_channel_cuts(call->attributes);
    return prepare_cuts(call, &how);
}

static tn_status split_v2_infer(tn_infer_call *call) {
    const cuts how = split_v2_cuts(call->attributes);
    return infer_cuts(call, &how);
}

tn_status split_v2_prepare(tn_prepare_call *call) {
    const cuts how = split_v2_cuts(call->attributes);
    return prepare_cuts(call, &how);
}

const tn_op slice_channel_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input cut along an axis into parts of the same extent.",
    OP_ATTRIBUTES(slice_channel_table, slice_channel_attributes),
    OP_INPUTS(data_name),
    .arity = slice_channel_arity,
    .infer = slice_channel_infer,
};

const tn_op split_v2_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input cut along an axis, before each of some indices or into a number of parts.",
    OP_ATTRIBUTES(split_v2_table, split_v2_attributes),
    OP_INPUTS(data_name),
    .arity = split_v2_arity,
    .infer = split_v2_infer,
};
