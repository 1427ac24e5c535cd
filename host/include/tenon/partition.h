/*
 * Partitioners: plugins that carve subgraphs out of a graph and have an operator of theirs compute
 * each. What the host guarantees stands in tenon/plugin/partitioner.h.
 */
#ifndef TENON_PARTITION_H
#define TENON_PARTITION_H

#include <tenon/graph.h>
#include <tenon/plugin/partitioner.h>

/* One partitioner that is loaded. Texts live as long as its plugin. */
typedef struct tn_partitioner_info {
    uint32_t struct_size;
    uint32_t option_count;
    const char *name;
    const char *plugin;
    const char *doc;             /* never NULL */
    const tn_attribute *options; /* row i lies option_stride * i bytes behind row 0 */
    uint32_t option_stride;
    uint32_t strategy_count;
    const tn_strategy *const *strategies; /* in the order in which they run */
} tn_partitioner_info;

#define TN_PARTITIONER_INFO_SIZE TN_STRUCT_END(tn_partitioner_info, strategies)

/* Partitioners in the order of their names. */
TN_API uint32_t tn_partitioner_count(const tn_runtime *runtime);
TN_API tn_status tn_partitioner_get(const tn_runtime *runtime, uint32_t index,
                                    tn_partitioner_info *out_info);

/* [serial] Runs the strategies of a partitioner. `inputs` are types that are known of variables, as
 * for tn_graph_infer (may be NULL). The subgraphs of strategy "s" become nodes "s0", "s1", … in the
 * order of running; node numbers change, outputs keep their names, types are inferred. When
 * anything fails the graph is as it was, and the message names partitioner, strategy and node. */
TN_API tn_status tn_graph_partition(tn_graph *graph, const char *partitioner,
                                    const tn_option *options, uint32_t option_count,
                                    const tn_named_type *inputs, uint32_t input_count);

/* The same with the partitioner as a user writes it: "oplist:ops=relu|dot,min_nodes=2". */
TN_API tn_status tn_graph_partition_text(tn_graph *graph, const char *text,
                                         const tn_named_type *inputs, uint32_t input_count);

#endif
