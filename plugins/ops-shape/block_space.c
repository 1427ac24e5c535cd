/* depth_to_space and space_to_depth: blocks of the picture become channels, and back. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct block_attributes {
    int64_t block_size;
} block_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(block_attributes, block_size, INT, NULL, "[1,65535]",
             "The height and width of a block."),
};

/* Fills in `whole` and `part`, where whole = part * factor; both may be unknown. */
static tn_status infer_factor(const tn_host *host, const char *what, int64_t *whole, int64_t *part,
                              int64_t factor) {
    int64_t product;
    if (*whole >= 0 && *whole % factor != 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has extent %lld, which %lld does not divide",
                       what, (long long)*whole, (long long)factor);
    }
    TN_TRY(extent_multiply(host, *part, factor, &product));
    if (*whole >= 0 && product >= 0 && *whole != product) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has extent %lld, but %lld is expected", what,
                       (long long)*whole, (long long)product);
    }
    if (*whole < 0) {
        *whole = product;
    } else {
        *part = *whole / factor;
    }
    return TN_OK;
}

/* `deep` has the blocks in its channels, `wide` in its picture. */
static tn_status infer_blocks(tn_infer_call *call, tn_shape *deep, tn_shape *wide) {
    const block_attributes *given = call->attributes;
    const int64_t size = given->block_size;
    tn_shape fact = tn_shape_of_rank(4);
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_shape(call->host, "data", &call->inputs[0].shape, &fact));
    TN_TRY(tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact));
    fact.extents[0] = deep->extents[0];
    TN_TRY(tn_infer_shape(call->host, "batch", wide, &fact));
    deep->extents[0] = wide->extents[0];
    TN_TRY(infer_factor(call->host, "the channel axis", &deep->extents[1], &wide->extents[1],
                        size * size));
    TN_TRY(infer_factor(call->host, "the height", &wide->extents[2], &deep->extents[2], size));
    return infer_factor(call->host, "the width", &wide->extents[3], &deep->extents[3], size);
}

static tn_status depth_to_space_infer(tn_infer_call *call) {
    return infer_blocks(call, &call->inputs[0].shape, &call->outputs[0].shape);
}

static tn_status space_to_depth_infer(tn_infer_call *call) {
    return infer_blocks(call, &call->outputs[0].shape, &call->inputs[0].shape);
}

/* The deep tensor is (batch, row in block, column in block, channels, height, width); the wide one
 * has the same axes at the strides below. */
static void block_axes(const tn_view *deep, int64_t size, int64_t extents[6],
                       int64_t deep_strides[6], int64_t wide_strides[6]) {
    const int64_t channels = deep->shape[1] / (size * size);
    const int64_t height = deep->shape[2], width = deep->shape[3];
    const int64_t wide_row = width * size;
    const int64_t wide_channel = height * size * wide_row;
    const int64_t all_extents[6] = {deep->shape[0], size, size, channels, height, width};
    const int64_t all_wide[6] = {channels * wide_channel, wide_row, 1, wide_channel,
                                 wide_row * size,         size};
    int64_t stride = 1;
    for (int i = 5; i >= 0; i--) {
        extents[i] = all_extents[i];
        deep_strides[i] = stride;
        wide_strides[i] = all_wide[i];
        stride *= all_extents[i];
    }
}

tn_status depth_to_space_prepare(tn_prepare_call *call) {
    static const int order[6] = {0, 3, 4, 1, 5, 2}; /* as the output's axes stand */
    const block_attributes *given = call->attributes;
    int64_t extents[6], deep[6], wide[6];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    block_axes(call->inputs[0], given->block_size, extents, deep, wide);
    for (int i = 0; i < 6; i++) {
        const int axis = order[i];
        strided_copy_add_axis(&list->moves[0].copy, extents[axis], deep[axis], wide[axis]);
    }
    strided_copy_finish(&list->moves[0].copy);
    return TN_OK;
}

tn_status space_to_depth_prepare(tn_prepare_call *call) {
    const block_attributes *given = call->attributes;
    int64_t extents[6], deep[6], wide[6];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    block_axes(call->outputs[0], given->block_size, extents, deep, wide);
    for (int axis = 0; axis < 6; axis++) {
        strided_copy_add_axis(&list->moves[0].copy, extents[axis], wide[axis], deep[axis]);
    }
    strided_copy_finish(&list->moves[0].copy);
    return TN_OK;
}

const tn_op depth_to_space_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A picture (batch, channels, height, width) in which groups of channels become square "
           "blocks of pixels: fewer channels, a larger picture.",
    OP_ATTRIBUTES(attribute_table, block_attributes),
    OP_INPUTS(data_name),
    .infer = depth_to_space_infer,
};

const tn_op space_to_depth_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A picture (batch, channels, height, width) in which square blocks of pixels become "
           "channels: more channels, a smaller picture. The inverse of depth_to_space.",
    OP_ATTRIBUTES(attribute_table, block_attributes),
    OP_INPUTS(data_name),
    .infer = space_to_depth_infer,
};
