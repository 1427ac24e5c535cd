/*
 * The kernel of fused_elementwise: each step over a block that stays in the innermost cache, by the
 * same loops that run the single operators.
 */
#ifndef OPS_MATH_FUSED_KERNEL_H
#define OPS_MATH_FUSED_KERNEL_H

#include <tenon/plugin.h>

tn_status prepare_fused(tn_prepare_call *call);
tn_status fused_run(const tn_run_call *call);

#endif
