/* Building graphs: variables, nodes, outputs, parameters, annotations. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/graph.h"
#include "plugin/attributes.h"
#include "plugin/runtime.h"
#include "tensor/tensor.h"

enum { MAX_NODES = 1 << 24, MAX_INPUTS = 1 << 16, MAX_SUBGRAPH_DEPTH = 16 };

/* A node that stands for a subgraph has what that has, and what its operator asks for besides;
 * before it has one, the inputs that it was given, and one output. */
static void take_subgraph_arity(tni_node *node, tn_arity_call *call) {
    node->further_input_count = call->input_count;
    node->further_output_count = call->output_count;
    call->visible_output_count = 1;
    if (node->subgraph_count > 0 && node->subgraphs[0]->output_count > 0) {
        const tn_graph *subgraph = node->subgraphs[0];
        call->input_count += tni_subgraph_input_count(subgraph);
        call->visible_output_count = subgraph->output_count;
    } else if (call->input_count < node->input_count) {
        call->input_count = node->input_count;
    }
    call->output_count += call->visible_output_count;
}

static tn_status create(tn_runtime *runtime, tn_graph *parent, tni_holder holder,
                        tn_graph **out_graph) {
    tn_graph *graph = tni_allocate(1, sizeof *graph);
    if (graph == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    graph->runtime = runtime;
    graph->parent = parent;
    graph->holder = holder;
    *out_graph = graph;
    return TN_OK;
}

tn_status tn_graph_create(tn_runtime *runtime, tn_graph **out_graph) {
    return create(runtime, NULL, TNI_HOLDER_GRAPH, out_graph);
}

tn_status tni_graph_create_for(tn_runtime *runtime, tni_holder holder, tn_graph **out_graph) {
    return create(runtime, NULL, holder, out_graph);
}

tn_status tni_graph_create_subgraph(tn_graph *graph, tn_graph **out_subgraph) {
    return create(graph->runtime, NULL, graph->holder, out_subgraph);
}

void tni_node_finish(tni_node *node) {
    for (uint32_t s = 0; s < node->subgraph_count; s++) {
        tn_graph_destroy(node->subgraphs[s]);
    }
    tn_tensor_release(node->parameter);
    tni_free(node->controls);
    tni_free(node->uses);
    tni_free(node->annotations);
}

void tni_graph_truncate(tn_graph *graph, uint32_t node_count) {
    while (graph->node_count > node_count) {
        tni_node *node = graph->nodes[--graph->node_count];
        if (node->removed) {
            graph->hole_count--;
        } else {
            tni_graph_disconnect_node(graph, graph->node_count);
            tni_map_remove(&graph->names, node->name);
        }
        tni_node_finish(node);
    }
    tni_graph_changed(graph);
}

void tn_graph_destroy(tn_graph *graph) {
    if (graph == NULL) {
        return;
    }
    graph->keeps_facts = false;
    tni_graph_changed(graph);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        tni_node_finish(graph->nodes[i]);
    }
    tni_plugin_set_finish(&graph->plugins, graph->holder);
    tni_map_finish(&graph->names, NULL);
    tni_free(graph->nodes);
    tni_arena_finish(&graph->arena);
    tni_free(graph);
}

void tni_graph_changed(tn_graph *graph) {
    tni_free(graph->order);
    graph->order = NULL;
    graph->order_count = 0;
    if (!graph->keeps_facts) {
        tni_free(graph->runs);
        graph->runs = NULL;
        tni_graph_drop_types(graph);
    }
}

tn_status tni_graph_check_value(const tn_graph *graph, tn_value value) {
    if (value.node >= graph->node_count) {
        return tni_fail(TN_OUT_OF_RANGE, "node %u does not exist: the graph has %u nodes",
                        value.node, graph->node_count);
    }
    const tni_node *node = graph->nodes[value.node];
    if (value.output >= node->output_count) {
        return tni_fail(TN_OUT_OF_RANGE, "node '%s' has no output %u: it has %u", node->name,
                        value.output, node->output_count);
    }
    return TN_OK;
}

tn_status tni_graph_check_text(const char *what, const char *text) {
    return tni_is_utf8(text) ? TN_OK : tni_fail(TN_INVALID_ARGUMENT, "%s is not UTF-8", what);
}

tn_status tni_graph_check_name(const tn_graph *graph, const char *name) {
    if (name == NULL || name[0] == '\0') {
        return tni_fail(TN_INVALID_ARGUMENT, "a node must have a name");
    }
    TNI_TRY(tni_graph_check_text("the name of a node", name));
    if (tni_map_find(&graph->names, name) != NULL) {
        return tni_fail(TN_ALREADY_EXISTS, "the graph has a node '%s' already", name);
    }
    return TN_OK;
}

/* A name that is free: "relu0", "relu1", … */
static tn_status make_name(const tn_graph *graph, const char *op, char *buffer, size_t size) {
    for (uint32_t number = graph->node_count;; number++) {
        snprintf(buffer, size, "%.200s%u", op, number);
        if (tni_map_find(&graph->names, buffer) == NULL) {
            return TN_OK;
        }
    }
}

/* Gives the node its number; on failure the graph is as before. */
static tn_status append(tn_graph *graph, tni_node *node, uint32_t *out_node) {
    if (graph->node_count >= MAX_NODES) {
        return tni_fail(TN_OUT_OF_RANGE, "a graph has at most %d nodes", MAX_NODES);
    }
    void *nodes = graph->nodes;
    TNI_TRY(tni_grow(&nodes, &graph->node_capacity, graph->node_count + 1, sizeof(tni_node *)));
    graph->nodes = nodes;
    graph->nodes[graph->node_count] = node;
    TNI_TRY(tni_graph_connect_node(graph, graph->node_count));
    const tn_status status =
        tni_map_set(&graph->names, node->name, (void *)(uintptr_t)(graph->node_count + 1));
    if (status != TN_OK) {
        tni_graph_disconnect_node(graph, graph->node_count);
        return status;
    }
    *out_node = graph->node_count++;
    tni_graph_changed(graph);
    return TN_OK;
}

static tni_node *new_node(tn_graph *graph, const char *name) {
    tni_node *node = tni_arena_allocate(&graph->arena, 1, sizeof *node);
    if (node == NULL) {
        return NULL;
    }
    node->declared = tni_type_unknown();
    node->name = tni_arena_text(&graph->arena, name);
    return node->name == NULL ? NULL : node;
}

static tn_status check_type(const tn_tensor_type *type) {
    if (type->dtype != 0 && strcmp(tn_dtype_text(type->dtype), "unknown") == 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "0x%x is no element type", type->dtype);
    }
    if (type->shape.rank < TN_UNKNOWN || type->shape.rank > TN_MAX_RANK) {
        return tni_fail(TN_INVALID_ARGUMENT, "rank %d: expected 0 to %d", (int)type->shape.rank,
                        TN_MAX_RANK);
    }
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        if (type->shape.extents[axis] < TN_UNKNOWN) {
            return tni_fail(TN_INVALID_ARGUMENT, "extent %lld of axis %d: expected at least 0",
                            (long long)type->shape.extents[axis], (int)axis);
        }
    }
    return TN_OK;
}

tn_status tn_graph_add_variable(tn_graph *graph, const char *name, const tn_tensor_type *type,
                                uint32_t *out_node) {
    TNI_TRY(tni_graph_check_name(graph, name));
    if (type != NULL) {
        TNI_TRY(tni_in(check_type(type), "variable '%s'", name));
    }
    tni_node *node = new_node(graph, name);
    if (node == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (type != NULL) {
        node->declared = *type;
    }
    node->output_count = node->visible_output_count = 1;
    return append(graph, node, out_node);
}

/* The operator's own list stays where it is; one that the node has for itself is copied. */
static tn_status take_mutated(tn_graph *graph, tni_node *node, const tn_arity_call *call) {
    const tn_op *op = node->op;
    const uint32_t count = call->mutated_input_count;
    node->mutated_inputs = op->mutated_inputs;
    node->mutated_input_count = op->mutated_input_count;
    if (count == op->mutated_input_count &&
        (count == 0 ||
         memcmp(call->mutated_inputs, op->mutated_inputs, count * sizeof(uint32_t)) == 0)) {
        return TN_OK;
    }
    if (count > TN_MAX_MUTATED_INPUTS) {
        return tni_fail(TN_INVALID_ARGUMENT, "it changes %u inputs: expected at most %d", count,
                        TN_MAX_MUTATED_INPUTS);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (call->mutated_inputs[i] >= call->input_count) {
            return tni_fail(TN_INVALID_ARGUMENT, "it changes input %u, but there are %u",
                            call->mutated_inputs[i], call->input_count);
        }
    }
    uint32_t *copy = tni_arena_allocate(&graph->arena, count, sizeof *copy);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(copy, call->mutated_inputs, count * sizeof *copy);
    node->mutated_inputs = copy;
    node->mutated_input_count = count;
    return TN_OK;
}

tn_status tni_node_resolve(tn_graph *graph, tni_node *node) {
    const tn_op *op = node->op;
    const tni_attribute_table table = {op->attributes, op->attribute_count, op->attribute_stride};
    node->parsed = tni_arena_allocate(&graph->arena, 1, op->attributes_size);
    if (node->parsed == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_attributes_parse(&table, node->attributes, node->attribute_count, &graph->arena,
                                 node->parsed));
    uint32_t mutated[TN_MAX_MUTATED_INPUTS];
    if (op->mutated_input_count > 0) {
        memcpy(mutated, op->mutated_inputs, op->mutated_input_count * sizeof mutated[0]);
    }
    const bool stands_for_graph = (op->flags & TN_OP_SUBGRAPH) != 0;
    tn_arity_call call = {.struct_size = sizeof call,
                          .connected_inputs = node->input_count,
                          .host = &node->entry->plugin->host,
                          .attributes = node->parsed,
                          .input_count = stands_for_graph ? 0 : op->input_name_count,
                          .output_count = stands_for_graph ? 0 : op->output_name_count,
                          .mutated_input_count = op->mutated_input_count,
                          .mutated_inputs = mutated,
                          .op = op};
    if (op->flags & TN_OP_VARIADIC && !stands_for_graph && node->input_count > call.input_count) {
        call.input_count = node->input_count;
    }
    if (op->arity != NULL) {
        tni_error_clear();
        TNI_TRY(tni_error_complete(op->arity(&call)));
    }
    if (stands_for_graph) {
        take_subgraph_arity(node, &call);
    }
    if (call.input_count > MAX_INPUTS || call.output_count > MAX_INPUTS || call.output_count == 0 ||
        call.visible_output_count > call.output_count) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "%u inputs and %u outputs (%u visible): expected at most %d of each and at "
                        "least one output",
                        call.input_count, call.output_count, call.visible_output_count, MAX_INPUTS);
    }
    if (!tni_node_is_subgraph(node)) { /* tni_graph_tell_parent sees to these */
        TNI_TRY(take_mutated(graph, node, &call));
    }
    node->arity = call.input_count;
    node->output_count = call.output_count;
    node->visible_output_count =
        call.visible_output_count == 0 ? call.output_count : call.visible_output_count;
    if (node->input_count > node->arity) {
        return tni_fail(TN_INVALID_ARGUMENT, "%u inputs are given, but it takes %u",
                        node->input_count, node->arity);
    }
    return TN_OK;
}

static tn_status copy_attributes(tn_graph *graph, tni_node *node, const tn_option *attributes,
                                 uint32_t count) {
    node->attributes = tni_arena_allocate(&graph->arena, count, sizeof(tn_option));
    if (node->attributes == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(attributes[i].name, attributes[j].name) == 0) {
                return tni_fail(TN_INVALID_ARGUMENT, "attribute %s is given twice",
                                attributes[i].name);
            }
        }
        TNI_TRY(tni_graph_check_text("the name of an attribute", attributes[i].name));
        TNI_TRY(tni_graph_check_text(attributes[i].name, attributes[i].value));
        node->attributes[i].name = tni_arena_text(&graph->arena, attributes[i].name);
        node->attributes[i].value = tni_arena_text(&graph->arena, attributes[i].value);
        if (node->attributes[i].name == NULL || node->attributes[i].value == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    node->attribute_count = count;
    return TN_OK;
}

static tn_status fill_node(tn_graph *graph, tni_node *node, const tn_option *attributes,
                           uint32_t attribute_count, const tn_value *inputs, uint32_t input_count) {
    TNI_TRY(copy_attributes(graph, node, attributes, attribute_count));
    node->input_count = input_count;
    TNI_TRY(tni_node_resolve(graph, node));
    node->inputs = tni_arena_allocate(&graph->arena, node->arity, sizeof(tn_value));
    node->places = tni_arena_allocate(&graph->arena, node->arity, sizeof *node->places);
    if (node->inputs == NULL || node->places == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        if (inputs[i].node != TN_NO_NODE) {
            TNI_TRY(tni_in(tni_graph_check_value(graph, inputs[i]), "input %u", i));
        }
        node->inputs[i] = inputs[i];
    }
    if (node->op->subgraph_count > 0) {
        node->subgraphs =
            tni_arena_allocate(&graph->arena, node->op->subgraph_count, sizeof(tn_graph *));
        return node->subgraphs == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    }
    return TN_OK;
}

tn_status tn_graph_add_node(tn_graph *graph, const char *op, const char *name,
                            const tn_option *attributes, uint32_t attribute_count,
                            const tn_value *inputs, uint32_t input_count, uint32_t *out_node) {
    char made[256];
    if (op == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "a node must have an operator");
    }
    if (name == NULL) {
        TNI_TRY(make_name(graph, op, made, sizeof made));
        name = made;
    }
    TNI_TRY(tni_graph_check_name(graph, name));
    const tni_entry *entry = tni_registry_find(graph->runtime, TN_KIND_OP, op);
    if (entry == NULL) {
        char refusal[TNI_REFUSAL_SIZE];
        return tni_fail(TN_NOT_FOUND,
                        "node '%s': no plugin offers the operator %s%s; load one that does "
                        "(`tenon ops` lists what there is)",
                        name, op, tni_registry_refusal(graph->runtime, TN_KIND_OP, op, refusal));
    }
    if (input_count > MAX_INPUTS) {
        return tni_fail(TN_INVALID_ARGUMENT, "node '%s': %u inputs: expected at most %d", name,
                        input_count, MAX_INPUTS);
    }
    tni_node *node = new_node(graph, name);
    if (node == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    node->entry = entry;
    node->op = entry->entry->impl;
    TNI_TRY(tni_plugin_set_add(&graph->plugins, entry->plugin, graph->holder));
    TNI_TRY(tni_in(fill_node(graph, node, attributes, attribute_count, inputs, input_count),
                   "node '%s' (%s)", name, op));
    return append(graph, node, out_node);
}

tn_status tn_graph_complete_inputs(tn_graph *graph, uint32_t number) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    while (node->input_count < node->arity) {
        char name[512];
        snprintf(name, sizeof name, "%s_%s", node->name,
                 tn_graph_input_name(graph, number, node->input_count));
        uint32_t variable;
        TNI_TRY(tn_graph_add_variable(graph, name, NULL, &variable));
        node->inputs[node->input_count] = (tn_value){TN_NO_NODE, 0};
        TNI_TRY(tni_graph_connect(graph, number, node->input_count, (tn_value){variable, 0}));
        node->input_count++;
        tni_graph_changed(graph);
    }
    return TN_OK;
}

tn_status tn_graph_add_control(tn_graph *graph, uint32_t number, uint32_t before) {
    TNI_TRY(tni_graph_check_node(graph, number));
    TNI_TRY(tni_graph_check_node(graph, before));
    tni_node *node = graph->nodes[number];
    void *controls = node->controls;
    TNI_TRY(
        tni_grow(&controls, &node->control_capacity, node->control_count + 1, sizeof(uint32_t)));
    node->controls = controls;
    TNI_TRY(tni_graph_connect_control(graph, number, before));
    node->controls[node->control_count++] = before;
    tni_graph_changed(graph);
    return TN_OK;
}

tn_status tn_graph_add_subgraph(tn_graph *graph, uint32_t number, tn_graph **out_subgraph) {
    TNI_TRY(tni_graph_check_node(graph, number));
    tni_node *node = graph->nodes[number];
    const uint32_t wanted = node->op == NULL ? 0 : node->op->subgraph_count;
    if (node->subgraph_count >= wanted) {
        return tni_fail(TN_FAILED_PRECONDITION, "node '%s' holds %u subgraphs, no more", node->name,
                        wanted);
    }
    uint32_t depth = 1;
    for (const tn_graph *above = graph; above->parent != NULL; above = above->parent) {
        depth++;
    }
    if (depth > MAX_SUBGRAPH_DEPTH) {
        return tni_fail(TN_OUT_OF_RANGE, "node '%s': graphs are nested more than %d deep",
                        node->name, MAX_SUBGRAPH_DEPTH);
    }
    TNI_TRY(create(graph->runtime, graph, graph->holder, &node->subgraphs[node->subgraph_count]));
    *out_subgraph = node->subgraphs[node->subgraph_count++];
    (*out_subgraph)->parent_node = number;
    tni_graph_changed(graph);
    return TN_OK;
}

tn_status tn_graph_set_outputs(tn_graph *graph, const tn_value *outputs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(tni_in(tni_graph_check_value(graph, outputs[i]), "output %u", i));
    }
    tn_value *copy = tni_arena_allocate(&graph->arena, count, sizeof(tn_value));
    uint32_t *places = tni_arena_allocate(&graph->arena, count, sizeof *places);
    const char **names = tni_arena_allocate(&graph->arena, count, sizeof *names);
    if (copy == NULL || places == NULL || names == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = outputs[i];
        names[i] = i < graph->output_count ? graph->output_names[i] : NULL;
    }
    TNI_TRY(tni_graph_connect_outputs(graph, copy, places, count));
    graph->output_names = names;
    tni_graph_changed(graph);
    return tni_graph_tell_parent(graph);
}

tn_status tn_graph_name_output(tn_graph *graph, uint32_t index, const char *name) {
    if (index >= graph->output_count) {
        return tni_fail(TN_OUT_OF_RANGE, "the graph has %u outputs, no number %u",
                        graph->output_count, index);
    }
    TNI_TRY(tni_graph_check_text("the name of an output", name == NULL ? "" : name));
    const char *copy = name == NULL ? NULL : tni_arena_text(&graph->arena, name);
    if (copy == NULL && name != NULL) {
        return TN_OUT_OF_MEMORY;
    }
    graph->output_names[index] = copy;
    return TN_OK;
}

tn_status tn_graph_set_parameter(tn_graph *graph, const char *name, tn_tensor *tensor) {
    const uint32_t number = tn_graph_find_node(graph, name);
    if (number == TN_NO_NODE || graph->nodes[number]->op != NULL) {
        return tni_fail(TN_NOT_FOUND, "the graph has no variable '%s'", name);
    }
    tni_node *node = graph->nodes[number];
    const tn_tensor_type type = tni_tensor_type(tensor);
    tn_tensor_type declared = node->declared;
    bool changed = false;
    if (!tni_type_merge(&declared, &type, &changed)) {
        char have[600], given[600];
        return tni_fail(TN_INVALID_ARGUMENT, "parameter '%s' is %s, but the graph declares %s",
                        name, tni_type_text(&type, given, sizeof given),
                        tni_type_text(&node->declared, have, sizeof have));
    }
    tn_tensor_retain(tensor);
    tn_tensor_release(node->parameter);
    node->parameter = tensor;
    tni_graph_changed(graph);
    return TN_OK;
}
