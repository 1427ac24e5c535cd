/* Movers of a part of the input: slice, slice_axis, slice_like, SliceChannel, _split_v2. */
#include "entries_elementwise.h"
#include "mover.h"
#include "mover_kernel.h"

typedef struct slice_attributes {
    tn_ints begin;
    tn_ints step;
} slice_attributes;

static const tn_attribute slice_fields[] = {
    TN_FIELD_OR_NONE(slice_attributes, begin, INTS, NULL, NULL, "The first index of each axis."),
    TN_FIELD_OR_NONE(slice_attributes, step, INTS, "()", NULL, "From index to index."),
};

/* The first index; the output's extent says how many there are. */
static int64_t first_index(int64_t begin, int64_t step, int64_t extent) {
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    if (begin == TN_NONE) {
        return step > 0 ? low : high;
    }
    const int64_t index = begin < 0 ? begin + extent : begin;
    return index < low ? low : index > high ? high : index;
}

static void describe_slice(const mover_node *node, uint32_t number, element_move *out_move) {
    const slice_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    (void)number;
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < data.rank; axis++) {
        const int64_t begin = axis < given->begin.count ? given->begin.values[axis] : 0;
        int64_t step = axis < given->step.count ? given->step.values[axis] : 1;
        step = step == TN_NONE ? 1 : step;
        out_move->from_place += first_index(begin, step, data.extents[axis]) * from[axis];
        step = output.extents[axis] < 2 ? 1 : step; /* it leads nowhere, and may be huge */
        axes_add(&out_move->axes, output.extents[axis], step * from[axis], to[axis]);
    }
}

MOVER(slice, MOVES_ONE)
MOVER_KERNEL(slice, slice)
MOVER_KERNEL(crop, slice)

/* The output's extents, from element `place` of the input on. */
static void describe_region(const mover_node *node, int64_t place, element_move *out_move) {
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < data.rank; axis++) {
        axes_add(&out_move->axes, output.extents[axis], from[axis], to[axis]);
    }
    out_move->from_place = place;
}

typedef struct slice_axis_attributes {
    int64_t axis;
    int64_t begin;
} slice_axis_attributes;

static const tn_attribute slice_axis_fields[] = {
    TN_FIELD(slice_axis_attributes, axis, INT, NULL, "[-32,31]", "The axis to slice."),
    TN_FIELD(slice_axis_attributes, begin, INT, NULL, NULL, "The first index."),
};

static void describe_slice_axis(const mover_node *node, uint32_t number, element_move *out_move) {
    const slice_axis_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    const int32_t axis = mover_axis(given->axis, data.rank);
    const int64_t begin = given->begin < 0 ? given->begin + data.extents[axis] : given->begin;
    (void)number;
    describe_region(node, begin * mover_product(data, axis + 1, data.rank), out_move);
}

MOVER(slice_axis, MOVES_ONE)
MOVER_KERNEL(slice_axis, slice_axis)

static void describe_slice_like(const mover_node *node, uint32_t number, element_move *out_move) {
    (void)number;
    describe_region(node, 0, out_move);
}

MOVER(slice_like, MOVES_ONE)
MOVER_KERNEL_PLAIN(slice_like, slice_like)

/* The part of `axis` from index `begin` on that is output `number`, of `count` indices. */
static void describe_part(const mover_node *node, uint32_t number, int32_t axis, int64_t begin,
                          int64_t count, element_move *out_move) {
    const mover_shape data = mover_input(node, 0);
    const int64_t outer = mover_product(data, 0, axis);
    const int64_t pitch = mover_product(data, axis, data.rank);
    const int64_t inner = mover_product(data, axis + 1, data.rank);
    out_move->output = number;
    out_move->from_place = begin * inner;
    axes_add(&out_move->axes, outer, pitch, count * inner);
    axes_add(&out_move->axes, count * inner, 1, 1);
}

/* Where part `part` begins when an axis is cut into `parts`, the first of them longer by one. */
static int64_t even_begin(int64_t extent, int64_t parts, int64_t part) {
    const int64_t longer = extent % parts;
    return part * (extent / parts) + (part < longer ? part : longer);
}

typedef struct slice_channel_attributes {
    int64_t num_outputs;
    int64_t axis;
} slice_channel_attributes;

static const tn_attribute slice_channel_fields[] = {
    TN_FIELD(slice_channel_attributes, num_outputs, INT, NULL, "[1,65535]", "How many parts."),
    TN_FIELD(slice_channel_attributes, axis, INT, "1", "[-32,31]", "The axis to cut."),
};

static void describe_slice_channel(const mover_node *node, uint32_t number,
                                   element_move *out_move) {
    const slice_channel_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    const int32_t axis = mover_axis(given->axis, data.rank);
    const int64_t count = data.extents[axis] / given->num_outputs;
    describe_part(node, number, axis, number * count, count, out_move);
}

MOVER(slice_channel, MOVES_EACH_OUTPUT)
MOVER_KERNEL(SliceChannel, slice_channel)
MOVER_KERNEL(split, slice_channel)

typedef struct split_v2_attributes {
    tn_ints indices;
    int64_t axis;
    int64_t sections;
} split_v2_attributes;

static const tn_attribute split_v2_fields[] = {
    TN_FIELD(split_v2_attributes, indices, INTS, NULL, "[0,inf)", "Where each part begins."),
    TN_FIELD(split_v2_attributes, axis, INT, "1", "[-32,31]", "The axis to cut."),
    TN_FIELD(split_v2_attributes, sections, INT, "0", "[0,65535]", "How many parts, or 0."),
};

static void describe_split_v2(const mover_node *node, uint32_t number, element_move *out_move) {
    const split_v2_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    const int32_t axis = mover_axis(given->axis, data.rank);
    const int64_t extent = data.extents[axis];
    int64_t begin, end;
    if (given->sections > 0) {
        begin = even_begin(extent, given->sections, number);
        end = even_begin(extent, given->sections, (int64_t)number + 1);
    } else {
        begin = given->indices.values[number];
        end = number + 1 < given->indices.count ? given->indices.values[number + 1] : extent;
    }
    describe_part(node, number, axis, begin, end - begin, out_move);
}

MOVER(split_v2, MOVES_EACH_OUTPUT)
MOVER_KERNEL(_split_v2, split_v2)
