/*
 * Operators that only move elements: each is some moves, a walk through axes with a place in an
 * input and one in an output.
 */
#ifndef KERNELS_VULKAN_MOVER_H
#define KERNELS_VULKAN_MOVER_H

#include "axes.h"
#include "elements.h"

/* What a node's moves are found from: its attributes and shapes, in supports as in prepare. */
typedef struct mover_node {
    const void *attributes;
    const tn_kernel_query *query; /* one of the two, the other NULL */
    const tn_prepare_call *call;
} mover_node;

typedef struct mover_shape {
    int32_t rank;
    const int64_t *extents;
} mover_shape;

mover_shape mover_input(const mover_node *node, uint32_t input);
mover_shape mover_output(const mover_node *node, uint32_t output);

/* Operand 0 of the axes is the input, operand 1 the output. Places count elements. */
typedef struct element_move {
    uint32_t input;
    uint32_t output;
    int64_t from_place;
    int64_t to_place;
    joined_axes axes;
} element_move;

/* Writes down one move, of which everything is 0 so far. */
typedef void describe_move(const mover_node *node, uint32_t number, element_move *out_move);

enum { MOVES_ONE, MOVES_EACH_INPUT, MOVES_EACH_OUTPUT };

typedef struct move_rule {
    uint32_t moves; /* MOVES_… */
    describe_move *describe;
} move_rule;

/* A mover's tn_kernel.supports and prepare. */
int32_t mover_supports(const tn_kernel_query *query, const move_rule *rule);
tn_status mover_prepare(tn_prepare_call *call, const move_rule *rule);

/* The axis that inference has accepted. */
static inline int32_t mover_axis(int64_t axis, int32_t rank) {
    return (int32_t)(axis < 0 ? axis + rank : axis);
}

static inline int64_t mover_product(mover_shape shape, int32_t begin, int32_t end) {
    return tn_extent_product(shape.extents, begin, end);
}

/* Adds launches for one move. */
void add_move(device_program *program, const tn_prepare_call *call, const element_move *move);

/* Adds launches that copy the first input to the first output. */
void add_copy(device_program *program, const tn_prepare_call *call);

#endif
