/*
 * The attributes that say which axes a reduction takes away, and the shapes that follow.
 */
#ifndef OPS_MATH_REDUCED_AXES_H
#define OPS_MATH_REDUCED_AXES_H

#include <tenon/plugin.h>

/* One flag for each axis of the data. */
typedef struct reduced_axes {
    uint8_t is_reduced[TN_MAX_RANK];
} reduced_axes;

/* Empty or None `axis`: all axes, whatever `exclude` says. Otherwise the axes named or, with
 * `exclude`, the others. No axis may be named twice. */
tn_status resolve_reduced_axes(const tn_host *host, const tn_ints *axis, int exclude, int32_t rank,
                               reduced_axes *out_axes);

/* Both ways: the output has the axes that are left, or with `keepdims` all, those that are
 * reduced with extent 1. When none is left, it has one axis of extent 1. */
tn_status infer_reduced_shape(tn_infer_call *call, const reduced_axes *axes, int keepdims);

/* Fails when an element of the output would be chosen from no elements. */
tn_status check_not_empty(const tn_infer_call *call, const reduced_axes *axes);

#endif
