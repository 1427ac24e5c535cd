/* Nodes with graphs inside: If, Loop, Scan, SequenceMap. What those capture from outside becomes
 * further inputs, behind the operator's own. */
#include "families.h"

/* A node with subgraphs in the making. */
struct holder {
    struct onnx_node *node;
    struct onnx_captures captures;
    tn_value *inputs; /* the node's own, then the captures that are no constants */
    uint32_t input_count;
};

static tn_status holder_begin(struct onnx_node *node, uint32_t own_count, struct holder *holder) {
    *holder = (struct holder){.node = node};
    TN_TRY(onnx_find_captures(node->scope, node->path, node->proto, &holder->captures));
    void *inputs = NULL;
    tn_status status = tn_allocate(node->host, (uint64_t)own_count + holder->captures.count,
                                   sizeof *holder->inputs, &inputs);
    holder->inputs = inputs;
    if (status == TN_OK) {
        status = onnx_inputs(node, holder->inputs, own_count);
    }
    holder->input_count = own_count;
    for (uint32_t i = 0; status == TN_OK && i < holder->captures.count; i++) {
        const tn_value value = holder->captures.values[i];
        if (value.node != TN_NO_NODE && onnx_value_view(node->scope, value) == NULL) {
            holder->inputs[holder->input_count++] = value;
        }
    }
    return status;
}

static void holder_end(struct holder *holder) {
    tn_free(holder->node->host, holder->inputs);
    onnx_captures_finish(holder->node->host, &holder->captures);
}

static tn_status add_graph(struct holder *holder, uint32_t number, const char *attribute) {
    struct onnx_node *node = holder->node;
    const Onnx__GraphProto *proto;
    char path[400];
    tn_graph *graph;
    TN_TRY(onnx_attribute_graph(node, attribute, &proto, path, sizeof path));
    TN_TRY(TN_SERVICE(node->host, graph)
               ->add_subgraph(node->host, node->scope->graph, number, &graph));
    return onnx_read_graph(node->scope->reader, proto, path, node->scope, &holder->captures, graph);
}

static tn_status set_outputs(struct onnx_node *node, uint32_t number) {
    for (uint32_t i = 0; i < onnx_output_count(node); i++) {
        TN_TRY(onnx_set_output(node, i, (tn_value){number, i}));
    }
    return TN_OK;
}

static tn_status build_if(struct holder *holder) {
    struct onnx_node *node = holder->node;
    struct onnx_options options = onnx_options(node);
    uint32_t number;
    onnx_option_int(&options, "outputs", onnx_output_count(node));
    TN_TRY(onnx_add_node(node, "onnx.If", &options, holder->inputs, holder->input_count, &number));
    TN_TRY(add_graph(holder, number, "then_branch"));
    TN_TRY(add_graph(holder, number, "else_branch"));
    return set_outputs(node, number);
}

static tn_status translate_if(struct onnx_node *node) {
    struct holder holder;
    tn_status status = holder_begin(node, 1, &holder);
    if (status == TN_OK) {
        status = build_if(&holder);
    }
    holder_end(&holder);
    return status;
}

static tn_status build_loop(struct holder *holder, uint32_t states) {
    struct onnx_node *node = holder->node;
    struct onnx_options options = onnx_options(node);
    uint32_t number;
    onnx_option_int(&options, "states", states);
    onnx_option_int(&options, "outputs", onnx_output_count(node));
    TN_TRY(
        onnx_add_node(node, "onnx.Loop", &options, holder->inputs, holder->input_count, &number));
    TN_TRY(add_graph(holder, number, "body"));
    return set_outputs(node, number);
}

static tn_status translate_loop(struct onnx_node *node) {
    const uint32_t own = onnx_input_count(node) < 2 ? 2 : onnx_input_count(node);
    struct holder holder;
    tn_status status = holder_begin(node, own, &holder);
    if (status == TN_OK) {
        status = build_loop(&holder, own - 2);
    }
    holder_end(&holder);
    return status;
}

/* Before operator set 9 the first input has the sequences' lengths, and the first axis of all is
 * that of the batch. */
static tn_status build_scan(struct holder *holder, uint32_t own) {
    struct onnx_node *node = holder->node;
    const int is_batched = node->version < 9;
    int64_t scans;
    TN_TRY(onnx_int(node, "num_scan_inputs", 0, &scans));
    const int64_t states = (int64_t)own - is_batched - scans;
    if (scans < 1 || states < 0) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "num_scan_inputs is %lld of %u inputs",
                         (long long)scans, (unsigned)own);
    }
    const Onnx__GraphProto *ignored;
    char path[400];
    TN_TRY(onnx_attribute_graph(node, "body", &ignored, path, sizeof path));
    struct onnx_options options = onnx_options(node);
    onnx_option_int(&options, "states", states);
    onnx_option_int(&options, "scans", scans);
    onnx_option_int(&options, "outputs", onnx_output_count(node));
    onnx_option_int(&options, "batched", is_batched);
    tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    uint32_t number;
    TN_TRY(
        onnx_add_node(node, "onnx.Scan", &options, holder->inputs, holder->input_count, &number));
    TN_TRY(add_graph(holder, number, "body"));
    return set_outputs(node, number);
}

static tn_status translate_scan(struct onnx_node *node) {
    const uint32_t own = onnx_input_count(node);
    struct holder holder;
    tn_status status = holder_begin(node, own, &holder);
    if (status == TN_OK) {
        status = build_scan(&holder, own);
    }
    holder_end(&holder);
    return status;
}

static tn_status build_sequence_map(struct holder *holder, uint32_t own) {
    struct onnx_node *node = holder->node;
    struct onnx_options options = onnx_options(node);
    uint32_t number;
    onnx_option_int(&options, "inputs", own);
    onnx_option_int(&options, "outputs", onnx_output_count(node));
    TN_TRY(onnx_add_node(node, "onnx.SequenceMap", &options, holder->inputs, holder->input_count,
                         &number));
    TN_TRY(add_graph(holder, number, "body"));
    return set_outputs(node, number);
}

static tn_status translate_sequence_map(struct onnx_node *node) {
    const uint32_t own = onnx_input_count(node);
    struct holder holder;
    tn_status status = holder_begin(node, own, &holder);
    if (status == TN_OK) {
        status = build_sequence_map(&holder, own);
    }
    holder_end(&holder);
    return status;
}

const struct onnx_mapping control_mappings[] = {
    {"If", 1, translate_if, NULL, 0},
    {"Loop", 1, translate_loop, NULL, 0},
    {"Scan", 8, translate_scan, NULL, 0},
    {"SequenceMap", 17, translate_sequence_map, NULL, 0},
    {0},
};
