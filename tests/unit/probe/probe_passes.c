/*
 * The pass "probe": does what its option `what` says. Most of it is wrong, and the host must find
 * out: whatever the pass did before, the graph must be as it was.
 */
#include "probe_passes.h"

typedef struct probe_options {
    int32_t what;
    const char *text;
} probe_options;

enum {
    ANNOTATE,
    FAIL,
    FAIL_SILENTLY,
    DROP_OUTPUT,
    RENAME_OUTPUT,
    CHANGE_TYPE,
    NEW_INPUT,
    MISMATCH,
    CYCLE,
    INCOMPLETE,
    REMOVE_USED,
    WRITE_TYPES,
    ADD_SUBGRAPH,
    ADD_EMPTY_SUBGRAPH
};

static const tn_attribute option_table[] = {
    TN_FIELD_CHOICE(
        probe_options, what, "annotate",
        "annotate|fail|fail-silently|drop-output|rename-output|change-type|new-input|mismatch|"
        "cycle|incomplete|remove-used|write-types|add-subgraph|add-empty-subgraph",
        "What to do."),
    TN_FIELD(probe_options, text, STRING, "probed", NULL, "What to annotate nodes with."),
};

static const tn_graph_service *service(const tn_pass_call *call) {
    return TN_SERVICE(call->host, graph);
}

/* The first output is a node of `op` over what it was and `other`, under the same name. */
static tn_status wrap_output(tn_pass_call *call, const char *op, const tn_option *options,
                             uint32_t option_count, const tn_value *other) {
    const tn_graph_service *graphs = service(call);
    uint32_t count, node;
    char name[64];
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    const tn_value output = graphs->outputs(call->host, call->graph, &count)[0];
    const tn_value inputs[] = {output, other != NULL ? *other : output};
    TN_TRY(graphs->node_info(call->host, call->graph, output.node, &info));
    snprintf(name, sizeof name, "%s", info.name);
    TN_TRY(graphs->add_node(call->host, call->graph, op, NULL, options, option_count, inputs,
                            other != NULL ? 2 : 1, &node));
    TN_TRY(graphs->replace_uses(call->host, call->graph, output, (tn_value){node, 0}));
    TN_TRY(graphs->rename(call->host, call->graph, output.node, "wrapped"));
    return graphs->rename(call->host, call->graph, node, name);
}

static tn_status add_input(tn_pass_call *call) {
    tn_value extra = {0, 0};
    TN_TRY(service(call)->add_variable(call->host, call->graph, "extra", NULL, &extra.node));
    return wrap_output(call, "elemwise_add", NULL, 0, &extra);
}

/* The first output is a sum of two that differ in rank: itself, and one made of node 0. */
static tn_status add_mismatch(tn_pass_call *call) {
    static const tn_option axis = {"axis", "0"};
    const tn_graph_service *graphs = service(call);
    const tn_value first = {0, 0};
    tn_value longer = {0, 0};
    TN_TRY(graphs->add_node(call->host, call->graph, "expand_dims", NULL, &axis, 1, &first, 1,
                            &longer.node));
    return wrap_output(call, "elemwise_add", NULL, 0, &longer);
}

/* The first node with inputs reads the first output. */
static tn_status tie_knot(tn_pass_call *call) {
    const tn_graph_service *graphs = service(call);
    uint32_t count;
    const tn_value output = graphs->outputs(call->host, call->graph, &count)[0];
    for (uint32_t i = 0; i < graphs->node_count(call->host, call->graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        TN_TRY(graphs->node_info(call->host, call->graph, i, &info));
        if (info.input_count > 0) {
            return graphs->set_input(call->host, call->graph, i, 0, output);
        }
    }
    return TN_OK;
}

static tn_status annotate_all(tn_pass_call *call, const char *text) {
    const tn_graph_service *graphs = service(call);
    for (uint32_t i = 0; i < graphs->node_count(call->host, call->graph); i++) {
        TN_TRY(graphs->annotate(call->host, call->graph, i, "probe", text));
    }
    return TN_OK;
}

static tn_status write_rank(tn_pass_call *call, tn_value value, const char *name) {
    tn_tensor_type type;
    char text[16];
    TN_TRY(service(call)->value_type(call->host, call->graph, value, &type));
    snprintf(text, sizeof text, "%d", (int)type.shape.rank);
    return service(call)->annotate(call->host, call->graph, value.node, name, text);
}

/* Ranks of the first output before a change, after it, and of a new node until inference. */
static tn_status write_types(tn_pass_call *call) {
    const tn_graph_service *graphs = service(call);
    uint32_t count;
    tn_value added = {0, 0};
    const tn_value output = graphs->outputs(call->host, call->graph, &count)[0];
    TN_TRY(write_rank(call, output, "before"));
    TN_TRY(graphs->add_node(call->host, call->graph, "_copy", "added", NULL, 0, &output, 1,
                            &added.node));
    TN_TRY(graphs->rename(call->host, call->graph, added.node, "added_again"));
    TN_TRY(write_rank(call, output, "after"));
    TN_TRY(write_rank(call, added, "new"));
    TN_TRY(graphs->set_outputs(call->host, call->graph, &added, 1));
    TN_TRY(graphs->infer(call->host, call->graph));
    TN_TRY(write_rank(call, added, "inferred"));
    return graphs->set_outputs(call->host, call->graph, &output, 1);
}

/* The first output is what a node makes of it that holds a graph: the sum of an item with itself,
 * or nothing. */
static tn_status add_subgraph(tn_pass_call *call, int is_empty) {
    const tn_graph_service *graphs = service(call);
    tn_graph *inner;
    tn_value item = {0, 0}, sum = {0, 0};
    uint32_t count;
    TN_TRY(wrap_output(call, "probe_repeat", NULL, 0, NULL));
    const tn_value output = graphs->outputs(call->host, call->graph, &count)[0];
    TN_TRY(graphs->add_subgraph(call->host, call->graph, output.node, &inner));
    if (is_empty) {
        return TN_OK;
    }
    TN_TRY(graphs->add_variable(call->host, inner, "item", NULL, &item.node));
    const tn_value items[] = {item, item};
    TN_TRY(
        graphs->add_node(call->host, inner, "elemwise_add", "twice", NULL, 0, items, 2, &sum.node));
    return graphs->set_outputs(call->host, inner, &sum, 1);
}

static tn_status run(tn_pass_call *call) {
    const probe_options *options = (const probe_options *)call->options;
    const tn_graph_service *graphs = service(call);
    static const tn_option axis = {"axis", "0"};
    uint32_t count, node;
    const tn_value output = graphs->outputs(call->host, call->graph, &count)[0];
    if (options->what != WRITE_TYPES) {
        TN_TRY(annotate_all(call, options->text));
    }
    switch (options->what) {
    case FAIL: return tn_fail(call->host, TN_UNSUPPORTED, "not today");
    case FAIL_SILENTLY: return TN_UNSUPPORTED;
    case DROP_OUTPUT: return graphs->set_outputs(call->host, call->graph, &output, count - 1);
    case RENAME_OUTPUT: return graphs->rename(call->host, call->graph, output.node, "other");
    case CHANGE_TYPE: return wrap_output(call, "expand_dims", &axis, 1, NULL);
    case NEW_INPUT: return add_input(call);
    case MISMATCH: return add_mismatch(call);
    case CYCLE: return tie_knot(call);
    case INCOMPLETE:
        return graphs->add_node(call->host, call->graph, "elemwise_add", "half", NULL, 0, &output,
                                1, &node);
    case REMOVE_USED: return graphs->remove_node(call->host, call->graph, 0);
    case WRITE_TYPES: return write_types(call);
    case ADD_SUBGRAPH: return add_subgraph(call, 0);
    case ADD_EMPTY_SUBGRAPH: return add_subgraph(call, 1);
    default: return TN_OK;
    }
}

const tn_pass probe_pass = {.struct_size = TN_PASS_SIZE,
                            .doc = "For the tests. It does little good.",
                            .options = option_table,
                            .option_count = 2,
                            .option_stride = TN_ATTRIBUTE_STRIDE,
                            .options_size = sizeof(probe_options),
                            .run = run};
