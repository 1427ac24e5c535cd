/* The kept calls of tn_invoke. */
#ifndef TENON_RUN_INVOKE_H
#define TENON_RUN_INVOKE_H

#include <tenon/invoke.h>
#include <tenon/plugin/host.h>

void tni_invoke_floor_init(tn_runtime *runtime);

/* The graph service's `compute`: one node of a graph as an eager call. */
tn_status tni_compute_node(const tn_host *host, const tn_graph *graph, uint32_t node,
                           tn_tensor *const *inputs, uint32_t input_count, tn_tensor **outputs,
                           uint32_t output_count);

/* The graph service's `find_computable`. */
tn_status tni_find_computable(const tn_host *host, const tn_graph *graph, const char *device,
                              int32_t *out_computable);

/* Ends the kept calls that no thread is using; they are made again when needed. */
void tni_invoke_drop_idle(tn_runtime *runtime);

/* Ends all of it; no call may be going on. */
void tni_invoke_floor_finish(tn_runtime *runtime);

#endif
