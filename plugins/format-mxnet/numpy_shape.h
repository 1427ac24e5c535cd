/* MXNet's two ways to read a shape: classic, where 0 stands for "not known", and numpy's. */
#ifndef FORMAT_MXNET_NUMPY_SHAPE_H
#define FORMAT_MXNET_NUMPY_SHAPE_H

#include <tenon/plugin.h>

/* Whether only numpy shapes can say this one: a scalar, or an array without elements. */
static inline int shape_needs_numpy(int32_t rank, const int64_t *extents) {
    int needs_numpy = rank == 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        needs_numpy |= extents[axis] == 0;
    }
    return needs_numpy;
}

#endif
