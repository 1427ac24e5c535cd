/*
 * Shapes: stretching several to one, and walking through a shape with a place in the memory of
 * several operands.
 */
#ifndef OPS_ONNX_SHAPES_H
#define OPS_ONNX_SHAPES_H

#include <tenon/plugin.h>

/* Takes `shape` into `result`, aligned at the last axis: extents of 1 and missing axes stretch. An
 * unknown rank makes the result unknown. Start with tn_shape_of(0, NULL). */
tn_status stretch_shape(const tn_host *host, const tn_shape *shape, tn_shape *result);

/* The shape of a view. */
tn_shape shape_of_view(const tn_view *view);

/* Row-major strides in elements. */
void row_major_strides(int32_t rank, const int64_t *extents, int64_t *out_strides);

/* Strides of `view` for a walk through a shape of rank `rank` that it is stretched to: 0 along
 * axes where it has one element. */
void stretched_strides(const tn_view *view, int32_t rank, int64_t *out_strides);

/* An extent, an output's or an input's, that two tensors share: what one knows the other learns. */
tn_status infer_same_extent(const tn_host *host, const char *what, int64_t *left, int64_t *right);

/* left * right of extents, of which either may be unknown. */
tn_status multiply_extents(const tn_host *host, int64_t left, int64_t right, int64_t *out_product);

/* The number of elements of a shape, or TN_UNKNOWN; fails when it does not fit 63 bits. */
tn_status count_elements(const tn_host *host, const tn_shape *shape, int64_t *out_count);

/* Fails when the shape that a run's inputs ask for is not that of the output that was planned. */
tn_status check_planned_shape(const tn_host *host, const tn_view *output, const tn_shape *shape);

/* A walk through a shape in row-major order. */
#define WALK_OPERANDS 8
typedef struct shape_walk {
    int32_t rank;
    int32_t operands;
    int64_t extents[TN_MAX_RANK];
    int64_t strides[WALK_OPERANDS][TN_MAX_RANK];
    int64_t index[TN_MAX_RANK];
    int64_t offsets[WALK_OPERANDS]; /* in elements */
} shape_walk;

/* A walk with no operands, at its start. */
void walk_begin(shape_walk *walk, int32_t rank, const int64_t *extents);
/* Adds an operand with strides for every axis of the walk. */
void walk_add(shape_walk *walk, const int64_t *strides);
/* Goes to step number `step`; no extent may be 0. */
void walk_go_to(shape_walk *walk, int64_t step);
/* Goes one step on; after the last step, to the first. */
void walk_on(shape_walk *walk);

#endif
