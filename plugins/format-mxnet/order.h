/* The order in which MXNet lists the nodes of a graph. */
#ifndef FORMAT_MXNET_ORDER_H
#define FORMAT_MXNET_ORDER_H

#include <tenon/plugin.h>

/* The nodes that `node` needs, by index from 0; TN_NO_NODE after the last. For node TN_NO_NODE:
 * the nodes behind the graph's outputs. */
typedef uint32_t (*order_needs)(const void *context, uint32_t node, uint32_t index);

/* Fills `out_order` (room for `node_count`) with the nodes that the outputs need, each after what
 * it needs itself: depth first, from the first output on. A cycle is CORRUPT. */
tn_status order_nodes(const tn_host *host, uint32_t node_count, order_needs needs,
                      const void *context, uint32_t *out_order, uint32_t *out_count);

#endif
