/*
 * Operators that find the place of the greatest or the least element along an axis.
 */
#ifndef OPS_MATH_ARG_OPERATORS_H
#define OPS_MATH_ARG_OPERATORS_H

#include <tenon/plugin.h>

extern const tn_op argmax_operator;
tn_status prepare_argmax(tn_prepare_call *call);

extern const tn_op argmin_operator;
tn_status prepare_argmin(tn_prepare_call *call);

extern const tn_op argmax_channel_operator;
tn_status prepare_argmax_channel(tn_prepare_call *call);

#endif
