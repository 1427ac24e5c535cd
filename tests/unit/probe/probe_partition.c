/*
 * The partitioner "probe", which does what its options say:
 *   groups        a group for each node by its number; nodes beyond have none
 *   selected      numbers of nodes that the selector of strategy "selected" takes
 *   dropped       of these, numbers that its filter leaves out
 *   rejected      indices of subgraphs of the first strategy that review rejects
 *   device        the attribute `device` of its subgraphs
 *   wrong         how to misbehave: "group", "attribute", "fail", "operator" (strategy "wrong")
 */
#include <string.h>

#include <tenon/plugin.h>

typedef struct probe_options {
    tn_ints groups, selected, dropped, rejected;
    const char *device, *wrong;
} probe_options;

static const tn_attribute options[] = {
    TN_FIELD(probe_options, groups, INTS, "()", NULL, "Groups."),
    TN_FIELD(probe_options, selected, INTS, "()", NULL, "Nodes."),
    TN_FIELD(probe_options, dropped, INTS, "()", NULL, "Nodes."),
    TN_FIELD(probe_options, rejected, INTS, "()", NULL, "Subgraphs."),
    TN_FIELD(probe_options, device, STRING, "", NULL, "A device."),
    TN_FIELD(probe_options, wrong, STRING, "", NULL, "A mistake."),
};

static int lists(const tn_ints *numbers, uint32_t number) {
    for (int64_t i = 0; i < numbers->count; i++) {
        if (numbers->values[i] == (int64_t)number) {
            return 1;
        }
    }
    return 0;
}

static tn_status find_supported(tn_strategy_call *call) {
    const probe_options *given = (const probe_options *)call->options;
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    const uint32_t count = graphs->node_count(call->host, call->graph);
    if (strcmp(given->wrong, "fail") == 0) {
        return tn_fail(call->host, TN_UNAVAILABLE, "as you like");
    }
    for (uint32_t i = 0; i < count && i < given->groups.count; i++) {
        call->groups[i] = (int32_t)given->groups.values[i];
    }
    if (strcmp(given->wrong, "group") == 0) {
        call->groups[0] = -7;
    }
    return TN_OK;
}

static tn_status review(tn_review_call *call) {
    const probe_options *given = (const probe_options *)call->options;
    call->accept = !lists(&given->rejected, call->index);
    if (strcmp(given->wrong, "attribute") == 0) {
        TN_TRY(call->set_attribute(call, "colour", "red"));
    }
    return given->device[0] == '\0' ? TN_OK : call->set_attribute(call, "device", given->device);
}

static tn_status create(tn_strategy_call *call) {
    call->selector = (void *)(uintptr_t)call->options;
    return TN_OK;
}

static tn_status select_node(const tn_host *host, void *selector, uint32_t node,
                             int32_t *out_selected) {
    (void)host;
    *out_selected = lists(&((const probe_options *)selector)->selected, node);
    return TN_OK;
}

static tn_status select_neighbour(const tn_host *host, void *selector, uint32_t node,
                                  uint32_t neighbour, int32_t *out_selected) {
    (void)node;
    return select_node(host, selector, neighbour, out_selected);
}

static tn_status filter(const tn_host *host, void *selector, const uint32_t *nodes, uint32_t count,
                        int32_t *keep) {
    (void)host;
    for (uint32_t i = 0; i < count; i++) {
        keep[i] = !lists(&((const probe_options *)selector)->dropped, nodes[i]);
    }
    return TN_OK;
}

static const tn_selector selector = {
    .struct_size = TN_SELECTOR_SIZE,
    .create = create,
    .select = select_node,
    .select_input = select_neighbour,
    .select_output = select_neighbour,
    .filter = filter,
};

static const tn_strategy grouped = {.struct_size = TN_STRATEGY_SIZE,
                                    .name = "grouped",
                                    .find_supported = find_supported,
                                    .review = review};
static const tn_strategy selected = {
    .struct_size = TN_STRATEGY_SIZE, .name = "selected", .selector = &selector};
static const tn_strategy *const strategies[] = {&grouped, &selected};

static const tn_partitioner probe = {.struct_size = TN_PARTITIONER_SIZE,
                                     .doc = "Does what it is told.",
                                     .options = options,
                                     .option_count = 6,
                                     .option_stride = TN_ATTRIBUTE_STRIDE,
                                     .options_size = sizeof(probe_options),
                                     .strategies = strategies,
                                     .strategy_count = 2};

static const tn_entry entries[] = {TN_ENTRY_PARTITIONER("probe", &probe)};
TN_PLUGIN_WITH("probe-partition", "1.0.0", "error/1,graph/1", "", NULL, NULL, entries);
