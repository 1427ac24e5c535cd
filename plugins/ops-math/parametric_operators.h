/*
 * Operators that apply a function of one number, shaped by attributes, to each element.
 */
#ifndef OPS_MATH_PARAMETRIC_OPERATORS_H
#define OPS_MATH_PARAMETRIC_OPERATORS_H

#include <tenon/plugin.h>

extern const tn_op clip_operator;
tn_status prepare_clip(tn_prepare_call *call);

extern const tn_op hard_sigmoid_operator;
tn_status prepare_hard_sigmoid(tn_prepare_call *call);

extern const tn_op smooth_l1_operator;
tn_status prepare_smooth_l1(tn_prepare_call *call);

#endif
