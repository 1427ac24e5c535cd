/*
 * The graph pass @NAME@: `tenon graph MODEL --plugin ./@NAME@.so --pass @NAME@ --diff`. This line
 * builds it; nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <tenon/plugin.h>

/* The options, as the host hands them over: `--pass @NAME@:op=floor`. */
typedef struct pass_options {
    const char *op;
} pass_options;

static const tn_attribute options[] = {
    TN_FIELD(pass_options, op, STRING, "relu", NULL, "The operator that is applied once."),
};

/* Of op(op(x)) one op is dropped: right for operators that change nothing the second time,
 * such as relu. */
static tn_status run(tn_pass_call *call) {
    const pass_options *given = (const pass_options *)call->options;
    const tn_host *host = call->host;
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    const uint32_t count = graphs->node_count(host, call->graph);
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info outer = {.struct_size = TN_NODE_INFO_SIZE};
        tn_node_info inner = {.struct_size = TN_NODE_INFO_SIZE};
        TN_TRY(graphs->node_info(host, call->graph, i, &outer));
        if (outer.op == NULL || strcmp(outer.op, given->op) != 0 || outer.input_count != 1) {
            continue;
        }
        TN_TRY(graphs->node_info(host, call->graph, outer.inputs[0].node, &inner));
        if (inner.op != NULL && strcmp(inner.op, given->op) == 0) {
            /* The inner node is passed over; the outer one keeps its name and its users. What
             * nothing uses any more is left to the pass remove-dead-nodes. */
            TN_TRY(graphs->set_input(host, call->graph, i, 0, inner.inputs[0]));
        }
    }
    return TN_OK;
}

static const tn_pass pass = {.struct_size = TN_PASS_SIZE,
                             .doc = "Applies an operator once where it is applied twice in a row.",
                             .options = options,
                             .option_count = 1,
                             .option_stride = TN_ATTRIBUTE_STRIDE,
                             .options_size = sizeof(pass_options),
                             .run = run};

static const tn_entry entries[] = {TN_ENTRY_PASS("@NAME@", &pass)};
TN_PLUGIN_WITH("@NAME@", "0.1.0", "error/1,graph/1", "", NULL, NULL, entries);
