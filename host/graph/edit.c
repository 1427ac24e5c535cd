/*
 * Changing a graph that is there: what passes do. A node that is removed leaves a hole, so that the
 * others keep their numbers while somebody walks over them; tn_graph_compact closes the holes.
 */
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

tn_status tni_graph_check_node(const tn_graph *graph, uint32_t number) {
    if (number >= graph->node_count) {
        return tni_fail(TN_OUT_OF_RANGE, "node %u does not exist: the graph has %u nodes", number,
                        graph->node_count);
    }
    if (graph->nodes[number]->removed) {
        return tni_fail(TN_NOT_FOUND, "node '%s' was removed", graph->nodes[number]->name);
    }
    return TN_OK;
}

tn_status tn_graph_set_input(tn_graph *graph, uint32_t number, uint32_t input, tn_value value) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    const bool is_further = input == node->input_count && input < node->arity;
    if (input >= node->input_count && !is_further) {
        return tni_fail(TN_OUT_OF_RANGE, "node '%s' has no input %u: it has %u and takes %u",
                        node->name, input, node->input_count, node->arity);
    }
    if (value.node != TN_NO_NODE) {
        TNI_TRY(
            tni_in(tni_graph_check_value(graph, value), "node '%s': input %u", node->name, input));
    }
    if (is_further) {
        node->inputs[input] = (tn_value){TN_NO_NODE, 0};
    }
    TNI_TRY(tni_graph_connect(graph, number, input, value));
    node->input_count += is_further;
    tni_graph_changed(graph);
    return TN_OK;
}

tn_status tn_graph_rename(tn_graph *graph, uint32_t number, const char *name) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    if (name != NULL && strcmp(name, node->name) == 0) {
        return TN_OK;
    }
    TNI_TRY(tni_in(tni_graph_check_name(graph, name), "rename '%s'", node->name));
    const char *copy = tni_arena_text(&graph->arena, name);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_map_set(&graph->names, copy, (void *)(uintptr_t)(number + 1)));
    tni_map_remove(&graph->names, node->name);
    node->name = copy;
    return TN_OK;
}

/* The node's attributes with one of them set, or left out when `value` is NULL, in the arena. */
static tn_status changed_attributes(tn_graph *graph, const tni_node *node, const char *name,
                                    const char *value, tn_option **out, uint32_t *out_count) {
    TNI_TRY(tni_graph_check_text("the name of an attribute", name));
    TNI_TRY(tni_graph_check_text(name, value == NULL ? "" : value));
    tn_option *options =
        tni_arena_allocate(&graph->arena, node->attribute_count + 1, sizeof *options);
    const tn_option given = {value == NULL ? name : tni_arena_text(&graph->arena, name),
                             value == NULL ? value : tni_arena_text(&graph->arena, value)};
    uint32_t count = 0;
    bool found = false;
    if (options == NULL || given.name == NULL || (value != NULL && given.value == NULL)) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const bool is_it = strcmp(node->attributes[i].name, name) == 0;
        if (!is_it || value != NULL) {
            options[count++] = is_it ? given : node->attributes[i];
        }
        found = found || is_it;
    }
    if (!found && value != NULL) {
        options[count++] = given;
    }
    *out = options;
    *out_count = count;
    return TN_OK;
}

tn_status tni_node_widen(tn_graph *graph, tni_node *node, uint32_t room) {
    if (node->arity <= room) {
        return TN_OK;
    }
    tn_value *inputs = tni_arena_allocate(&graph->arena, node->arity, sizeof *inputs);
    uint32_t *places = tni_arena_allocate(&graph->arena, node->arity, sizeof *places);
    if (inputs == NULL || places == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = node->inputs[i];
        places[i] = node->places[i];
    }
    node->inputs = inputs;
    node->places = places;
    return TN_OK;
}

/* The uses of an input say whether it is changed, and are not made again for an attribute. */
static bool mutates_alike(const tni_node *left, const tni_node *right) {
    const uint32_t count = left->mutated_input_count;
    return count == right->mutated_input_count &&
           (count == 0 || memcmp(left->mutated_inputs, right->mutated_inputs,
                                 count * sizeof left->mutated_inputs[0]) == 0);
}

tn_status tn_graph_set_attribute(tn_graph *graph, uint32_t number, const char *name,
                                 const char *value) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    if (name == NULL || node->op == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "node '%s': %s", node->name,
                        name == NULL ? "an attribute has a name" : "a variable has no attributes");
    }
    tni_node changed = *node;
    tn_status status =
        changed_attributes(graph, node, name, value, &changed.attributes, &changed.attribute_count);
    if (status == TN_OK) {
        status = tni_node_resolve(graph, &changed);
    }
    if (status == TN_OK && (changed.output_count != node->output_count ||
                            changed.visible_output_count != node->visible_output_count)) {
        status =
            tni_fail(TN_FAILED_PRECONDITION,
                     "attribute %s would change how many outputs there are: add a new node", name);
    }
    if (status == TN_OK && !mutates_alike(node, &changed)) {
        status =
            tni_fail(TN_FAILED_PRECONDITION,
                     "attribute %s would change which inputs it changes: add a new node", name);
    }
    if (status == TN_OK) {
        status = tni_node_widen(graph, &changed, node->arity);
    }
    if (status != TN_OK) {
        return tni_in(status, "node '%s' (%s)", node->name, node->entry->entry->name);
    }
    *node = changed;
    tni_graph_changed(graph);
    return TN_OK;
}

/* The complaint about a node that is used, with one of its users. */
static tn_status still_used(const tn_graph *graph, const tni_node *node) {
    const tn_use use = node->uses[0];
    if (use.node == TN_NO_NODE) {
        return tni_fail(TN_FAILED_PRECONDITION, "node '%s' is an output of the graph", node->name);
    }
    return tni_fail(TN_FAILED_PRECONDITION, "node '%s' is still used, by '%s'", node->name,
                    graph->nodes[use.node]->name);
}

tn_status tn_graph_remove_node(tn_graph *graph, uint32_t number) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    if (node->use_count > 0) {
        return still_used(graph, node);
    }
    tni_graph_disconnect_node(graph, number);
    tni_map_remove(&graph->names, node->name);
    tni_node_finish(node);
    *node = (tni_node){.name = node->name, .removed = true, .declared = tni_type_unknown()};
    graph->hole_count++;
    tni_graph_changed(graph);
    return TN_OK;
}
