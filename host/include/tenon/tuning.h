/*
 * Kernel choice by measurement. Where several kernels can compute a node, the one of the highest
 * rank is chosen, which is a guess of its author. A tuning knows which was fastest here, for nodes
 * of one form: operator, attributes, types, threads, processor, and the builds of the plugins whose
 * kernels there were. What was measured with any other is not looked at.
 *
 * The results of a model may change in their last bits, as kernels add up in different orders.
 */
#ifndef TENON_TUNING_H
#define TENON_TUNING_H

#include <tenon/session.h>

/* An empty one. */
TN_API tn_status tn_tuning_create(tn_runtime *runtime, tn_tuning **out_tuning);
/* After the sessions that use it. NULL is allowed. */
TN_API void tn_tuning_destroy(tn_tuning *tuning);

/* [serial] Adds what a file holds, over what was there. NOT_FOUND when there is no file; CORRUPT
 * names the line, and nothing is added then. */
TN_API tn_status tn_tuning_read(tn_tuning *tuning, const char *path);
/* Replaces the file as a whole. */
TN_API tn_status tn_tuning_write(const tn_tuning *tuning, const char *path);

/* How many forms of nodes it knows. */
TN_API uint32_t tn_tuning_count(const tn_tuning *tuning);

/* [serial] Runs the graph with each of the kernels that there are for its nodes on the device, and
 * keeps the fastest for the forms that are not known yet; another than that of the highest rank
 * only when it is faster by a twentieth and the whole graph is not slower with it. `inputs` as for
 * tn_session_run. Takes a few runs with the slowest kernels. Nodes within subgraphs, and graphs
 * whose types only a run tells, stay as they are. */
TN_API tn_status tn_tuning_measure(tn_tuning *tuning, tn_graph *graph, tn_device *device,
                                   tn_tensor *const *inputs);

#endif
