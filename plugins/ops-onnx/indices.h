/* Indices of gathering and scattering. */
#ifndef OPS_ONNX_INDICES_H
#define OPS_ONNX_INDICES_H

#include <tenon/plugin.h>

/* Index number `place` within an axis, counted from the end when negative; OUT_OF_RANGE beyond. */
tn_status resolve_index(const tn_host *host, const tn_view *indices, int64_t place, int64_t extent,
                        int64_t *out_index);

/* The row-major number of the slice at a point, whose `depth` coordinates are the last axis of
 * indices. */
tn_status locate_point(const tn_host *host, const tn_view *indices, int64_t point, int64_t depth,
                       const int64_t *extents, int64_t *out_slice);

#endif
