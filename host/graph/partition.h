/* What the stages of partitioning share: partition.c runs them, strategy by strategy. */
#ifndef TENON_GRAPH_PARTITION_H
#define TENON_GRAPH_PARTITION_H

#include <tenon/partition.h>

#include "graph/graph.h"

#define TNI_NO_CLUSTER UINT32_MAX

/* Nodes that are to become one node: members[first] up to members[first + count], each after those
 * it depends on. */
typedef struct tni_cluster {
    uint32_t first, count;
} tni_cluster;

typedef struct tni_partition {
    tn_graph *graph;
    const tni_entry *entry;
    const tn_strategy *strategy;
    const void *options;    /* the partitioner's own */
    const tn_option *given; /* those that are not the host's, as texts */
    uint32_t given_count;
    uint32_t min_nodes;
    bool dedup;

    /* Of one strategy, on the graph as it finds it; in `arena`. */
    tni_arena arena;
    uint32_t *order; /* of running */
    uint32_t order_count;
    uint32_t node_count;
    uint32_t *positions;  /* by node: where it stands in `order`; order_count when it does not */
    bool *is_eligible;    /* by node: it may be part of a subgraph */
    uint32_t *cluster_of; /* by node */
    uint32_t *members;
    uint32_t member_count;
    tni_cluster *clusters; /* in the order of their first members */
    uint32_t cluster_count;
} tni_partition;

/* Clusters of connected nodes of one group, such that putting each in place of its nodes makes no
 * cycle. Costs as much as the graph is large. */
tn_status tni_partition_by_groups(tni_partition *work, int32_t *groups);

/* Clusters as the strategy's selector chooses them, with the same guarantee. Costs as much as the
 * graph is large, and for each cluster what lies between its first and last node. */
tn_status tni_partition_by_selector(tni_partition *work);

/* Puts a node in the place of each cluster that the strategy accepts. */
tn_status tni_partition_cut(tni_partition *work);

#endif
