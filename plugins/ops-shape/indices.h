/*
 * Index tensors. MXNet hands indices over in any element type, usually float32; here they become
 * int64 in the workspace, and none leaves its axis.
 */
#ifndef OPS_SHAPE_INDICES_H
#define OPS_SHAPE_INDICES_H

#include <tenon/plugin.h>

/* What becomes of an index beyond its axis. The order of the words in attributes. */
enum { INDEX_CLIP, INDEX_RAISE, INDEX_WRAP };

/* Reads elements `begin` to `end` of a tensor as integers, rounded towards zero. Values beyond
 * int64 become its ends, NaN the lowest. */
void indices_read(const tn_view *view, int64_t begin, int64_t end, int64_t *out_indices);

/* Brings indices into an axis of `extent`, which is at least 1 unless `count` is 0. With
 * INDEX_RAISE one beyond it is OUT_OF_RANGE. */
tn_status indices_resolve(const tn_host *host, int64_t *indices, int64_t count, int64_t extent,
                          int32_t mode);

/* Copies rows of `row_bytes`: row i of the target is row rows[i] of the source, for `outer` pairs
 * of source (of `source_rows` rows) and target (of `count` rows). */
void gather_rows(const tn_host *host, const void *source, void *target, const int64_t *rows,
                 int64_t count, int64_t outer, int64_t source_rows, int64_t row_bytes);

#endif
