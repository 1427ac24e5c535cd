/* A shape seen from one axis: `outer` times the axis' extent times `inner` elements. */
#ifndef OPS_NN_AXIS_SPLIT_H
#define OPS_NN_AXIS_SPLIT_H

#include <tenon/plugin.h>

typedef struct axis_split {
    int64_t outer;
    int64_t extent;
    int64_t inner;
} axis_split;

/* The axes from `begin` to `end` (exclusive) together as one. */
static inline axis_split split_axes(const tn_view *view, int32_t begin, int32_t end) {
    return (axis_split){tn_extent_product(view->shape, 0, begin),
                        tn_extent_product(view->shape, begin, end),
                        tn_extent_product(view->shape, end, view->rank)};
}

/* `axis` counts from the back when negative; inference has checked it. Axis 1 of a channels-last
 * view has nothing inside it. */
static inline axis_split split_axis(const tn_view *view, int64_t axis) {
    const int32_t resolved = (int32_t)(axis < 0 ? axis + view->rank : axis);
    if (view->strides != NULL && resolved == 1) {
        return (axis_split){view->shape[0] * tn_extent_product(view->shape, 2, view->rank),
                            view->shape[1], 1};
    }
    return split_axes(view, resolved, resolved + 1);
}

/* The shape of what is left when an axis is reduced away. */
static inline tn_shape shape_without_axis(const tn_shape *shape, int32_t axis) {
    tn_shape rest = tn_shape_of_rank(shape->rank - 1);
    for (int32_t i = 0; i < rest.rank; i++) {
        rest.extents[i] = shape->extents[i < axis ? i : i + 1];
    }
    return rest;
}

/* The other way round: a shape with an axis more, whose extent is not known. */
static inline tn_shape shape_with_axis(const tn_shape *shape, int32_t axis) {
    tn_shape whole = tn_shape_of_rank(shape->rank + 1);
    for (int32_t i = 0; i < shape->rank; i++) {
        whole.extents[i < axis ? i : i + 1] = shape->extents[i];
    }
    return whole;
}

#endif
