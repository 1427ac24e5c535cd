/*
 * The partitioner "device": gives a device the parts of a graph that it has kernels for, where that
 * saves more time than copying to it and back takes.
 */
#include <tenon/plugin.h>

#include "cost.h"

typedef struct device_options {
    const char *device;
    int32_t always;
    double cpu_gflops;
    double device_gflops;
    double bandwidth;
    double latency;
} device_options;

static const tn_attribute options[] = {
    TN_FIELD(device_options, device, STRING, "vulkan", NULL, "The device, as `vulkan:0`."),
    TN_FIELD(device_options, always, BOOL, "False", NULL,
             "Takes every subgraph, whatever the copies cost."),
    TN_FIELD(device_options, cpu_gflops, FLOAT, "20", "(0,inf)",
             "Thousand million operations a second on the CPU."),
    TN_FIELD(device_options, device_gflops, FLOAT, "2000", "(0,inf)", "The same on the device."),
    TN_FIELD(device_options, bandwidth, FLOAT, "10", "(0,inf)",
             "Thousand million bytes a second to and from the device."),
    TN_FIELD(device_options, latency, FLOAT, "50", "[0,inf)",
             "Microseconds to begin a run on the device and wait for it."),
};

static tn_status find_supported(tn_strategy_call *call) {
    const device_options *given = (const device_options *)call->options;
    const tn_graph_service *graphs =
        (const tn_graph_service *)call->host->find_service(call->host, "graph", 1);
    const uint32_t count = graphs->node_count(call->host, call->graph);
    TN_TRY(graphs->find_computable(call->host, call->graph, given->device, call->groups));
    for (uint32_t i = 0; i < count; i++) {
        call->groups[i] = call->groups[i] ? 0 : TN_GROUP_NONE;
    }
    return TN_OK;
}

static tn_status review(tn_review_call *call) {
    const device_options *given = (const device_options *)call->options;
    const tn_graph_service *graphs =
        (const tn_graph_service *)call->host->find_service(call->host, "graph", 1);
    const device_speed speed = {given->cpu_gflops * 1e9, given->device_gflops * 1e9,
                                given->bandwidth * 1e9, given->latency * 1e-6};
    subgraph_cost cost;
    if (!given->always) {
        call->accept = estimate_cost(call, graphs, &cost) &&
                       device_seconds(&speed, &cost) < cpu_seconds(&speed, &cost);
    }
    return call->accept ? call->set_attribute(call, "device", given->device) : TN_OK;
}

static const tn_strategy strategy = {
    .struct_size = TN_STRATEGY_SIZE,
    .name = "device",
    .doc = "Connected nodes that the device has kernels for.",
    .find_supported = find_supported,
    .review = review,
};
static const tn_strategy *const strategies[] = {&strategy};

static const tn_partitioner device = {
    .struct_size = TN_PARTITIONER_SIZE,
    .doc = "Gives a device what it has kernels for, where that saves more than the copies cost. "
           "Needs to know the shapes and element types of the inputs.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .options_size = sizeof(device_options),
    .strategies = strategies,
    .strategy_count = 1,
};

static const tn_entry entries[] = {TN_ENTRY_PARTITIONER("device", &device)};
TN_PLUGIN_WITH("partition-device", "0.1.0", "error/1,graph/1", "", NULL, NULL, entries);
