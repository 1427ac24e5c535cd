/* A graph in Graphviz's language. A node that stands for a subgraph is a coloured box around it. */
#include <string.h>

#include "command.h"
#include "graph_text.h"

/* A graph that is being drawn, within those around it. */
typedef struct frame {
    const struct frame *outside; /* NULL: the whole */
    const tn_graph *graph;
    uint32_t holder;  /* the node outside that stands for it */
    char prefix[200]; /* of the names of its nodes: "n", "n3_" */
} frame;

enum { COLOURS = 8 };
static const char *const colours[COLOURS] = {"#cfe8cf", "#f9d9b0", "#d6d2f0", "#f6c9d0",
                                             "#c9e6ef", "#f3ecb0", "#e3cfe8", "#d9d9d9"};

/* Quotes and backslashes are escaped. */
static void print_text(FILE *file, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc(*text, file);
    }
}

static bool describe(const frame *in, uint32_t number, tn_node_info *out_info) {
    *out_info = (tn_node_info){.struct_size = TN_NODE_INFO_SIZE};
    return number != TN_NO_NODE && tn_graph_node(in->graph, number, out_info) == TN_OK;
}

/* Whether the node is drawn as what it holds. */
static bool is_open(const tn_runtime *runtime, const tn_node_info *info) {
    const tn_op *op = info->op == NULL ? NULL : tn_op_find(runtime, info->op, NULL);
    return op != NULL && (op->flags & TN_OP_SUBGRAPH) != 0 && info->subgraph_count == 1;
}

static bool enter(const frame *in, uint32_t number, const tn_node_info *info, frame *out_inner) {
    *out_inner = (frame){.outside = in, .graph = info->subgraphs[0], .holder = number};
    const int length =
        snprintf(out_inner->prefix, sizeof out_inner->prefix, "%s%u_", in->prefix, number);
    return length > 0 && (size_t)length < sizeof out_inner->prefix;
}

/* The value outside that a variable of a subgraph stands for. */
static tn_value outer_value(const frame *in, uint32_t variable) {
    tn_node_info info, holder;
    uint32_t input = 0;
    for (uint32_t i = 0; i < variable; i++) {
        input +=
            describe(in, i, &info) && info.op == NULL && tn_graph_parameter(in->graph, i) == NULL;
    }
    return describe(in->outside, in->holder, &holder) && input < holder.input_count
               ? holder.inputs[input]
               : (tn_value){TN_NO_NODE, 0};
}

/* Draws the edge from what makes a value to the node `target`; none from a parameter. */
static void print_edge(const tn_runtime *runtime, FILE *file, const frame *in, tn_value value,
                       const char *target) {
    tn_node_info info;
    frame inner;
    while (in->outside != NULL && describe(in, value.node, &info) && info.op == NULL) {
        value = outer_value(in, value.node);
        in = in->outside;
    }
    if (!describe(in, value.node, &info) ||
        (info.op == NULL && tn_graph_variable_kind(in->graph, value.node) != TN_VARIABLE_INPUT)) {
        return;
    }
    uint32_t count;
    const tn_value *outputs = NULL;
    if (is_open(runtime, &info) && enter(in, value.node, &info, &inner)) {
        outputs = tn_graph_outputs(inner.graph, &count);
    }
    if (outputs != NULL && value.output < count) {
        print_edge(runtime, file, &inner, outputs[value.output], target);
        return;
    }
    fprintf(file, "  %s%u -> %s [label=\"", in->prefix, value.node, target);
    cli_print_type(file, in->graph, value);
    fputs("\"];\n", file);
}

static void print_input(FILE *file, const frame *in, uint32_t number, const char *name) {
    if (in->outside == NULL && tn_graph_variable_kind(in->graph, number) == TN_VARIABLE_INPUT) {
        fprintf(file, "  %s%u [shape=ellipse, fillcolor=\"#dbe9f6\", label=\"", in->prefix, number);
        print_text(file, name);
        fputs("\"];\n", file);
    }
}

static void print_box(FILE *file, const frame *in, uint32_t number, const tn_node_info *info) {
    fprintf(file, "  %s%u [label=\"", in->prefix, number);
    print_text(file, info->op);
    fputs("\\n", file);
    print_text(file, info->name);
    const uint64_t parameters = cli_parameter_count(in->graph, info);
    if (parameters > 0) {
        fprintf(file, "\\n%llu parameters", (unsigned long long)parameters);
    }
    fputs("\"];\n", file);
}

static bool print_nodes(const tn_runtime *runtime, FILE *file, const frame *in, uint32_t *colour);

static bool print_cluster(const tn_runtime *runtime, FILE *file, const frame *inner,
                          const tn_node_info *info, uint32_t *colour) {
    fprintf(file,
            "  subgraph \"cluster_%s\" {\n  style=\"rounded,filled\"; fillcolor=\"%s\"; "
            "fontname=\"Helvetica\"; fontsize=11; label=\"",
            inner->prefix, colours[(*colour)++ % COLOURS]);
    print_text(file, info->name);
    fputs("\";\n", file);
    const bool good = print_nodes(runtime, file, inner, colour);
    fputs("  }\n", file);
    return good;
}

static bool print_nodes(const tn_runtime *runtime, FILE *file, const frame *in, uint32_t *colour) {
    uint32_t count;
    const uint32_t *order = tn_graph_order(in->graph, &count);
    for (uint32_t i = 0; order != NULL && i < count; i++) {
        tn_node_info info;
        frame inner;
        if (!describe(in, order[i], &info)) {
            return false;
        }
        if (info.op == NULL) {
            print_input(file, in, order[i], info.name);
        } else if (!is_open(runtime, &info) || !enter(in, order[i], &info, &inner)) {
            print_box(file, in, order[i], &info);
        } else if (!print_cluster(runtime, file, &inner, &info, colour)) {
            return false;
        }
    }
    return order != NULL;
}

/* After the boxes, so that none is drawn in the cluster of its reader. */
static void print_edges(const tn_runtime *runtime, FILE *file, const frame *in) {
    uint32_t count;
    const uint32_t *order = tn_graph_order(in->graph, &count);
    for (uint32_t i = 0; order != NULL && i < count; i++) {
        tn_node_info info;
        frame inner;
        char target[256];
        if (!describe(in, order[i], &info) || info.op == NULL) {
            continue;
        }
        if (is_open(runtime, &info) && enter(in, order[i], &info, &inner)) {
            print_edges(runtime, file, &inner);
            continue;
        }
        snprintf(target, sizeof target, "%s%u", in->prefix, order[i]);
        for (uint32_t j = 0; j < info.input_count; j++) {
            print_edge(runtime, file, in, info.inputs[j], target);
        }
    }
}

int cli_print_dot(const tn_runtime *runtime, FILE *file, const tn_graph *graph) {
    const frame whole = {.graph = graph, .prefix = "n"};
    uint32_t colour = 0;
    fputs("digraph model {\n  rankdir=TB;\n"
          "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f7f3e8\", "
          "fontname=\"Helvetica\", fontsize=11];\n"
          "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#666666\"];\n",
          file);
    if (!print_nodes(runtime, file, &whole, &colour)) {
        return cli_fail();
    }
    print_edges(runtime, file, &whole);
    fputs("}\n", file);
    return ferror(file) ? cli_fail_with("the drawing cannot be written") : CLI_OK;
}
