#include "axes.h"

void append_axis(axis_list *axes, int64_t extent, const int64_t strides[WALK_OPERANDS]) {
    if (extent == 1) {
        return;
    }
    int continues = axes->rank > 0;
    for (int k = 0; continues && k < WALK_OPERANDS; k++) {
        continues = axes->strides[axes->rank - 1][k] == extent * strides[k];
    }
    if (!continues) {
        axes->extents[axes->rank++] = 1;
    }
    axes->extents[axes->rank - 1] *= extent;
    for (int k = 0; k < WALK_OPERANDS; k++) {
        axes->strides[axes->rank - 1][k] = strides[k];
    }
}

void locate_position(const axis_list *axes, int64_t step, axis_position *out_position) {
    for (int k = 0; k < WALK_OPERANDS; k++) {
        out_position->offsets[k] = 0;
    }
    for (int32_t axis = axes->rank - 1; axis >= 0; axis--) {
        const int64_t index = step % axes->extents[axis];
        step /= axes->extents[axis];
        out_position->index[axis] = index;
        for (int k = 0; k < WALK_OPERANDS; k++) {
            out_position->offsets[k] += index * axes->strides[axis][k];
        }
    }
}

void advance_position(const axis_list *axes, axis_position *position) {
    for (int32_t axis = axes->rank - 1; axis >= 0; axis--) {
        const int64_t *strides = axes->strides[axis];
        if (++position->index[axis] < axes->extents[axis]) {
            for (int k = 0; k < WALK_OPERANDS; k++) {
                position->offsets[k] += strides[k];
            }
            return;
        }
        position->index[axis] = 0;
        for (int k = 0; k < WALK_OPERANDS; k++) {
            position->offsets[k] -= (axes->extents[axis] - 1) * strides[k];
        }
    }
}
