/*
 * Operators that stretch extents of 1 by repeating what is there.
 */
#ifndef OPS_MATH_EXPANSION_H
#define OPS_MATH_EXPANSION_H

#include <tenon/plugin.h>

extern const tn_op broadcast_to_operator;
extern const tn_op broadcast_axis_operator;
extern const tn_op broadcast_like_operator;

/* One kernel for all three: the types say all that it needs. */
tn_status prepare_expansion(tn_prepare_call *call);
tn_status expansion_run(const tn_run_call *call);

#endif
