/* What changed between two graphs, as text: nodes are told apart by their names. */
#include <string.h>

#include <tenon/pass.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/graph.h"

typedef struct diff_work {
    const tn_graph *before;
    const tn_graph *after;
    tni_text text;
    tni_text old_line, new_line;
    uint32_t added, removed, changed;
} diff_work;

static void write_options(tni_text *text, const char *sign, const tn_option *options,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tni_text_add(text, " %s%s=%s", sign, options[i].name, options[i].value);
    }
}

static void write_inputs(tni_text *text, const tn_graph *graph, const tni_node *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        tni_text_add(text, "%s", i > 0 ? ", " : "");
        const tn_value value = node->inputs[i];
        if (value.node == TN_NO_NODE) {
            tni_text_add(text, "none");
            continue;
        }
        const tni_node *source = graph->nodes[value.node];
        tni_text_add(text, "%s", source->name);
        if (source->output_count > 1) {
            tni_text_add(text, "[%u]", value.output);
        }
    }
}

/* A line that is the same for nodes that are the same. A parameter's elements are not in it. */
static void write_node(tni_text *text, const tn_graph *graph, const tni_node *node) {
    char type[600];
    text->size = 0;
    tni_text_add(text, "%s = ", node->name);
    if (node->op == NULL) {
        const tn_tensor_type known =
            node->parameter == NULL ? node->declared : tni_tensor_type(node->parameter);
        tni_text_add(text, "%s %s", node->parameter == NULL ? "variable" : "parameter",
                     tni_type_text(&known, type, sizeof type));
    } else {
        tni_text_add(text, "%s(", node->entry->entry->name);
        write_inputs(text, graph, node);
        tni_text_add(text, ")");
        write_options(text, "", node->attributes, node->attribute_count);
    }
    write_options(text, "@", node->annotations, node->annotation_count);
    for (uint32_t i = 0; i < node->control_count; i++) {
        tni_text_add(text, " after %s", graph->nodes[node->controls[i]]->name);
    }
}

static bool same_elements(const tn_tensor *left, const tn_tensor *right) {
    const uint64_t size = tn_tensor_byte_size(left);
    const void *a = tn_tensor_data(left), *b = tn_tensor_data(right);
    return left == right || (a != NULL && b != NULL && size == tn_tensor_byte_size(right) &&
                             memcmp(a, b, size) == 0);
}

static bool same_subgraphs(const tni_node *left, const tni_node *right) {
    bool same = left->subgraph_count == right->subgraph_count;
    for (uint32_t i = 0; same && i < left->subgraph_count; i++) {
        char *text = NULL;
        same = tn_graph_diff(left->subgraphs[i], right->subgraphs[i], &text) == TN_OK &&
               text[0] == '\0';
        tn_text_free(text);
    }
    return same;
}

static void compare_nodes(diff_work *work, const tni_node *old, const tni_node *new) {
    const char *what = "";
    write_node(&work->old_line, work->before, old);
    write_node(&work->new_line, work->after, new);
    if (strcmp(tni_text_get(&work->old_line), tni_text_get(&work->new_line)) == 0) {
        if (old->parameter != NULL && !same_elements(old->parameter, new->parameter)) {
            what = " (other elements)";
        } else if (!same_subgraphs(old, new)) {
            what = " (another subgraph)";
        } else {
            return;
        }
    }
    work->changed++;
    tni_text_add(&work->text, "- %s\n+ %s%s\n", tni_text_get(&work->old_line),
                 tni_text_get(&work->new_line), what);
}

/* The node of that name, if it is there and not a hole. */
static const tni_node *find(const tn_graph *graph, const char *name) {
    const uint32_t number = tn_graph_find_node(graph, name);
    return number == TN_NO_NODE ? NULL : graph->nodes[number];
}

/* Calls `visit` for the nodes in the order of running, then for those that nothing needs. */
static tn_status for_each(diff_work *work, const tn_graph *graph,
                          void (*visit)(diff_work *work, const tni_node *node)) {
    const uint32_t *order;
    uint32_t count;
    TNI_TRY(tni_graph_order(graph, &order, &count));
    unsigned char *seen = tni_allocate(graph->node_count, 1);
    if (seen == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        seen[order[i]] = 1;
        visit(work, graph->nodes[order[i]]);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!seen[i] && !graph->nodes[i]->removed) {
            visit(work, graph->nodes[i]);
        }
    }
    tni_free(seen);
    return TN_OK;
}

static void visit_old(diff_work *work, const tni_node *node) {
    if (find(work->after, node->name) == NULL) {
        write_node(&work->old_line, work->before, node);
        tni_text_add(&work->text, "- %s\n", tni_text_get(&work->old_line));
        work->removed++;
    }
}

static void visit_new(diff_work *work, const tni_node *node) {
    const tni_node *old = find(work->before, node->name);
    if (old != NULL) {
        compare_nodes(work, old, node);
        return;
    }
    write_node(&work->new_line, work->after, node);
    tni_text_add(&work->text, "+ %s\n", tni_text_get(&work->new_line));
    work->added++;
}

static void compare_outputs(diff_work *work) {
    const tn_graph *graphs[] = {work->before, work->after};
    tni_text *lines[] = {&work->old_line, &work->new_line};
    for (int i = 0; i < 2; i++) {
        lines[i]->size = 0;
        tni_text_add(lines[i], "outputs:");
        for (uint32_t j = 0; j < graphs[i]->output_count; j++) {
            tni_text_add(lines[i], " %s", tn_graph_output_name(graphs[i], j));
        }
    }
    if (strcmp(tni_text_get(lines[0]), tni_text_get(lines[1])) != 0) {
        work->changed++;
        tni_text_add(&work->text, "- %s\n+ %s\n", tni_text_get(lines[0]), tni_text_get(lines[1]));
    }
}

static tn_status compare(diff_work *work) {
    TNI_TRY(for_each(work, work->before, visit_old));
    TNI_TRY(for_each(work, work->after, visit_new));
    compare_outputs(work);
    if (work->added + work->removed + work->changed > 0) {
        tni_text_add(&work->text, "%u removed, %u added, %u changed\n", work->removed, work->added,
                     work->changed);
    }
    tni_text_add(&work->text, "%s", ""); /* an empty text is a text, too */
    TNI_TRY(tni_text_status(&work->old_line));
    TNI_TRY(tni_text_status(&work->new_line));
    return tni_text_status(&work->text);
}

tn_status tn_graph_diff(const tn_graph *before, const tn_graph *after, char **out_text) {
    diff_work work = {.before = before, .after = after};
    tn_status status = compare(&work);
    tni_text_finish(&work.old_line);
    tni_text_finish(&work.new_line);
    if (status != TN_OK) {
        tni_text_finish(&work.text);
        return tni_in(status, "diff");
    }
    *out_text = work.text.data; /* tn_text_free ends it */
    return TN_OK;
}
