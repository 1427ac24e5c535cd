/*
 * Choosing between two tensors, element by element or row by row.
 */
#ifndef OPS_MATH_WHERE_H
#define OPS_MATH_WHERE_H

#include <tenon/plugin.h>

extern const tn_op where_operator;
tn_status prepare_where(tn_prepare_call *call);
tn_status where_run(const tn_run_call *call);

#endif
