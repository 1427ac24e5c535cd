/* The run of kernels that normalise groups of channels of each sample: GroupNorm, InstanceNorm. */
#ifndef OPS_NN_GROUP_NORM_H
#define OPS_NN_GROUP_NORM_H

#include <tenon/plugin.h>

/* Inputs data, gamma, beta, of which the latter have an element for each group; outputs output and,
 * when there are three, mean and standard deviation. */
tn_status run_group_norm(const tn_run_call *call, int64_t group_count, double eps);

/* Refuses data without an axis beyond samples and channels. */
tn_status infer_group_norm_rank(const tn_host *host, const tn_shape *data);

#endif
