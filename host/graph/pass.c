/*
 * Running a pass as a transaction: it works on a copy, the copy is checked, and the two graphs
 * exchange their contents.
 */
#include "graph/graph.h"

#include <string.h>

#include <tenon/pass.h>

#include "base/error.h"
#include "plugin/attributes.h"

uint32_t tn_pass_count(const tn_runtime *runtime) {
    return tni_registry_count(runtime, TN_KIND_PASS);
}

tn_status tn_pass_get(const tn_runtime *runtime, uint32_t index, tn_pass_info *out_info) {
    const tni_entry *entry = tni_registry_get(runtime, TN_KIND_PASS, index);
    if (entry == NULL) {
        return tni_fail(TN_OUT_OF_RANGE, "there are %u passes: there is no number %u",
                        tn_pass_count(runtime), index);
    }
    const tn_pass *pass = entry->entry->impl;
    const tn_pass_info info = {.struct_size = out_info->struct_size,
                               .option_count = pass->option_count,
                               .name = entry->entry->name,
                               .plugin = entry->plugin->name,
                               .doc = pass->doc == NULL ? "" : pass->doc,
                               .options = pass->options,
                               .option_stride = pass->option_stride};
    memcpy(out_info, &info, info.struct_size < sizeof info ? info.struct_size : sizeof info);
    return TN_OK;
}

tn_status tni_graph_infer_known(tn_graph *graph) {
    tn_named_type *known = tni_allocate(graph->known_count, sizeof *known);
    if (known == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->known_count; i++) {
        const uint32_t node = tn_graph_find_node(graph, graph->known[i].name);
        if (node != TN_NO_NODE && graph->nodes[node]->op == NULL) {
            known[count++] = graph->known[i];
        }
    }
    const tn_status status = tn_graph_infer(graph, known, count);
    tni_free(known);
    return status;
}

/* The outputs as they must be afterwards; of those that a pass may change, their names. */
typedef struct output_facts {
    bool may_change;
    tni_arena arena;
    uint32_t count;
    const char **names;
    tn_tensor_type *types;
} output_facts;

static tn_status note_outputs(const tn_graph *graph, output_facts *facts) {
    facts->count = graph->output_count;
    facts->names = tni_arena_allocate(&facts->arena, facts->count, sizeof *facts->names);
    facts->types = tni_arena_allocate(&facts->arena, facts->count, sizeof *facts->types);
    if (facts->names == NULL || facts->types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        facts->names[i] = tni_arena_text(&facts->arena, tn_graph_output_name(graph, i));
        if (facts->names[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        TNI_TRY(tn_graph_type(graph, graph->outputs[i], &facts->types[i]));
    }
    return TN_OK;
}

static tn_status check_output(const tn_graph *graph, const output_facts *facts, uint32_t index) {
    const tn_value value = graph->outputs[index];
    const tni_node *node = graph->nodes[value.node];
    const char *name = tn_graph_output_name(graph, index);
    const tn_tensor_type *before = &facts->types[index];
    if (strcmp(name, facts->names[index]) != 0) {
        return tni_fail(TN_FAILED_PRECONDITION, "node '%s': output %u was '%s' and is now '%s'",
                        node->name, index, facts->names[index], name);
    }
    if (facts->may_change) {
        return TN_OK;
    }
    tn_tensor_type after;
    bool changed = false;
    TNI_TRY(tn_graph_type(graph, value, &after));
    const tn_tensor_type found = after;
    if (!tni_type_merge(&after, before, &changed) || changed) {
        char was[600], is[600];
        return tni_fail(TN_FAILED_PRECONDITION, "node '%s': output '%s' was %s and is now %s",
                        node->name, name, tni_type_text(before, was, sizeof was),
                        tni_type_text(&found, is, sizeof is));
    }
    return TN_OK;
}

static tn_status check_outputs(const tn_graph *graph, const output_facts *facts) {
    if (graph->output_count < facts->count ||
        (graph->output_count > facts->count && !facts->may_change)) {
        return tni_fail(TN_FAILED_PRECONDITION, "the graph had %u outputs and has now %u",
                        facts->count, graph->output_count);
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        TNI_TRY(check_output(graph, facts, i));
    }
    return TN_OK;
}

/* Whoever runs the graph gives what it asked for before, and no more. */
static tn_status check_inputs(const tn_graph *before, const tn_graph *after) {
    TNI_TRY(tni_graph_find_runs(before));
    TNI_TRY(tni_graph_find_runs(after));
    for (uint32_t i = 0; i < after->node_count; i++) {
        const tni_node *node = after->nodes[i];
        if (!tni_node_is_variable(node) || !tni_graph_runs_node(after, i) ||
            tn_graph_variable_kind(after, i) != TN_VARIABLE_INPUT) {
            continue;
        }
        const uint32_t old = tn_graph_find_node(before, node->name);
        if (old == TN_NO_NODE || before->nodes[old]->op != NULL ||
            tn_graph_variable_kind(before, old) != TN_VARIABLE_INPUT) {
            return tni_fail(TN_FAILED_PRECONDITION,
                            "node '%s': it must be given to run, and was no input before",
                            node->name);
        }
    }
    return TN_OK;
}

/* Inside a node, inputs are given by their places. */
static tn_status check_places(const tn_graph *before, const tn_graph *after) {
    const uint32_t count = tni_subgraph_input_count(before);
    if (tni_subgraph_input_count(after) != count) {
        return tni_fail(TN_FAILED_PRECONDITION, "the subgraph had %u inputs and has now %u", count,
                        tni_subgraph_input_count(after));
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *was = before->nodes[tni_subgraph_input(before, i)]->name;
        const char *is = after->nodes[tni_subgraph_input(after, i)]->name;
        if (strcmp(was, is) != 0) {
            return tni_fail(TN_FAILED_PRECONDITION, "input %u was '%s' and is now '%s'", i, was,
                            is);
        }
    }
    return TN_OK;
}

static tn_status call_change(tn_graph *copy, const tni_change *change, tni_change_function apply) {
    copy->keeps_facts = true;
    const tn_status status = apply(copy, change);
    copy->keeps_facts = false;
    tni_graph_changed(copy);
    return status;
}

/* Changes the copy and checks what it is then. */
static tn_status transform(const tn_graph *graph, tn_graph *copy, const tni_change *change,
                           tni_change_function apply, output_facts *facts) {
    TNI_TRY(tn_graph_infer(copy, copy->known, copy->known_count));
    TNI_TRY(note_outputs(copy, facts));
    TNI_TRY(call_change(copy, change, apply));
    TNI_TRY(tn_graph_compact(copy));
    TNI_TRY(tn_graph_verify(copy));
    TNI_TRY(tni_graph_infer_known(copy));
    TNI_TRY(check_outputs(copy, facts));
    return graph->parent == NULL ? check_inputs(graph, copy) : check_places(graph, copy);
}

static bool may_change_outputs(const tni_change *change) {
    const tn_pass *pass = change->entry->entry->impl;
    return strcmp(change->kind, TN_KIND_PASS) == 0 && (pass->flags & TN_PASS_CHANGES_OUTPUTS) != 0;
}

static tn_status transact(tn_graph *graph, const tni_change *change, tni_change_function apply,
                          const tn_named_type *inputs, uint32_t input_count) {
    output_facts facts = {.may_change = may_change_outputs(change)};
    tn_graph *copy;
    TNI_TRY(tn_graph_verify(graph));
    TNI_TRY(tni_graph_clone(graph, graph->holder, &copy));
    copy->known = inputs;
    copy->known_count = input_count;
    const tn_status status = transform(graph, copy, change, apply, &facts);
    copy->known = NULL;
    copy->known_count = 0;
    tni_arena_finish(&facts.arena);
    if (status == TN_OK) {
        tni_graph_exchange(graph, copy);
    }
    tn_graph_destroy(copy);
    return status;
}

/* Graphs that run as sessions of their own, as branches and bodies of loops do, gain by passes like
 * any other. */
static bool has_sessions(const tni_node *node) {
    return !node->removed && node->op != NULL && node->subgraph_count > 0 &&
           (node->op->flags & TN_OP_DATA_DEPENDENT) != 0;
}

static tn_status change_inside(tn_graph *graph, const tni_change *change,
                               tni_change_function apply);

/* With the types that the graph around it gives its inputs. What cannot be changed, such as a
 * branch that does not fit the types and is never taken, stays as it is. */
static tn_status change_subgraph(tn_graph *subgraph, const tni_change *change,
                                 tni_change_function apply) {
    tn_named_type *known = tni_allocate(subgraph->node_count, sizeof *known);
    uint32_t count = 0;
    if (known == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < subgraph->typed_count; i++) {
        if (tni_node_is_subgraph_input(subgraph->nodes[i])) {
            known[count++] = (tn_named_type){subgraph->nodes[i]->name, subgraph->types[i][0]};
        }
    }
    const tn_status status = transact(subgraph, change, apply, known, count);
    tni_free(known);
    if (status == TN_OK) {
        return change_inside(subgraph, change, apply);
    }
    if (status != TN_OUT_OF_MEMORY) {
        tni_error_clear();
        return TN_OK;
    }
    return status;
}

static tn_status change_inside(tn_graph *graph, const tni_change *change,
                               tni_change_function apply) {
    bool found = false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tni_node *node = graph->nodes[i];
        for (uint32_t j = 0; has_sessions(node) && j < node->subgraph_count; j++) {
            TNI_TRY(tni_in(change_subgraph(node->subgraphs[j], change, apply),
                           "node '%s': subgraph %u", node->name, j));
            found = true;
        }
    }
    if (found) {
        tni_graph_changed(graph);
    }
    return TN_OK;
}

tn_status tni_graph_change(tn_graph *graph, tni_change change, tni_change_function apply,
                           const tn_named_type *inputs, uint32_t input_count) {
    change.entry = tni_registry_find(graph->runtime, change.kind, change.name);
    if (change.entry == NULL) {
        char refusal[TNI_REFUSAL_SIZE];
        tni_registry_refusal(graph->runtime, change.kind, change.name, refusal);
        return tni_fail(TN_NOT_FOUND,
                        "no plugin offers the %s %s%s; load one that does (`tenon %s list` shows "
                        "what there is)",
                        change.kind, change.name, refusal, change.kind);
    }
    TNI_TRY(tni_plugin_acquire(change.entry->plugin, TNI_HOLDER_CALL));
    tn_status status = transact(graph, &change, apply, inputs, input_count);
    if (status == TN_OK && strcmp(change.kind, TN_KIND_PASS) == 0 && !may_change_outputs(&change)) {
        status = change_inside(graph, &change, apply);
    }
    tni_plugin_release(change.entry->plugin, TNI_HOLDER_CALL);
    return tni_in(status, "%s %s", change.kind, change.name);
}

static tn_status call_pass(tn_graph *graph, const tni_change *change) {
    const tn_pass *pass = change->entry->entry->impl;
    const tni_attribute_table table = {pass->options, pass->option_count, pass->option_stride};
    tni_arena arena = {0};
    void *parsed = tni_arena_allocate(&arena, 1, pass->options_size);
    tn_status status = parsed == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    if (status == TN_OK) {
        status = tni_in(
            tni_attributes_parse(&table, change->options, change->option_count, &arena, parsed),
            "options");
    }
    if (status == TN_OK) {
        tn_pass_call call = {.struct_size = sizeof call,
                             .host = &change->entry->plugin->host,
                             .options = parsed,
                             .graph = graph,
                             .pass = pass};
        tni_error_clear();
        status = tni_error_complete(pass->run(&call));
    }
    tni_arena_finish(&arena);
    return status;
}

tn_status tn_graph_run_pass(tn_graph *graph, const char *pass, const tn_option *options,
                            uint32_t option_count, const tn_named_type *inputs,
                            uint32_t input_count) {
    const tni_change change = {TN_KIND_PASS, pass, options, option_count, NULL};
    return tni_graph_change(graph, change, call_pass, inputs, input_count);
}

tn_status tn_graph_copy(const tn_graph *graph, tn_graph **out_graph) {
    return tni_graph_clone(graph, TNI_HOLDER_GRAPH, out_graph);
}
