/*
 * The kernel that finds the place of the greatest or the least element along an axis.
 */
#ifndef OPS_MATH_ARG_KERNEL_H
#define OPS_MATH_ARG_KERNEL_H

#include "arg_functions.h"

/* `axis` TN_NONE: all axes, as if they were one. */
tn_status prepare_arg(tn_prepare_call *call, arg_kind kind, int64_t axis);
tn_status arg_run(const tn_run_call *call);

#endif
