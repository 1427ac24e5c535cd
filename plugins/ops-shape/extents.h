/*
 * Arithmetic with extents that may be unknown: what is not known stays so, and what does not fit
 * is an error of the graph.
 */
#ifndef OPS_SHAPE_EXTENTS_H
#define OPS_SHAPE_EXTENTS_H

#include <tenon/plugin.h>

/* TN_UNKNOWN when either is. */
tn_status extent_add(const tn_host *host, int64_t left, int64_t right, int64_t *out_sum);
tn_status extent_multiply(const tn_host *host, int64_t left, int64_t right, int64_t *out_product);

/* The product of extents `begin` to `end` (exclusive); TN_UNKNOWN when one of them is. */
tn_status extents_multiply(const tn_host *host, const tn_shape *shape, int32_t begin, int32_t end,
                           int64_t *out_product);

/* Appends an extent, or fails when the shape has TN_MAX_RANK already. */
tn_status extents_append(const tn_host *host, tn_shape *shape, int64_t extent);

/* Appends the extents `begin` to `end` (exclusive) of another shape. */
tn_status extents_append_range(const tn_host *host, tn_shape *shape, const tn_shape *from,
                               int32_t begin, int32_t end);

/* `shape`, of known rank, without `axis`, or with a new axis in that place. */
tn_shape extents_without_axis(const tn_shape *shape, int32_t axis);
tn_status extents_with_axis(const tn_host *host, const tn_shape *shape, int32_t axis,
                            int64_t extent, tn_shape *out_shape);

/* Both shapes hold the same number of elements: finds the one extent that is missing, and fails
 * when the numbers differ. */
tn_status infer_same_count(const tn_host *host, tn_shape *left, tn_shape *right);

/* Marks the axes of a list (from the back when negative) in `out_marked`; fails when one is out of
 * bounds or, with `distinct`, stands there twice. */
tn_status mark_axes(const tn_host *host, const tn_ints *axes, int32_t rank, int distinct,
                    unsigned char out_marked[TN_MAX_RANK]);

#endif
