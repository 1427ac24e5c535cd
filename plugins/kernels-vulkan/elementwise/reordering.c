/* Movers of one input: transpose, SwapAxis, reverse, depth_to_space, space_to_depth.
 */
#include "entries_elementwise.h"
#include "mover.h"
#include "mover_kernel.h"

/* Axis `axis` of the output is axis order[axis] of the input. */
static void describe_order(const mover_node *node, const int32_t *order, element_move *out_move) {
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < output.rank; axis++) {
        axes_add(&out_move->axes, output.extents[axis], from[order[axis]], to[axis]);
    }
}

typedef struct transpose_attributes {
    tn_ints axes;
} transpose_attributes;

static const tn_attribute transpose_fields[] = {
    TN_FIELD(transpose_attributes, axes, INTS, "()", "[-32,31]", "The axes of the output."),
};

static void describe_transpose(const mover_node *node, uint32_t number, element_move *out_move) {
    const transpose_attributes *given = node->attributes;
    const int32_t rank = mover_output(node, 0).rank;
    int32_t order[TN_MAX_RANK];
    (void)number;
    for (int32_t axis = 0; axis < rank; axis++) {
        order[axis] =
            given->axes.count == 0 ? rank - 1 - axis : mover_axis(given->axes.values[axis], rank);
    }
    describe_order(node, order, out_move);
}

MOVER(transpose, MOVES_ONE)
MOVER_KERNEL(transpose, transpose)

typedef struct swap_axis_attributes {
    int64_t dim1;
    int64_t dim2;
} swap_axis_attributes;

static const tn_attribute swap_axis_fields[] = {
    TN_FIELD(swap_axis_attributes, dim1, INT, "0", "[-32,31]", "One of the axes."),
    TN_FIELD(swap_axis_attributes, dim2, INT, "0", "[-32,31]", "The other axis."),
};

static void describe_swap_axis(const mover_node *node, uint32_t number, element_move *out_move) {
    const swap_axis_attributes *given = node->attributes;
    const int32_t rank = mover_output(node, 0).rank;
    int32_t order[TN_MAX_RANK];
    (void)number;
    for (int32_t axis = 0; axis < rank; axis++) {
        order[axis] = axis;
    }
    const int32_t first = mover_axis(given->dim1, rank), second = mover_axis(given->dim2, rank);
    order[first] = second;
    order[second] = first;
    describe_order(node, order, out_move);
}

MOVER(swap_axis, MOVES_ONE)
MOVER_KERNEL(SwapAxis, swap_axis)
MOVER_KERNEL(swapaxes, swap_axis)

typedef struct reverse_attributes {
    tn_ints axis;
} reverse_attributes;

static const tn_attribute reverse_fields[] = {
    TN_FIELD(reverse_attributes, axis, INTS, NULL, "[-32,31]", "The axes to reverse."),
};

static void describe_reverse(const mover_node *node, uint32_t number, element_move *out_move) {
    const reverse_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    int64_t strides[TN_MAX_RANK];
    (void)number;
    axes_compact_strides(data.rank, data.extents, strides);
    for (int32_t axis = 0; axis < data.rank; axis++) {
        int is_reversed = 0;
        for (int64_t i = 0; i < given->axis.count; i++) {
            is_reversed |= mover_axis(given->axis.values[i], data.rank) == axis;
        }
        axes_add(&out_move->axes, data.extents[axis], is_reversed ? -strides[axis] : strides[axis],
                 strides[axis]);
        out_move->from_place += is_reversed ? (data.extents[axis] - 1) * strides[axis] : 0;
    }
}

MOVER(reverse, MOVES_ONE)
MOVER_KERNEL(reverse, reverse)
MOVER_KERNEL(flip, reverse)

typedef struct block_attributes {
    int64_t block_size;
} block_attributes;

static const tn_attribute block_fields[] = {
    TN_FIELD(block_attributes, block_size, INT, NULL, "[1,65535]", "The height of a block."),
};

/* The deep tensor is (batch, row in block, column in block, channels, height, width); the wide one
 * has the same axes at other strides. `order` names them as the output's axes stand. */
static void describe_blocks(mover_shape deep, int64_t size, const int *order, int is_from_deep,
                            element_move *out_move) {
    const int64_t channels = deep.extents[1] / (size * size);
    const int64_t height = deep.extents[2], width = deep.extents[3];
    const int64_t row = width * size, channel = height * size * row;
    const int64_t extents[6] = {deep.extents[0], size, size, channels, height, width};
    const int64_t wide[6] = {channels * channel, row, 1, channel, row * size, size};
    int64_t deep_strides[TN_MAX_RANK];
    axes_compact_strides(6, extents, deep_strides);
    for (int i = 0; i < 6; i++) {
        const int axis = order[i];
        axes_add(&out_move->axes, extents[axis], is_from_deep ? deep_strides[axis] : wide[axis],
                 is_from_deep ? wide[axis] : deep_strides[axis]);
    }
}

static void describe_depth_to_space(const mover_node *node, uint32_t number,
                                    element_move *out_move) {
    static const int order[6] = {0, 3, 4, 1, 5, 2};
    const block_attributes *given = node->attributes;
    (void)number;
    describe_blocks(mover_input(node, 0), given->block_size, order, 1, out_move);
}

static void describe_space_to_depth(const mover_node *node, uint32_t number,
                                    element_move *out_move) {
    static const int order[6] = {0, 1, 2, 3, 4, 5};
    const block_attributes *given = node->attributes;
    (void)number;
    describe_blocks(mover_output(node, 0), given->block_size, order, 0, out_move);
}

MOVER(depth_to_space, MOVES_ONE)
MOVER_KERNEL_WITH(depth_to_space, depth_to_space, block)
MOVER(space_to_depth, MOVES_ONE)
MOVER_KERNEL_WITH(space_to_depth, space_to_depth, block)
