/*
 * The sum of any number of tensors.
 */
#ifndef OPS_MATH_ADD_N_H
#define OPS_MATH_ADD_N_H

#include <tenon/plugin.h>

extern const tn_op add_n_operator;
tn_status prepare_add_n(tn_prepare_call *call);
int32_t add_n_supports(const tn_kernel_query *query);
tn_status add_n_run(const tn_run_call *call);

#endif
