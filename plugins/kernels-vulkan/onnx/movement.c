/* Operators of ONNX that only move elements: Slice, Split, Expand, Tile, DepthToSpace,
 * SpaceToDepth.
 */
#include "elementwise/mover.h"
#include "elementwise/mover_kernel.h"
#include "entries_onnx.h"
#include "lists.h"

static known_list list_of_node(const mover_node *node, uint32_t input, const tn_ints *attribute) {
    return node->query != NULL ? list_in_query(node->query, input, attribute)
                               : list_in_call(node->call, input, attribute);
}

#define ONNX_MOVER(NAME, OPERATOR, SUPPORTS)                                                       \
    const tn_kernel onnx_##OPERATOR##_kernel = {                                                   \
        SPIRV_KERNEL("onnx." NAME, SUPPORTS, prepare_##OPERATOR),                                  \
        KERNEL_ATTRIBUTES(OPERATOR##_fields, OPERATOR##_attributes),                               \
    };
#define ONNX_MOVER_PLAIN(NAME, OPERATOR)                                                           \
    const tn_kernel onnx_##OPERATOR##_kernel = {                                                   \
        SPIRV_KERNEL("onnx." NAME, supports_##OPERATOR, prepare_##OPERATOR),                       \
    };

/* Slice */

enum { SLICE_STARTS = 1, SLICE_ENDS, SLICE_AXES, SLICE_STEPS };

typedef struct slice_attributes {
    tn_ints starts;
    tn_ints axes;
    tn_ints steps;
} slice_attributes;

static const tn_attribute slice_fields[] = {
    TN_FIELD(slice_attributes, starts, INTS, "()", NULL, "The first indices."),
    TN_FIELD_OR_NONE(slice_attributes, axes, INTS, "None", "[-32,31]", "Their axes."),
    TN_FIELD_OR_NONE(slice_attributes, steps, INTS, "None", NULL, "From index to index."),
};

/* The output's extents say how many elements there are from the first index on. */
static int64_t first_index(int64_t start, int64_t step, int64_t extent) {
    const int64_t high = step > 0 ? extent : extent - 1;
    const int64_t index = start < 0 ? start + extent : start;
    return index < 0 ? 0 : index > high ? high : index;
}

static void describe_slice(const mover_node *node, uint32_t number, element_move *out_move) {
    const slice_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    const known_list starts = list_of_node(node, SLICE_STARTS, &given->starts);
    const known_list axes = list_of_node(node, SLICE_AXES, &given->axes);
    const known_list steps = list_of_node(node, SLICE_STEPS, &given->steps);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK], stride[TN_MAX_RANK];
    (void)number;
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    memcpy(stride, from, sizeof stride);
    for (int32_t i = 0; i < starts.count; i++) {
        const int32_t axis = axes.count > 0 ? mover_axis(axes.values[i], data.rank) : i;
        const int64_t step = steps.count > 0 ? steps.values[i] : 1;
        if (output.extents[axis] > 0) {
            out_move->from_place +=
                first_index(starts.values[i], step, data.extents[axis]) * from[axis];
            /* A step that leads nowhere may be huge. */
            stride[axis] = output.extents[axis] < 2 ? from[axis] : step * from[axis];
        }
    }
    for (int32_t axis = 0; axis < data.rank; axis++) {
        axes_add(&out_move->axes, output.extents[axis], stride[axis], to[axis]);
    }
}

MOVER(slice, MOVES_ONE)

static int32_t supports_known_slice(const tn_kernel_query *query) {
    for (uint32_t i = SLICE_STARTS; i <= SLICE_STEPS; i++) {
        if (!is_known_or_absent(query, i)) {
            return 0;
        }
    }
    return supports_slice(query);
}

ONNX_MOVER("Slice", slice, supports_known_slice)

/* Split */

typedef struct split_attributes {
    int64_t axis;
} split_attributes;

static const tn_attribute split_fields[] = {
    TN_FIELD(split_attributes, axis, INT, "0", "[-32,31]", "The axis to cut."),
};

static void describe_split(const mover_node *node, uint32_t number, element_move *out_move) {
    const split_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    const int32_t axis = mover_axis(given->axis, data.rank);
    const int64_t inner = mover_product(data, axis + 1, data.rank);
    const int64_t count = mover_output(node, number).extents[axis];
    for (uint32_t i = 0; i < number; i++) {
        out_move->from_place += mover_output(node, i).extents[axis] * inner;
    }
    out_move->output = number;
    axes_add(&out_move->axes, mover_product(data, 0, axis), data.extents[axis] * inner,
             count * inner);
    axes_add(&out_move->axes, count * inner, 1, 1);
}

MOVER(split, MOVES_EACH_OUTPUT)
ONNX_MOVER("Split", split, supports_split)

/* Expand */

static void describe_expand(const mover_node *node, uint32_t number, element_move *out_move) {
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    (void)number;
    axes_stretched_strides(data.rank, data.extents, output.rank, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < output.rank; axis++) {
        axes_add(&out_move->axes, output.extents[axis], from[axis], to[axis]);
    }
}

MOVER(expand, MOVES_ONE)
ONNX_MOVER_PLAIN("Expand", expand)

/* Tile: how often follows from the shapes, where the input has elements. */

static void describe_tile(const mover_node *node, uint32_t number, element_move *out_move) {
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    (void)number;
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < data.rank; axis++) {
        const int64_t extent = data.extents[axis];
        axes_add(&out_move->axes, extent == 0 ? 0 : output.extents[axis] / extent, 0,
                 extent * to[axis]);
        axes_add(&out_move->axes, extent, from[axis], to[axis]);
    }
}

MOVER(tile, MOVES_ONE)
ONNX_MOVER_PLAIN("Tile", tile)

/* DepthToSpace and SpaceToDepth */

enum { DEPTH_COLUMN_ROW, COLUMN_ROW_DEPTH };

typedef struct depth_to_space_attributes {
    int64_t blocksize;
    int32_t mode;
} depth_to_space_attributes;

static const tn_attribute depth_to_space_fields[] = {
    TN_FIELD(depth_to_space_attributes, blocksize, INT, NULL, "[1,65535]", "The block's extent."),
    TN_FIELD_CHOICE(depth_to_space_attributes, mode, "DCR", "DCR|CRD", "How depth is divided."),
};

/* In the output's order: sample, channel, row of blocks, row, column of blocks, column. */
static void describe_depth_to_space(const mover_node *node, uint32_t number,
                                    element_move *out_move) {
    const depth_to_space_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    const int64_t block = given->blocksize, rows = data.extents[2], columns = data.extents[3];
    const int64_t plane = rows * columns, depth = output.extents[1];
    const int is_depth_last = given->mode == COLUMN_ROW_DEPTH;
    const int64_t in_block = is_depth_last ? plane : depth * plane;
    const int64_t width = columns * block;
    (void)number;
    axes_add(&out_move->axes, data.extents[0], data.extents[1] * plane, data.extents[1] * plane);
    axes_add(&out_move->axes, depth, is_depth_last ? block * block * plane : plane,
             rows * block * width);
    axes_add(&out_move->axes, rows, columns, block * width);
    axes_add(&out_move->axes, block, block * in_block, width);
    axes_add(&out_move->axes, columns, 1, block);
    axes_add(&out_move->axes, block, in_block, 1);
}

MOVER(depth_to_space, MOVES_ONE)
ONNX_MOVER("DepthToSpace", depth_to_space, supports_depth_to_space)

typedef struct space_to_depth_attributes {
    int64_t blocksize;
} space_to_depth_attributes;

static const tn_attribute space_to_depth_fields[] = {
    TN_FIELD(space_to_depth_attributes, blocksize, INT, NULL, "[1,65535]", "The block's extent."),
};

static void describe_space_to_depth(const mover_node *node, uint32_t number,
                                    element_move *out_move) {
    const space_to_depth_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    const int64_t block = given->blocksize, rows = output.extents[2], columns = output.extents[3];
    const int64_t plane = rows * columns, depth = data.extents[1];
    (void)number;
    axes_add(&out_move->axes, data.extents[0], depth * plane * block * block,
             depth * plane * block * block);
    axes_add(&out_move->axes, block, columns * block, block * depth * plane);
    axes_add(&out_move->axes, block, 1, depth * plane);
    axes_add(&out_move->axes, depth, plane * block * block, plane);
    axes_add(&out_move->axes, rows, columns * block * block, columns);
    axes_add(&out_move->axes, columns, block, 1);
}

MOVER(space_to_depth, MOVES_ONE)
ONNX_MOVER("SpaceToDepth", space_to_depth, supports_space_to_depth)
