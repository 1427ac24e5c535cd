/* What a subgraph costs on the CPU and on a device, roughly: enough to tell what is not worth it.
 */
#ifndef PARTITION_DEVICE_COST_H
#define PARTITION_DEVICE_COST_H

#include <tenon/plugin.h>

typedef struct device_speed {
    double cpu_flops;    /* operations a second */
    double device_flops; /* the same */
    double bandwidth;    /* bytes a second to and from the device */
    double latency;      /* seconds to begin and wait for one run */
} device_speed;

typedef struct subgraph_cost {
    double operations;
    double bytes; /* that cross in a run: inputs that are no parameters, and outputs */
} subgraph_cost;

/* False where a type is not known. */
int estimate_cost(const tn_review_call *call, const tn_graph_service *graphs,
                  subgraph_cost *out_cost);

double cpu_seconds(const device_speed *speed, const subgraph_cost *cost);
double device_seconds(const device_speed *speed, const subgraph_cost *cost);

#endif
