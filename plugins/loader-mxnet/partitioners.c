#include "partitioners.h"

#include "graph_arrays.h"
#include "graph_json.h"
#include "operators.h"

enum { MAX_PARTITIONERS = 1024, MAX_STRATEGIES = 1024 };

/* A strategy; what the host is given of it comes first, and leads back to the rest. */
struct extension_strategy {
    tn_strategy strategy;
    struct extension *extension;
    char what[192]; /* "partitioner myProp, strategy myStrategy" */
    extension_function supported, create_selector, review;
};

static const struct extension_strategy *strategy_of(const tn_strategy *strategy) {
    return (const struct extension_strategy *)(const void *)strategy;
}

static tn_status failed(const struct extension_strategy *strategy, const tn_host *host,
                        const char *function, int result, const struct call_words *words) {
    char what[256];
    snprintf(what, sizeof what, "%s: %s", strategy->what, function);
    return extension_failed(strategy->extension, host, TN_INTERNAL, what, result, words);
}

static tn_status options_of(const tn_host *host, const tn_option *given, uint32_t count,
                            struct call_options *out_options) {
    return op_options_create(host, &(const tn_options){count, given}, out_options);
}

/* Supported nodes: a group for each node of the text. */

static tn_status ask_groups(const struct extension_strategy *strategy, tn_strategy_call *call,
                            const struct graph_json *json, const struct call_options *options,
                            int *groups) {
    struct call_words words;
    for (uint32_t i = 0; i < json->node_count; i++) {
        groups[i] = TN_GROUP_NONE;
    }
    const int result =
        call_supported_ops(&strategy->extension->exports, strategy->supported, json->text, groups,
                           (int)json->node_count, options, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return failed(strategy, call->host, "supportedOps", result, &words);
    }
    for (uint32_t i = 0; i < json->node_count; i++) {
        if (groups[i] < TN_GROUP_NONE) {
            return extension_is_wrong(strategy->extension, call->host, strategy->what,
                                      "supportedOps gave the subgraph %d for a node", groups[i]);
        }
        call->groups[json->nodes[i]] = groups[i];
    }
    return TN_OK;
}

static tn_status find_supported(tn_strategy_call *call) {
    const struct extension_strategy *strategy = strategy_of(call->strategy);
    const tn_host *host = call->host;
    struct graph_json json;
    struct call_options options;
    if (strategy->supported == NULL) {
        return extension_is_wrong(strategy->extension, host, strategy->what,
                                  "it has neither supportedOps nor a selector");
    }
    TN_TRY(graph_json_write(host, call->graph, strategy->extension->version, &json));
    tn_status status = options_of(host, call->given, call->given_count, &options);
    if (status == TN_OK) {
        int *groups =
            TN_SERVICE(host, memory)->allocate(host, (json.node_count + 1) * sizeof *groups);
        status = groups == NULL ? tn_fail(host, TN_OUT_OF_MEMORY, "no memory for groups")
                                : ask_groups(strategy, call, &json, &options, groups);
        TN_SERVICE(host, memory)->free(host, groups);
        op_options_destroy(host, &options);
    }
    graph_json_destroy(host, &json);
    return status;
}

/* Selectors. */

/* The library's selector, and the numbers that it knows nodes by: their places in the text. */
struct selection {
    const struct extension_strategy *strategy;
    void *object; /* the library has no function to end it */
    struct graph_json json;
    int *places; /* by node number */
};

static void destroy_selection(const tn_host *host, void *selector) {
    struct selection *selection = selector;
    if (selection != NULL) {
        graph_json_destroy(host, &selection->json);
        TN_SERVICE(host, memory)->free(host, selection->places);
        TN_SERVICE(host, memory)->free(host, selection);
    }
}

static tn_status number_nodes(const tn_strategy_call *call, struct selection *selection) {
    const tn_host *host = call->host;
    const uint32_t count = TN_SERVICE(host, graph)->node_count(host, call->graph);
    TN_TRY(graph_json_write(host, call->graph, selection->strategy->extension->version,
                            &selection->json));
    selection->places =
        TN_SERVICE(host, memory)->allocate(host, (count + 1) * sizeof *selection->places);
    if (selection->places == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a selector");
    }
    for (uint32_t i = 0; i < count; i++) {
        selection->places[i] = -1;
    }
    for (uint32_t i = 0; i < selection->json.node_count; i++) {
        selection->places[selection->json.nodes[i]] = (int)i;
    }
    return TN_OK;
}

static tn_status create_object(const tn_strategy_call *call, struct selection *selection) {
    const struct extension_strategy *strategy = selection->strategy;
    struct call_options options;
    struct call_words words;
    TN_TRY(options_of(call->host, call->given, call->given_count, &options));
    const int result =
        call_create_selector(&strategy->extension->exports, strategy->create_selector,
                             selection->json.text, &options, &selection->object, &words);
    op_options_destroy(call->host, &options);
    if (result != EXTENSION_SUCCEEDED) {
        return failed(strategy, call->host, "createSelector", result, &words);
    }
    return selection->object != NULL
               ? TN_OK
               : extension_is_wrong(strategy->extension, call->host, strategy->what,
                                    "createSelector gave no selector");
}

static tn_status create_selection(tn_strategy_call *call) {
    const tn_host *host = call->host;
    struct selection *selection = TN_SERVICE(host, memory)->allocate(host, sizeof *selection);
    if (selection == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a selector");
    }
    *selection = (struct selection){.strategy = strategy_of(call->strategy)};
    tn_status status = number_nodes(call, selection);
    if (status == TN_OK) {
        status = create_object(call, selection);
    }
    if (status != TN_OK) {
        destroy_selection(host, selection);
        return status;
    }
    call->selector = selection;
    return TN_OK;
}

static tn_status select_any(const tn_host *host, void *selector, enum call_selection which,
                            uint32_t node, uint32_t other, int32_t *out_selected) {
    const struct selection *selection = selector;
    static const char *const names[] = {"Select", "SelectInput", "SelectOutput"};
    struct call_words words;
    int selected = 0;
    if (selection->places[node] < 0 || selection->places[other] < 0) {
        return TN_OK; /* the library has not seen it */
    }
    const int result =
        call_select(&selection->strategy->extension->exports, which, selection->object,
                    selection->places[node], selection->places[other], &selected, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return failed(selection->strategy, host, names[which], result, &words);
    }
    *out_selected = selected != 0;
    return TN_OK;
}

static tn_status select_node(const tn_host *host, void *selector, uint32_t node,
                             int32_t *out_selected) {
    return select_any(host, selector, CALL_SELECT, node, node, out_selected);
}

static tn_status select_input(const tn_host *host, void *selector, uint32_t node,
                              uint32_t input_node, int32_t *out_selected) {
    return select_any(host, selector, CALL_SELECT_INPUT, node, input_node, out_selected);
}

static tn_status select_output(const tn_host *host, void *selector, uint32_t node,
                               uint32_t output_node, int32_t *out_selected) {
    return select_any(host, selector, CALL_SELECT_OUTPUT, node, output_node, out_selected);
}

/* What is kept must have been offered. */
static tn_status take_kept(const struct selection *selection, const tn_host *host,
                           const int *candidates, uint32_t count, const int *kept, int kept_count,
                           int32_t *keep) {
    if (kept_count < 0 || (kept_count > 0 && kept == NULL)) {
        return extension_is_wrong(selection->strategy->extension, host, selection->strategy->what,
                                  "Filter gave %d nodes", kept_count);
    }
    memset(keep, 0, count * sizeof *keep);
    for (int i = 0; i < kept_count; i++) {
        uint32_t place = 0;
        while (place < count && candidates[place] != kept[i]) {
            place++;
        }
        if (place == count) {
            return extension_is_wrong(selection->strategy->extension, host,
                                      selection->strategy->what,
                                      "Filter keeps node %d, which was not offered", kept[i]);
        }
        keep[place] = 1;
    }
    return TN_OK;
}

static tn_status filter(const tn_host *host, void *selector, const uint32_t *nodes, uint32_t count,
                        int32_t *keep) {
    const struct selection *selection = selector;
    const struct extension_exports *exports = &selection->strategy->extension->exports;
    struct call_words words;
    int *kept = NULL, kept_count = 0;
    /* Twice: what the library is given it may change. */
    int *candidates =
        TN_SERVICE(host, memory)->allocate(host, (2 * count + 1) * sizeof *candidates);
    if (candidates == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to filter nodes");
    }
    for (uint32_t i = 0; i < count; i++) {
        candidates[i] = candidates[count + i] = selection->places[nodes[i]];
    }
    const int result = call_filter(exports, selection->object, candidates + count, (int)count,
                                   &kept, &kept_count, &words);
    const tn_status status =
        result == EXTENSION_SUCCEEDED
            ? take_kept(selection, host, candidates, count, kept, kept_count, keep)
            : failed(selection->strategy, host, "Filter", result, &words);
    if (kept != NULL) {
        call_free(exports, kept);
    }
    TN_SERVICE(host, memory)->free(host, candidates);
    return status;
}

static void reset(const tn_host *host, void *selector) {
    const struct selection *selection = selector;
    struct call_words words;
    if (call_reset(&selection->strategy->extension->exports, selection->object, &words) < 0) {
        tn_log(host, TN_LOG_WARNING, "library %s: %s: Reset: %s",
               selection->strategy->extension->name, selection->strategy->what, words.text);
    }
}

static const tn_selector selector = {.struct_size = TN_SELECTOR_SIZE,
                                     .create = create_selection,
                                     .select = select_node,
                                     .select_input = select_input,
                                     .select_output = select_output,
                                     .filter = filter,
                                     .reset = reset,
                                     .destroy = destroy_selection};

/* Reviews. */

static tn_status take_attributes(const struct extension_strategy *strategy, tn_review_call *call,
                                 const struct call_attributes *given) {
    if (given->count < 0 || (given->count > 0 && (given->keys == NULL || given->values == NULL))) {
        return extension_is_wrong(strategy->extension, call->host, strategy->what,
                                  "reviewSubgraph gave %d attributes", given->count);
    }
    for (int i = 0; call->accept && i < given->count; i++) {
        if (given->keys[i] == NULL || given->values[i] == NULL) {
            return extension_is_wrong(strategy->extension, call->host, strategy->what,
                                      "reviewSubgraph gave an attribute without a text");
        }
        TN_TRY(call->set_attribute(call, given->keys[i], given->values[i]));
    }
    return TN_OK;
}

static tn_status ask_review(const struct extension_strategy *strategy, tn_review_call *call,
                            const struct graph_json *json, const struct graph_arrays *arrays) {
    struct call_attributes attributes = {NULL, NULL, 0};
    struct call_options options;
    struct call_words words;
    int accept = 1;
    TN_TRY(options_of(call->host, call->given, call->given_count, &options));
    const int result = call_review(&strategy->extension->exports, strategy->review, json->text,
                                   (int)call->index, &options, &arrays->arguments,
                                   &arrays->auxiliaries, &accept, &attributes, &words);
    tn_status status;
    if (result == EXTENSION_SUCCEEDED) {
        call->accept = accept != 0;
        status = take_attributes(strategy, call, &attributes);
    } else {
        status = failed(strategy, call->host, "reviewSubgraph", result, &words);
    }
    extension_free_texts(strategy->extension, attributes.keys, attributes.count);
    extension_free_texts(strategy->extension, attributes.values, attributes.count);
    op_options_destroy(call->host, &options);
    return status;
}

/* Whether the value behind an input is an argument or auxiliary state of the graph, and which: a
 * note on the subgraph's variable, where the library finds it now and when its state is created. */
static tn_status note_origin(const tn_review_call *call, uint32_t input) {
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    const uint32_t node = call->inputs[input].node;
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    TN_TRY(graphs->node_info(call->host, call->graph, node, &info));
    const int is_argument = info.op == NULL;
    const int is_auxiliary = is_argument && graphs->variable_kind(call->host, call->graph, node) ==
                                                TN_VARIABLE_AUXILIARY;
    if (is_argument) {
        TN_TRY(graphs->annotate(call->host, call->subgraph, input, "argName", info.name));
    }
    TN_TRY(graphs->annotate(call->host, call->subgraph, input, "isArg",
                            is_argument ? "True" : "False"));
    return graphs->annotate(call->host, call->subgraph, input, "isAux",
                            is_auxiliary ? "True" : "False");
}

static tn_status review(tn_review_call *call) {
    const struct extension_strategy *strategy = strategy_of(call->strategy);
    struct graph_json json;
    struct graph_arrays arrays;
    for (uint32_t i = 0; i < call->input_count; i++) {
        TN_TRY(note_origin(call, i));
    }
    if (strategy->review == NULL) {
        return TN_OK;
    }
    TN_TRY(
        graph_json_write_subgraph(call->host, call->subgraph, strategy->extension->version, &json));
    tn_status status = graph_arrays_create(call->host, call->graph, &arrays);
    if (status == TN_OK) {
        status = ask_review(strategy, call, &json, &arrays);
        graph_arrays_destroy(call->host, &arrays);
    }
    graph_json_destroy(call->host, &json);
    return status;
}

/* Registration. */

static tn_status add_strategy(struct extension *extension, int partitioner, const char *name,
                              int index, const tn_strategy **out_strategy) {
    struct extension_strategy *strategy = extension_allocate_memory(extension, 1, sizeof *strategy);
    const char *strategy_name = NULL, *op = NULL;
    if (strategy == NULL) {
        return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for a strategy");
    }
    strategy->extension = extension;
    extension->exports.strategy(partitioner, index, &strategy_name, &strategy->supported,
                                &strategy->create_selector, &strategy->review, &op);
    snprintf(strategy->what, sizeof strategy->what, "partitioner %.80s, strategy %.80s", name,
             strategy_name != NULL ? strategy_name : "?");
    if (strategy_name == NULL || op == NULL) {
        return extension_is_wrong(extension, extension->host, strategy->what,
                                  "it has no name or no operator");
    }
    /* MXNet's operator that runs a subgraph as it is has another name here. */
    const int runs_as_it_is = strcmp(op, "_CachedOp") == 0;
    const int selects = strategy->supported == NULL && strategy->create_selector != NULL;
    strategy->strategy = (tn_strategy){.struct_size = TN_STRATEGY_SIZE,
                                       .flags = TN_STRATEGY_INPUT_PER_USE,
                                       .name = strategy_name,
                                       .doc = "A strategy of an MXNet extension library.",
                                       .subgraph_op = runs_as_it_is ? NULL : op,
                                       .find_supported = selects ? NULL : find_supported,
                                       .selector = selects ? &selector : NULL,
                                       .review = review};
    *out_strategy = &strategy->strategy;
    return TN_OK;
}

static tn_status add_partitioner(struct extension *extension, int index) {
    const char *name = NULL;
    const int count = extension->exports.partitioner(index, &name);
    char what[64];
    snprintf(what, sizeof what, "partitioner number %d", index);
    if (name == NULL || count < 1 || count > MAX_STRATEGIES) {
        return extension_is_wrong(extension, extension->host, what, "it has %d strategies%s", count,
                                  name == NULL ? " and no name" : "");
    }
    tn_partitioner *partitioner = extension_allocate_memory(extension, 1, sizeof *partitioner);
    const tn_strategy **strategies =
        extension_allocate_memory(extension, (size_t)count, sizeof *strategies);
    if (partitioner == NULL || strategies == NULL) {
        return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for a partitioner");
    }
    for (int i = 0; i < count; i++) {
        TN_TRY(add_strategy(extension, index, name, i, &strategies[i]));
    }
    *partitioner = (tn_partitioner){.struct_size = TN_PARTITIONER_SIZE,
                                    .flags = TN_PARTITIONER_FREE_OPTIONS,
                                    .doc = "A partitioner of an MXNet extension library.",
                                    .strategies = strategies,
                                    .strategy_count = (uint32_t)count};
    return extension_add_entry(extension, TN_KIND_PARTITIONER, name, TN_PARTITIONER_VERSION,
                               TN_ENTRY_OVERRIDES, partitioner);
}

tn_status partitioners_add(struct extension *extension) {
    const int count = extension->exports.partitioner_count();
    if (count < 0 || count > MAX_PARTITIONERS) {
        return extension_is_wrong(extension, extension->host, "_partRegSize", "it gave %d", count);
    }
    for (int i = 0; i < count; i++) {
        TN_TRY(add_partitioner(extension, i));
    }
    return TN_OK;
}
