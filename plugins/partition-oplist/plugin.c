/* The partitioner "oplist": subgraphs of the operators that the user names. */
#include <string.h>

#include <tenon/plugin.h>

typedef struct oplist_options {
    const char *ops;
    const char *device;
    int32_t separate;
} oplist_options;

static const tn_attribute options[] = {
    TN_FIELD(oplist_options, ops, STRING, NULL, NULL,
             "The operators, as `Convolution|Activation|Pooling`."),
    TN_FIELD(oplist_options, separate, BOOL, "False", NULL,
             "Whether each operator of the list has subgraphs of its own."),
    TN_FIELD(oplist_options, device, STRING, "", NULL,
             "The device that runs the subgraphs; empty: where the graph runs."),
};

/* Which word of "a|b|c" the operator is, or -1. */
static int32_t find_word(const char *list, const char *op) {
    const size_t length = strlen(op);
    for (int32_t index = 0;; index++) {
        const size_t size = strcspn(list, "|");
        if (size == length && memcmp(list, op, size) == 0) {
            return index;
        }
        if (list[size] == '\0') {
            return -1;
        }
        list += size + 1;
    }
}

static tn_status find_supported(tn_strategy_call *call) {
    const oplist_options *given = (const oplist_options *)call->options;
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    const uint32_t count = graphs->node_count(call->host, call->graph);
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (graphs->node_info(call->host, call->graph, i, &info) == TN_OK && info.op != NULL) {
            const int32_t word = find_word(given->ops, info.op);
            if (word >= 0) {
                call->groups[i] = given->separate ? word : 0;
            }
        }
    }
    return TN_OK;
}

static tn_status review(tn_review_call *call) {
    const oplist_options *given = (const oplist_options *)call->options;
    return given->device[0] == '\0' ? TN_OK : call->set_attribute(call, "device", given->device);
}

static const tn_strategy strategy = {
    .struct_size = TN_STRATEGY_SIZE,
    .name = "oplist",
    .doc = "Connected nodes of the operators named.",
    .find_supported = find_supported,
    .review = review,
};
static const tn_strategy *const strategies[] = {&strategy};

static const tn_partitioner oplist = {
    .struct_size = TN_PARTITIONER_SIZE,
    .doc = "Makes subgraphs of the operators that are named. Each is run as one node.",
    .options = options,
    .option_count = 3,
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .options_size = sizeof(oplist_options),
    .strategies = strategies,
    .strategy_count = 1,
};

static const tn_entry entries[] = {TN_ENTRY_PARTITIONER("oplist", &oplist)};
TN_PLUGIN_WITH("partition-oplist", "0.1.0", "graph/1", "", NULL, NULL, entries);
