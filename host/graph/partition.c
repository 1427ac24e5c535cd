/* Running a partitioner: options, then one strategy after the other, all of it or nothing. */
#include "graph/partition.h"

#include <string.h>

#include "base/error.h"
#include "plugin/attributes.h"
#include "plugin/kinds.h"
#include "tensor/dataset_options.h"

uint32_t tn_partitioner_count(const tn_runtime *runtime) {
    return tni_registry_count(runtime, TN_KIND_PARTITIONER);
}

tn_status tn_partitioner_get(const tn_runtime *runtime, uint32_t index,
                             tn_partitioner_info *out_info) {
    const tni_entry *entry = tni_registry_get(runtime, TN_KIND_PARTITIONER, index);
    if (entry == NULL) {
        return tni_fail(TN_OUT_OF_RANGE, "there are %u partitioners: there is no number %u",
                        tn_partitioner_count(runtime), index);
    }
    const tn_partitioner *partitioner = entry->entry->impl;
    const tn_partitioner_info info = {.struct_size = out_info->struct_size,
                                      .option_count = partitioner->option_count,
                                      .name = entry->entry->name,
                                      .plugin = entry->plugin->name,
                                      .doc = partitioner->doc == NULL ? "" : partitioner->doc,
                                      .options = partitioner->options,
                                      .option_stride = partitioner->option_stride,
                                      .strategy_count = partitioner->strategy_count,
                                      .strategies = partitioner->strategies};
    memcpy(out_info, &info, info.struct_size < sizeof info ? info.struct_size : sizeof info);
    return TN_OK;
}

/* What every partitioner's table has besides its own rows. */
typedef struct host_options {
    int64_t min_nodes;
    int32_t dedup_subgraph; /* an index into "auto|True|False" */
} host_options;

enum { DEDUP_AUTO, DEDUP_YES, DEDUP_NO };

static const tn_attribute host_rows[] = {
    TN_FIELD(host_options, min_nodes, INT, "1", "[1,16777216]",
             "The fewest nodes that make a subgraph."),
    TN_FIELD_CHOICE(host_options, dedup_subgraph, "auto", "auto|True|False",
                    "Whether a value that is read twice is one input."),
};
enum { HOST_ROWS = sizeof host_rows / sizeof host_rows[0] };

static bool table_has(const tn_partitioner *partitioner, const char *name) {
    for (uint32_t i = 0; i < partitioner->option_count; i++) {
        const tn_attribute *row =
            (const tn_attribute *)(const void *)((const char *)partitioner->options +
                                                 (size_t)i * partitioner->option_stride);
        if (strcmp(row->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Sorts the options: the host's, the partitioner's own, and of these those that its table names. */
static tn_status read_options(tni_partition *work, const tn_option *options, uint32_t count,
                              tni_arena *arena, host_options *out_host) {
    const tn_partitioner *partitioner = work->entry->entry->impl;
    tn_option *host = tni_arena_allocate(arena, count, sizeof *host);
    tn_option *given = tni_arena_allocate(arena, count, sizeof *given);
    tn_option *named = tni_arena_allocate(arena, count, sizeof *named);
    void *parsed = tni_arena_allocate(arena, 1, partitioner->options_size);
    uint32_t host_count = 0, named_count = 0;
    if (host == NULL || given == NULL || named == NULL || parsed == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tni_is_partition_option(options[i].name)) {
            host[host_count++] = options[i];
            continue;
        }
        given[work->given_count++] = options[i];
        if ((partitioner->flags & TN_PARTITIONER_FREE_OPTIONS) == 0 ||
            table_has(partitioner, options[i].name)) {
            named[named_count++] = options[i];
        }
    }
    const tni_attribute_table host_table = {host_rows, HOST_ROWS, TN_ATTRIBUTE_STRIDE};
    const tni_attribute_table table = {partitioner->options, partitioner->option_count,
                                       partitioner->option_stride};
    TNI_TRY(tni_attributes_parse(&host_table, host, host_count, arena, out_host));
    TNI_TRY(tni_attributes_parse(&table, named, named_count, arena, parsed));
    work->options = parsed;
    work->given = given;
    return TN_OK;
}

static bool is_controlled(const tni_node *node) {
    bool found = node->control_count > 0;
    for (uint32_t i = 0; !found && i < node->use_count; i++) {
        found = node->uses[i].input == TN_USE_CONTROL;
    }
    return found;
}

static bool reads_label(const tni_node *node) {
    for (uint32_t i = 0; i < node->op->training_input_count; i++) {
        const uint32_t input = node->op->training_inputs[i];
        if (input < node->input_count && node->inputs[input].node != TN_NO_NODE) {
            return true;
        }
    }
    return false;
}

static tn_status look_at_graph(tni_partition *work) {
    tn_graph *graph = work->graph;
    const uint32_t *order;
    TNI_TRY(tni_graph_order(graph, &order, &work->order_count));
    TNI_TRY(tni_graph_find_runs(graph));
    work->node_count = graph->node_count;
    const uint32_t count = work->node_count;
    work->order = tni_arena_allocate(&work->arena, work->order_count, sizeof *work->order);
    work->positions = tni_arena_allocate(&work->arena, count, sizeof *work->positions);
    work->is_eligible = tni_arena_allocate(&work->arena, count, sizeof *work->is_eligible);
    work->cluster_of = tni_arena_allocate(&work->arena, count, sizeof *work->cluster_of);
    work->members = tni_arena_allocate(&work->arena, count, sizeof *work->members);
    work->clusters = tni_arena_allocate(&work->arena, count, sizeof *work->clusters);
    if (work->order == NULL || work->positions == NULL || work->is_eligible == NULL ||
        work->cluster_of == NULL || work->members == NULL || work->clusters == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(work->order, order, work->order_count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        work->positions[i] = work->order_count;
        work->cluster_of[i] = TNI_NO_CLUSTER;
    }
    for (uint32_t i = 0; i < work->order_count; i++) {
        const uint32_t number = work->order[i];
        const tni_node *node = graph->nodes[number];
        work->positions[number] = i;
        work->is_eligible[number] = node->op != NULL && tni_graph_runs_node(graph, number) &&
                                    !is_controlled(node) && !reads_label(node);
    }
    return TN_OK;
}

static tn_status find_groups(tni_partition *work) {
    int32_t *groups = tni_arena_allocate(&work->arena, work->node_count, sizeof *groups);
    if (groups == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < work->node_count; i++) {
        groups[i] = TN_GROUP_NONE;
    }
    tn_strategy_call call = {.struct_size = TN_STRUCT_END(tn_strategy_call, selector),
                             .given_count = work->given_count,
                             .host = &work->entry->plugin->host,
                             .strategy = work->strategy,
                             .options = work->options,
                             .given = work->given,
                             .graph = work->graph,
                             .groups = groups};
    tni_error_clear();
    TNI_TRY(tni_error_complete(work->strategy->find_supported(&call)));
    for (uint32_t i = 0; i < work->node_count; i++) {
        if (groups[i] < TN_GROUP_NONE) {
            return tni_fail(TN_INVALID_ARGUMENT, "node '%s' is given group %d: expected -2 or more",
                            work->graph->nodes[i]->name, groups[i]);
        }
    }
    return tni_partition_by_groups(work, groups);
}

static tn_status run_strategy(tni_partition *work) {
    TNI_TRY(look_at_graph(work));
    TNI_TRY(work->strategy->find_supported != NULL ? find_groups(work)
                                                   : tni_partition_by_selector(work));
    return tni_partition_cut(work);
}

static tn_status run_strategies(tn_graph *graph, const tni_change *change) {
    const tn_partitioner *partitioner = change->entry->entry->impl;
    tni_partition work = {.graph = graph, .entry = change->entry};
    tni_arena arena = {0};
    host_options options;
    tn_status status = tni_in(
        read_options(&work, change->options, change->option_count, &arena, &options), "options");
    for (uint32_t i = 0; status == TN_OK && i < partitioner->strategy_count; i++) {
        tni_partition once = work;
        once.strategy = partitioner->strategies[i];
        once.min_nodes = (uint32_t)options.min_nodes;
        once.dedup = options.dedup_subgraph == DEDUP_AUTO
                         ? (once.strategy->flags & TN_STRATEGY_INPUT_PER_USE) == 0
                         : options.dedup_subgraph == DEDUP_YES;
        /* Inference goes through what the strategy before has made. */
        status = i == 0 ? TN_OK : tni_graph_infer_known(graph);
        if (status == TN_OK) {
            status = run_strategy(&once);
        }
        status = tni_in(status, "strategy %s", once.strategy->name);
        tni_arena_finish(&once.arena);
    }
    tni_arena_finish(&arena);
    return status;
}

tn_status tn_graph_partition(tn_graph *graph, const char *partitioner, const tn_option *options,
                             uint32_t option_count, const tn_named_type *inputs,
                             uint32_t input_count) {
    const tni_change change = {TN_KIND_PARTITIONER, partitioner, options, option_count, NULL};
    return tni_graph_change(graph, change, run_strategies, inputs, input_count);
}

tn_status tn_graph_partition_text(tn_graph *graph, const char *text, const tn_named_type *inputs,
                                  uint32_t input_count) {
    tni_arena arena = {0};
    tni_description description;
    if (text[0] == '\0' || text[0] == ':') {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "'%s' names no partitioner: expected NAME or NAME:KEY=VALUE,…", text);
    }
    tn_status status = tni_in(tni_description_parse(text, &arena, &description), "partitioner");
    if (status == TN_OK) {
        status = tn_graph_partition(graph, description.kind, description.options,
                                    description.option_count, inputs, input_count);
    }
    tni_arena_finish(&arena);
    return status;
}
