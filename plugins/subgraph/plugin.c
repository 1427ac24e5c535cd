/* The plugin "subgraph": the operator that takes a subgraph's place where a partitioner names no
 * other, and its kernel, which runs the subgraph. */
#include <tenon/plugin.h>

typedef struct subgraph_attributes {
    const char *device; /* the host reads it when it plans */
} subgraph_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(
        subgraph_attributes, device, STRING, "", NULL,
        "The device that runs the subgraph, as `vulkan:0`; empty: where the node itself runs."),
};

static const char *const output_names[] = {"output"};

static const tn_op subgraph = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SUBGRAPH | TN_OP_VARIADIC,
    .doc = "Runs the graph that it holds. Its inputs are that graph's variables, its outputs that "
           "graph's outputs. Partitioners put it in the place of nodes that belong together.",
    .attributes = attributes,
    .attribute_count = 1,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(subgraph_attributes),
    .output_names = output_names,
    .output_name_count = 1,
    .subgraph_count = 1,
};

/* What the kernel keeps: the service, so that a run looks nothing up. */
static tn_status prepare(tn_prepare_call *call) {
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    call->state = (void *)(uintptr_t)graphs;
    return TN_OK;
}

static void release(const tn_host *host, void *state) {
    (void)host, (void)state; /* the service is the host's */
}

static tn_status run(const tn_run_call *call) {
    const tn_graph_service *graphs = (const tn_graph_service *)call->state;
    return graphs->run_subgraph(call->host, call->subgraphs, 0, call->inputs, call->input_count,
                                call->outputs, call->output_count);
}

/* However its inputs and outputs are stored. */
static int32_t supports(const tn_kernel_query *query) {
    (void)query;
    return 1;
}

static const tn_kernel kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .flags = TN_KERNEL_SPARSE,
    .op = "subgraph",
    .target = "cpu",
    .supports = supports,
    .prepare = prepare,
    .run = run,
    .release = release,
};

static const tn_entry entries[] = {
    TN_ENTRY_OP("subgraph", &subgraph),
    TN_ENTRY_KERNEL("subgraph.cpu", &kernel),
};
TN_PLUGIN_WITH("subgraph", "0.1.0", "graph/1", "", NULL, NULL, entries);
