/*
 * The codes of Reshape's `shape`: 0, -1, -2, -3 and -4 stand for extents that follow from the
 * input's.
 */
#ifndef OPS_SHAPE_RESHAPE_CODES_H
#define OPS_SHAPE_RESHAPE_CODES_H

#include <tenon/plugin.h>

/* What the codes say of the output's shape, as far as `data` is known. An extent asked for by -1
 * is left unknown: it follows from the number of elements. With `from_right` both the shape and
 * the codes are read from the right. */
tn_status shape_from_codes(const tn_host *host, const tn_shape *data, const tn_ints *codes,
                           int from_right, tn_shape *out_shape);

#endif
