/* Looking at graphs: nodes, names, kinds of variables. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

uint32_t tn_graph_node_count(const tn_graph *graph) {
    return graph->node_count;
}

tn_status tn_graph_node(const tn_graph *graph, uint32_t number, tn_node_info *out_info) {
    TNI_TRY(tni_graph_check_node(graph, number));
    const tni_node *node = graph->nodes[number];
    const tn_node_info info = {
        .struct_size = out_info->struct_size,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .visible_output_count = node->visible_output_count,
        .attribute_count = node->attribute_count,
        .annotation_count = node->annotation_count,
        .control_count = node->control_count,
        .subgraph_count = node->subgraph_count,
        .op = node->entry == NULL ? NULL : node->entry->entry->name,
        .name = node->name,
        .inputs = node->inputs,
        .attributes = node->attributes,
        .annotations = node->annotations,
        .controls = node->controls,
        .subgraphs = node->subgraphs,
    };
    memcpy(out_info, &info,
           out_info->struct_size < TN_NODE_INFO_SIZE ? out_info->struct_size : TN_NODE_INFO_SIZE);
    return TN_OK;
}

uint32_t tn_graph_find_node(const tn_graph *graph, const char *name) {
    const uintptr_t slot = (uintptr_t)tni_map_find(&graph->names, name);
    return slot == 0 ? TN_NO_NODE : (uint32_t)(slot - 1);
}

const char *tn_graph_input_name(const tn_graph *graph, uint32_t number, uint32_t input) {
    static _Thread_local char made[32];
    if (number >= graph->node_count || graph->nodes[number]->op == NULL) {
        return "";
    }
    const tni_node *node = graph->nodes[number];
    const tn_op *op = node->op;
    if (tni_node_is_subgraph(node) && input < tni_subgraph_input_count(node->subgraphs[0])) {
        return node->subgraphs[0]->nodes[tni_subgraph_input(node->subgraphs[0], input)]->name;
    }
    /* A variadic operator numbers its inputs, unless it has names for the leading ones. */
    if (input < op->input_name_count) {
        return op->input_names[input];
    }
    snprintf(made, sizeof made, "arg%u", input);
    return made;
}

static bool lists(const uint32_t *indices, uint32_t count, uint32_t input) {
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] == input) {
            return true;
        }
    }
    return false;
}

bool tni_node_mutates(const tni_node *node, uint32_t input) {
    return lists(node->mutated_inputs, node->mutated_input_count, input);
}

int32_t tn_graph_input_is_mutated(const tn_graph *graph, uint32_t number, uint32_t input) {
    if (number >= graph->node_count || graph->nodes[number]->op == NULL) {
        return 0;
    }
    return tni_node_mutates(graph->nodes[number], input);
}

const tn_value *tn_graph_outputs(const tn_graph *graph, uint32_t *out_count) {
    *out_count = graph->output_count;
    return graph->outputs;
}

const char *tn_graph_value_name(const tn_graph *graph, tn_value value) {
    static _Thread_local char made[512];
    if (value.node >= graph->node_count) {
        return "";
    }
    const tni_node *node = graph->nodes[value.node];
    if (node->op == NULL) {
        return node->name;
    }
    if (tni_node_is_subgraph(node) && value.output < node->subgraphs[0]->output_count) {
        return tn_graph_value_name(node->subgraphs[0], node->subgraphs[0]->outputs[value.output]);
    }
    if (node->visible_output_count == 1 && value.output == 0) {
        snprintf(made, sizeof made, "%s_output", node->name);
    } else if (value.output < node->op->output_name_count) {
        snprintf(made, sizeof made, "%s_%s", node->name, node->op->output_names[value.output]);
    } else {
        snprintf(made, sizeof made, "%s_output%u", node->name, value.output);
    }
    return made;
}

const char *tn_graph_output_name(const tn_graph *graph, uint32_t index) {
    if (index >= graph->output_count) {
        return "";
    }
    return graph->output_names[index] != NULL ? graph->output_names[index]
                                              : tn_graph_value_name(graph, graph->outputs[index]);
}

tn_tensor *tn_graph_parameter(const tn_graph *graph, uint32_t number) {
    return number < graph->node_count ? graph->nodes[number]->parameter : NULL;
}

/* What a needed node needs: its controls, and the inputs that are not for training alone. */
static void mark_needs(const tni_node *node, bool *runs) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].node != TN_NO_NODE &&
            !lists(node->op->training_inputs, node->op->training_input_count, i)) {
            runs[node->inputs[i].node] = true;
        }
    }
    for (uint32_t i = 0; i < node->control_count; i++) {
        runs[node->controls[i]] = true;
    }
}

static tn_status compute_runs(tn_graph *graph) {
    const uint32_t *order;
    uint32_t count;
    TNI_TRY(tni_graph_order(graph, &order, &count));
    bool *runs = tni_allocate(graph->node_count, sizeof *runs);
    if (runs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        runs[graph->outputs[i].node] = true;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (runs[order[i]]) {
            mark_needs(graph->nodes[order[i]], runs);
        }
    }
    graph->runs = runs;
    graph->runs_count = graph->node_count;
    return TN_OK;
}

tn_status tni_graph_find_runs(const tn_graph *graph) {
    /* What follows from the rest of the graph is kept, not changed. */
    return graph->runs != NULL ? TN_OK : compute_runs((tn_graph *)(uintptr_t)graph);
}

bool tni_graph_runs_node(const tn_graph *graph, uint32_t number) {
    return number >= graph->runs_count || graph->runs[number];
}

uint32_t tn_graph_variable_kind(const tn_graph *graph, uint32_t number) {
    if (number >= graph->node_count || !tni_node_is_variable(graph->nodes[number])) {
        return TN_VARIABLE_INPUT;
    }
    const tni_node *node = graph->nodes[number];
    if (node->mutating_use_count > 0) {
        return TN_VARIABLE_AUXILIARY;
    }
    if (node->parameter != NULL) {
        return TN_VARIABLE_PARAMETER;
    }
    const bool only_training = node->use_count > 0 && tni_graph_find_runs(graph) == TN_OK &&
                               !tni_graph_runs_node(graph, number);
    return only_training ? TN_VARIABLE_TRAINING : TN_VARIABLE_INPUT;
}

uint32_t tni_graph_variable_count(const tn_graph *graph) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        count += tni_node_is_variable(graph->nodes[i]);
    }
    return count;
}
