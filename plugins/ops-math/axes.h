/*
 * Walking through axes in row-major order with a place in memory for each operand, without a
 * division for each element: the walk counts like an odometer.
 */
#ifndef OPS_MATH_AXES_H
#define OPS_MATH_AXES_H

#include <tenon/plugin.h>

#define WALK_OPERANDS 2

/* Axes from the outermost to the innermost. Strides count elements and are 0 where an operand has
 * one element for the whole axis. */
typedef struct axis_list {
    int32_t rank;
    int64_t extents[TN_MAX_RANK];
    int64_t strides[TN_MAX_RANK][WALK_OPERANDS];
} axis_list;

/* Adds an axis inside those that are there. An extent of 1 adds nothing; an axis that continues
 * the previous one in every operand's memory becomes one with it. */
void append_axis(axis_list *axes, int64_t extent, const int64_t strides[WALK_OPERANDS]);

/* A place in a walk. */
typedef struct axis_position {
    int64_t index[TN_MAX_RANK];
    int64_t offsets[WALK_OPERANDS]; /* in elements */
} axis_position;

/* Goes to step number `step`. No extent may be 0. */
void locate_position(const axis_list *axes, int64_t step, axis_position *out_position);

/* Goes one step on; after the last step, to the first. */
void advance_position(const axis_list *axes, axis_position *position);

#endif
