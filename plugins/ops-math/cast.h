/*
 * Conversions between dtypes.
 */
#ifndef OPS_MATH_CAST_H
#define OPS_MATH_CAST_H

#include <tenon/plugin.h>

extern const tn_op cast_operator;
extern const tn_op amp_cast_operator;

#endif
